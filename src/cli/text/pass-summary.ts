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
import { nothing_goes } from '../../domain/file-type.ts'
import { isUnrecorded, troubleSubject } from '../../domain/trouble.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import { type LedgerView, openLedgerView } from '../../ledger/views/view.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import type { Amount, FolderView } from '../../ledger/views/view-folders.ts'
import { openPassView, type PassView } from '../../ledger/views/view-pass.ts'
import type { Example } from '../../ledger/views/view-problems.ts'
import {
  amountOf,
  folderStatus,
  folderStatuses,
  isComplete,
  underway,
} from '../../status/folders.ts'
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

/** Examples of unreadable entries. `status` shows more. */
const max_names = 3
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
  for (const [title, stages] of [
    ['refused', ['refused']],
    ['removed on the service', ['removed_on_service']],
    ['blocked', ['blocked']],
    ['on the way', underway],
  ] as const) {
    const amount = sum(stages)
    if (amount.files === 0) continue
    const is_underway = stages === underway
    lines.push(line(title, amount, is_underway ? styles.yellow : styles.red))
    lines.push(...(is_underway ? underwayLines(end, folders) : problemLines(end, stages)))
  }
  const skipped = sum(['skipped'])
  if (skipped.files > 0) lines.push(line('skipped', skipped), ...skippedLines(end))
  for (const { name, offline_reason } of offline)
    lines.push(
      `${styles.red('offline'.padEnd(title_columns))} ${name}: ${printable(offline_reason ?? '')}`,
    )
  for (const folder of folders)
    lines.push(...incompleteLines(folder).map((text) => styles.red(text)))
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
  const lines: string[] = []
  if (unreadable_total > 0) {
    const places = unreadable.slice(0, max_names).map(({ path, code }) => `${path} (${code})`)
    const rest = unreadable_total > places.length ? ' …' : ''
    lines.push(
      `incomplete ${name}: ${formatCount(unreadable_total)} × cannot be read: ${places.join(', ')}${rest}`,
    )
  }
  if (odd_names_total > 0) {
    const names = odd_names.slice(0, max_names)
    const rest = odd_names_total > names.length ? ' …' : ''
    const count = formatCount(odd_names_total)
    lines.push(
      `incomplete ${name}: ${count} × a name that is not UTF-8, rename it: ${names.join(', ')}${rest}`,
    )
  }
  return lines.map(printable)
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

function problemLines(end: PassEnd, stages: readonly string[]): string[] {
  const groups = end.view.problems(end.names).filter(({ stage }) => stages.includes(stage))
  const lines = groups.map(({ message, files, examples }) => reasonLine(files, message, examples))
  const over_limit = stages.includes('blocked') ? end.view.over_limit().places : []
  for (const { folder, directory, files, bytes } of over_limit.filter((place) =>
    end.names.includes(place.folder),
  )) {
    const place = directory === '' ? folder : `${folder}/${directory}`
    const held = `${formatCount(files)} × held by the upload limit (${formatBytes(bytes)})`
    lines.push(detail(`${held}: sluice accept ${shellWord(place)} uploads them`))
  }
  return lines
}

function underwayLines({ view, now_ms }: PassEnd, folders: readonly FolderView[]): string[] {
  const lines: string[] = []
  const settling = amountOf(folders, ['settling']).files
  if (settling > 0)
    lines.push(detail(`${formatCount(settling)} × found, not settled or not hashed yet`))
  const reading = amountOf(folders, ['ingesting']).files
  if (reading > 0)
    lines.push(detail(`${formatCount(reading)} × uploaded, and still read by the service`))
  for (const { about, message } of view.troubles())
    lines.push(detail(`${troubleSubject(about)}: ${message}`))
  for (const { message, contents, next_try_ms, examples } of view.retrying()) {
    const is_tried = next_try_ms > now_ms && !message.startsWith(nothing_goes)
    const next = is_tried ? `, next try in ${formatSpan(now_ms, next_try_ms)}` : ''
    lines.push(reasonLine(contents, `${message}${next}`, examples))
  }
  if (lines.length === 0)
    lines.push(detail('on their way, or held back for a while: sluice explain PATH says which'))
  return lines
}

function skippedLines({ pass }: PassEnd): string[] {
  return pass.skipped().map(({ reason, rule, files, example }) => {
    return detail(`${formatCount(files)} × ${reason}: ${rule} (${example}${files > 1 ? ' …' : ''})`)
  })
}

function reasonLine(files: number, message: string, examples: readonly Example[]): string {
  const names = examples.map(({ folder, path }) => `${folder}/${path}`)
  return detail(
    `${formatCount(files)} × ${message} (${names.join(', ')}${files > names.length ? ' …' : ''})`,
  )
}

/** Indents a line and makes control characters visible: names and messages may hold any. */
function detail(text: string): string {
  return `${' '.repeat(title_columns + 1)}${printable(text)}`
}
