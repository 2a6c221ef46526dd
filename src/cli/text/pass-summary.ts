import type { SluiceError } from '../../base/run/errors.ts'
import {
  counted,
  formatBytes,
  formatCount,
  formatSpan,
  printable,
  shellWord,
} from '../../base/text/format.ts'
import { scrubValue } from '../../base/text/scrub.ts'
import { isoTime } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { adviceOnUnreadable } from '../../domain/file.ts'
import { nothing_goes } from '../../domain/file-type.ts'
import { isUnrecorded, troubleSubject } from '../../domain/trouble.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import { type LedgerView, openLedgerView } from '../../ledger/views/view.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { Amount, FolderView } from '../../ledger/views/view-folders.ts'
import { openPassView, type PassView } from '../../ledger/views/view-pass.ts'
import type { Reason } from '../../ledger/views/view-reasons.ts'
import {
  amountOf,
  folderStatus,
  folderStatuses,
  isComplete,
  underway,
} from '../../status/folders.ts'
import { namesText, placesText } from '../../status/text/places.ts'
import { retryStatus, troubleStatus } from '../../status/view.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { printIndented, printJson } from './print.ts'
import type { Terminal } from './terminal.ts'

interface PassSummary {
  lines: string[]
  /** `ok` if all its folders are complete (see isComplete), else `incomplete`. */
  exit_code: ExitCode
}

interface PassEnd {
  view: LedgerView
  pass: PassView
  /** The folders that it was about. */
  names: readonly string[]
  began_ms: number
  now_ms: number
}

/** Stages that need a user. */
const stopped: readonly Stage[] = ['refused', 'removed_on_service', 'blocked']
/** Width of the titles, such as `on the way`. */
const title_columns = 10

/**
 * Describes for users how a pass ended: which files are ready, which are not, and why.
 *
 * @internal
 */
export function summarizePass(end: PassEnd, { styles }: Pick<Terminal, 'styles'>): PassSummary {
  const folders = end.view.folders().filter(({ name }) => end.names.includes(name))
  const sum = (stages: readonly Stage[]) => amountOf(folders, stages)
  const ready = sum(['ready'])
  const offline = folders.filter(({ offline_reason }) => offline_reason !== undefined)
  const line = (title: string, amount: Amount, style = (text: string) => text) =>
    `${style(title.padEnd(title_columns))} ${counted(amount.files, 'file')}, ${formatBytes(amount.bytes)}`

  const lines = [line('ready', ready, styles.green)]
  lines.push(...newLines(end))
  for (const { name, offline_reason } of offline)
    lines.push(
      `${styles.red('offline'.padEnd(title_columns))} ${name}: ${printable(offline_reason ?? '')}`,
    )
  // Folders come before files: one closed directory may hide any number of files.
  for (const folder of folders)
    lines.push(...incompleteLines(folder).map((text) => styles.red(text)))
  for (const [title, stages, style, linesOf] of [
    ['not ready', stopped, styles.red, stoppedLines],
    ['on the way', underway, styles.yellow, underwayLines],
    ['skipped', ['skipped'], undefined, skippedLines],
  ] as const) {
    const amount = sum(stages)
    if (amount.files > 0) lines.push(line(title, amount, style), ...linesOf(end, folders))
  }
  const troubles = end.view.troubles()
  lines.push(...unrecordedLines(end, troubles).map((text) => styles.red(text)))
  // The ledger does not know a folder whose first fact was refused.
  const is_complete =
    folders.length === end.names.length &&
    folders.every((folder) => isComplete(folderStatus(folder), troubles))
  return { lines, exit_code: is_complete ? exit_codes.ok : exit_codes.incomplete }
}

type End = Omit<PassEnd, 'view' | 'pass'>

/** Prints how a pass ended. `quiet`: only if not all is ready. */
export function printSummary(
  state_dir: string,
  end: End,
  terminal: Terminal,
  quiet = false,
): ExitCode {
  return withViews(state_dir, (views) => {
    const { lines, exit_code } = summarizePass({ ...views, ...end }, terminal)
    if (!quiet || exit_code !== exit_codes.ok) printIndented(terminal, lines)
    return exit_code
  })
}

/**
 * Prints how a pass ended as JSON. `fault`: why it ended early. Times are ISO 8601 UTC. The exit
 * code is that of `printSummary`.
 */
export function printPassAnswer(
  { state_dir, folders: configured }: Config,
  { names, began_ms, now_ms }: End,
  fault: SluiceError | undefined,
  terminal: Terminal,
): ExitCode {
  return withViews(state_dir, ({ view, pass }) => {
    const among = configured.filter(({ name }) => names.includes(name))
    const folders = folderStatuses(among, view.folders(), { is_watching: false })
    const troubles = view.troubles()
    const complete = folders.every((folder) => isComplete(folder, troubles))
    const { files, sent } = pass.newSince(began_ms, names)
    printJson(terminal, {
      began: isoTime(began_ms),
      ended: isoTime(now_ms),
      /** Every file that should be in the assistant is ready. */
      complete,
      /** Files that became ready; `uploaded`: those whose bytes were not known to the project. */
      new: { files, uploaded: sent },
      folders,
      /** As in `status --json`: files that need attention, of these folders. */
      problems: view.problems(names),
      /** Troubles of all folders that hold uploads up, and failed uploads to try again. */
      troubles: troubles.map(troubleStatus),
      retrying: view.retrying().map(retryStatus),
      over_limit_places: view.over_limit().places.filter(({ folder }) => names.includes(folder)),
      fault: fault
        ? scrubValue({ code: fault.code, message: fault.message, hint: fault.hint ?? null })
        : null,
    })
    return complete ? exit_codes.ok : exit_codes.incomplete
  })
}

/** Views of their own: those of the pass are closed when it has ended. */
function withViews<Answer>(
  state_dir: string,
  use: (views: Pick<PassEnd, 'view' | 'pass'>) => Answer,
): Answer {
  const view = openLedgerView(state_dir)
  const pass = openPassView(state_dir)
  try {
    return use({ view, pass })
  } finally {
    pass.close()
    view.close()
  }
}

/** Entries that the last scan could not read. There may be unknown files in them. */
function incompleteLines({ name, scan, offline_reason }: FolderView): string[] {
  if (!scan)
    return offline_reason === undefined ? [`incomplete ${name}: its first scan has not ended`] : []
  const { unreadable, unreadable_total, odd_names, odd_names_total } = scan
  const paths = unreadable.map(({ path }) => path)
  const advice = adviceOnUnreadable(unreadable.map(({ code }) => code))
  const lines = [
    [unreadable_total, `cannot be opened, ${advice}`, paths],
    [odd_names_total, 'a name that is not UTF-8, rename it', odd_names],
  ] as const
  return lines
    .filter(([total]) => total > 0)
    .map(([total, what, of]) => {
      const names = namesText(of, total)
      return printable(`incomplete ${name}: ${formatCount(total)} × ${what}: ${names}`)
    })
}

/** A folder with a refused fact rests, so this pass did not scan it, or not to the end. */
function unrecordedLines({ names }: PassEnd, troubles: readonly Trouble[]): string[] {
  return troubles.flatMap((trouble) => {
    if (!names.some((name) => isUnrecorded(name, trouble))) return []
    const subject = troubleSubject(trouble.about)
    const not_scanned = names.includes(subject) ? 'not scanned, or not to the end: ' : ''
    return printable(`incomplete ${subject}: ${not_scanned}${trouble.message}`)
  })
}

function newLines({ pass, began_ms, names }: PassEnd): string[] {
  const { files, sent } = pass.newSince(began_ms, names)
  if (files === 0) return [detail('nothing new')]
  const known = Math.max(0, files - sent.files)
  const parts =
    sent.files > 0 ? [`${formatCount(sent.files)} uploaded (${formatBytes(sent.bytes)})`] : []
  if (known > 0) parts.push(`${formatCount(known)} with bytes already known`)
  return [detail(`new: ${parts.join(', ')}`)]
}

function stoppedLines({ pass, view, names }: PassEnd, folders: readonly FolderView[]): string[] {
  const reasons = pass.reasons('not_ready', names)
  const lines = reasons.map(reasonLine)
  let rest = amountOf(folders, stopped).files - filesOf(reasons)
  for (const { folder, directory, files, bytes } of view.over_limit().places) {
    if (!names.includes(folder)) continue
    rest -= files
    const place = directory === '' ? folder : `${folder}/${directory}`
    const held = `${formatCount(files)} × held by the upload limit (${formatBytes(bytes)})`
    lines.push(detail(`${held}: sluice accept ${shellWord(place)} uploads them`))
  }
  if (rest > 0)
    lines.push(detail(`${formatCount(rest)} × for other reasons: sluice status names them`))
  return lines
}

function underwayLines({ view, now_ms }: PassEnd, folders: readonly FolderView[]): string[] {
  const lines: string[] = []
  const settling = amountOf(folders, ['settling']).files
  if (settling > 0)
    lines.push(detail(`${formatCount(settling)} × found, not read yet: they may still change`))
  const reading = amountOf(folders, ['ingesting']).files
  if (reading > 0)
    lines.push(detail(`${formatCount(reading)} × uploaded, and still read by the service`))
  for (const { about, message } of view.troubles())
    lines.push(detail(`${troubleSubject(about)}: ${message}`))
  for (const { message, contents, next_try_ms, examples } of view.retrying()) {
    // The trouble above says why.
    if (message.startsWith(nothing_goes)) continue
    const next = next_try_ms > now_ms ? `, next try in ${formatSpan(now_ms, next_try_ms)}` : ''
    const names = examples.map(({ folder, path }) => `${folder}/${path}`)
    const where = namesText(names, contents)
    lines.push(detail(`${formatCount(contents)} × ${message}${next} (${where})`))
  }
  if (lines.length === 0)
    lines.push(detail('on their way, or held back for a while: sluice explain PATH says which'))
  return lines
}

function skippedLines({ pass, names }: PassEnd): string[] {
  return pass.reasons('skipped', names).map(reasonLine)
}

function reasonLine({ message, files, places }: Reason): string {
  return detail(`${formatCount(files)} × ${message} (${placesText(places, files)})`)
}

function filesOf(reasons: readonly Reason[]): number {
  return reasons.reduce((sum, { files }) => sum + files, 0)
}

/** Indents a line and makes control characters visible: names and messages may hold any. */
function detail(text: string): string {
  return `${' '.repeat(title_columns + 1)}${printable(text)}`
}
