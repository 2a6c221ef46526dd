import {
  counted,
  formatAmount,
  formatBytes,
  formatCount,
  printableJson,
  shellWord,
} from '../../base/text/format.ts'
import { clockText } from '../../base/time/time.ts'
import { isUnusable, lacksProgram } from '../../domain/asset.ts'
import { waitsForUser } from '../../domain/disappearance.ts'
import { excludeLine } from '../../domain/file.ts'
import { extensionOf, nothing_goes, refusedTypeIn } from '../../domain/file-type.ts'
import { troubleSubject } from '../../domain/trouble.ts'
import type { Stage } from '../../ledger/views/view-files.ts'
import { amountOf, sumOfAttention, underway } from '../folders.ts'
import type { BandwidthStatus, StatusView } from '../view.ts'
import { type Line, LineWriter, spanText } from './lines.ts'
import { auditLines, removalLines, renameLines } from './text-assets.ts'
import { folderLines } from './text-folder.ts'
import { healthLines, sayPause } from './text-health.ts'
import { promptLines } from './text-prompts.ts'

/**
 * Status for users. Problems and what to do come first, then the folders. Only commands may be
 * wider than `width` columns.
 */
export function statusLines(status: StatusView, width: number): Line[] {
  const writer = new LineWriter(width)
  if (status.pause) sayPause(writer, status.pause, Date.parse(status.at))
  sayVerdict(writer, status)
  const head = writer.lines.length
  for (const trouble of otherTroubles(status)) {
    writer.gap()
    const text = `${troubleSubject(trouble.about)}: ${trouble.message}`
    writer.say(`${text} (for ${spanText(trouble.since, status.at)})`, { tone: 'bad' })
    if (trouble.hint !== null) writer.detail(trouble.hint)
  }
  sayOverLimit(writer, status)
  sayProblems(writer, status)
  for (const folder of status.folders) folderLines(writer, folder, Date.parse(status.at))
  removalLines(writer, status.removals)
  renameLines(writer, status.rename_refusals)
  auditLines(writer, status.audits, Date.parse(status.at))
  sayLimits(writer, status)
  promptLines(writer, status.prompts, Date.parse(status.at))
  if (status.health) {
    const health = new LineWriter(width)
    const is_fine = !writer.lines.slice(head).some(isWarning)
    healthLines(health, status.health, Date.parse(status.at), is_fine)
    writer.lines.splice(head, 0, ...health.lines)
  }
  return writer.lines
}

function isWarning({ tone }: Line): boolean {
  return tone === 'bad' || tone === 'warn'
}

/** Troubles that the health does not name already. */
export function otherTroubles({ troubles, health }: StatusView): StatusView['troubles'] {
  const said = health?.problems.map(({ message }) => message) ?? []
  return troubles.filter((trouble) => !said.some((message) => message.endsWith(trouble.message)))
}

function sayVerdict(writer: LineWriter, status: StatusView): void {
  const ready = amountOf(status.folders, ['ready'])
  if (status.stale_since !== null) sayStale(writer, status, status.stale_since)
  else if (status.verdict === 'all_ready')
    writer.say(`all ready: ${formatAmount(ready)}${inPartText(status)}`, { tone: 'good' })
  else if (status.verdict === 'refused')
    writer.say('the service refuses Sluice: nothing is uploaded', { tone: 'bad' })
  else if (status.rebuild === 'running') {
    const who = status.daemon.state === 'running' ? ` (process ${status.daemon.pid})` : ''
    const text = `a rebuild is running${who}, and there is no ledger until it ends: the terminal that started it shows the progress`
    writer.say(text, { tone: 'warn' })
    return
  } else if (status.rebuild === 'unfinished') {
    const text =
      'a rebuild has not ended, and there is no ledger until it does: run `sluice rebuild` again to continue it'
    writer.say(text, { tone: 'warn' })
    // No hint to start the daemon: that would make an empty ledger and discard what the rebuild
    // has found.
    if (status.daemon.state === 'stopped') return
  } else if (status.folders.every(({ state }) => state === 'new')) {
    writer.say('no folder was scanned yet', { tone: 'warn' })
  } else {
    writer.say(countsText(status), { tone: 'warn' })
  }
  sayDaemon(writer, status, amountOf(status.folders, underway).files > 0)
}

/** Says that the values are old. The lines about health then give the reason and what to do. */
function sayStale(writer: LineWriter, status: StatusView, since: string): void {
  const when = `for ${spanText(since, status.at)}, since ${clockText(Date.parse(since))}`
  writer.say(`Sluice cannot say whether all files are ready: nothing was recorded ${when}`, {
    tone: 'bad',
  })
  writer.detail(`known then: ${countsText(status)}`, 'warn')
}

/**
 * For example `1,132 files ready; 3 on the way;
 * 865 need attention: 860 refused, 5 blocked; shared is offline`.
 */
export function countsText(status: StatusView): string {
  const files = (...stages: Stage[]) => amountOf(status.folders, stages).files
  const attention: [count: number, what: string][] = [
    [files('refused'), 'refused'],
    [files('blocked'), 'blocked'],
    [files('removed_on_service'), 'removed on the service'],
  ]
  const folders: string[] = []
  for (const { name, state, last_scan } of status.folders) {
    if (state === 'offline') folders.push(`${name} is offline`)
    else if (state === 'new') folders.push(`${name} was not scanned yet`)
    else if (last_scan === null) folders.push(`the first scan of ${name} has not ended`)
    else {
      attention.push([last_scan.unreadable_total, `in ${name} cannot be read`])
      attention.push([last_scan.odd_names_total, `in ${name} with a name that is not UTF-8`])
    }
  }
  const sum = sumOfAttention(status.folders)
  const reasons = attention.flatMap(([count, what]) =>
    count > 0 ? [`${formatCount(count)} ${what}`] : [],
  )
  const underway_files = files(...underway)
  return [
    `${counted(files('ready'), 'file')} ready${inPartText(status)}`,
    ...(underway_files > 0 ? [`${formatCount(underway_files)} on the way`] : []),
    ...(sum > 0
      ? [`${formatCount(sum)} ${sum === 1 ? 'needs' : 'need'} attention: ${reasons.join(', ')}`]
      : []),
    ...folders,
  ].join('; ')
}

/** The one figure about files of which the service could not read all. */
export function inPartText({ folders }: Pick<StatusView, 'folders'>): string {
  const files = folders.reduce((sum, { ready_in_part }) => sum + ready_in_part, 0)
  return files === 0 ? '' : `, ${formatCount(files)} of them in part`
}

function sayDaemon(writer: LineWriter, { daemon }: StatusView, has_work: boolean): void {
  if (daemon.state === 'running') {
    const what = daemon.mode === 'once' ? 'one pass (sync)' : 'daemon'
    writer.say(`${what} running, pid ${daemon.pid}, version ${daemon.version}`, { tone: 'faint' })
  } else if (daemon.state === 'unknown')
    writer.say(`the daemon does not answer: ${daemon.why}`, { tone: 'warn' })
  else {
    const tone = has_work ? 'warn' : 'faint'
    writer.say('no daemon is running: start it with `sluice run`, or `sluice sync` for one pass', {
      tone,
    })
  }
}

function sayOverLimit(writer: LineWriter, { over_limit, upload_limit, folders }: StatusView): void {
  if (over_limit.files === 0) return
  const waiting = new Set(
    folders.filter(({ reason }) => waitsForUser(reason ?? undefined)).map(({ name }) => name),
  )
  writer.gap()
  const limit = upload_limit
    ? `; it allows ${formatCount(upload_limit.files)} files or ${formatBytes(upload_limit.bytes)} in ${upload_limit.per_hours} h`
    : ''
  writer.say(`held by the upload limit (uploads.limit): ${formatAmount(over_limit)}${limit}`, {
    tone: 'warn',
  })
  for (const { folder, root, directory, files, bytes } of over_limit.places) {
    const place = directory === '' ? folder : `${folder}/${directory}`
    writer.detail(
      `${formatAmount({ files, bytes })} arrived in ${place}; if they are meant to be uploaded:`,
    )
    writer.command(
      `sluice accept ${shellWord(directory === '' ? root : `${root}/${directory}`)}`,
      4,
    )
    if (directory === '' && waiting.has(folder)) {
      writer.say(
        'while files are missing there, this only confirms that they were deleted; run it again to upload',
        {
          indent: 4,
        },
      )
    }
  }
  const shown = over_limit.places.reduce((sum, { files }) => sum + files, 0)
  if (shown < over_limit.files)
    writer.detail(`and ${formatCount(over_limit.files - shown)} more in other places`)
}

const todo = {
  refused: 'change the file, or remove the reason and run `sluice retry PATH`',
  removed_on_service: 'Sluice does not upload it again by itself; `sluice retry PATH` uploads it',
  blocked:
    'Sluice tries again by itself; `sluice retry PATH` tries now, `sluice explain PATH` says more',
  rests:
    'while it runs, Sluice asks for one of them a day, and uploads all once the service takes it; `sluice retry PATH` asks now',
} as const

const blocked_without_daemon =
  'Sluice tries again once a daemon or `sluice sync` runs; `sluice explain PATH` says more'

const words = {
  refused: 'refused',
  removed_on_service: 'removed on the service',
  blocked: 'blocked',
} as const

function sayProblems(writer: LineWriter, status: StatusView): void {
  for (const { stage, code, message, examples, unread_types, ...amount } of status.problems) {
    writer.gap()
    const type = refusedTypeIn(code)
    writer.say(`${words[stage]}: ${formatAmount(amount)}: ${message}`, {
      tone: stage === 'refused' ? 'bad' : 'warn',
    })
    for (const { folder, path } of examples) writer.detail(`${folder}/${path}`)
    if (amount.files > examples.length) {
      writer.detail(
        `and ${formatCount(amount.files - examples.length)} more: \`sluice ls --state ${stage}\``,
      )
    }
    const waits = stage === 'blocked' && status.daemon.state === 'stopped'
    if (lacksProgram(message)) sayRetry(writer, examples)
    else if (type === undefined)
      writer.detail(waits ? blocked_without_daemon : todo[stage], 'faint')
    else if (code.startsWith('type_rests:')) writer.detail(todo.rests, 'faint')
    else sayType(writer, type, examples)
    if (isUnusable(code)) sayExclude(writer, { examples, unread_types })
  }
  for (const { message, contents, next_try, examples } of status.retrying) {
    writer.gap()
    const due = next_try > status.at ? `in ${spanText(status.at, next_try)}` : 'now'
    const when = status.daemon.state === 'stopped' ? 'once a daemon runs' : due
    const count = formatCount(contents)
    const lead = message.startsWith(nothing_goes)
      ? `waiting: ${count}`
      : `tried by itself: ${count}, the next ${when}`
    writer.say(`${lead}: ${message}`, { tone: 'warn' })
    for (const { folder, path } of examples) writer.detail(`${folder}/${path}`)
    writer.detail('`sluice explain PATH` says more; `sluice retry PATH` tries now', 'faint')
  }
  if (status.slow > 0) {
    writer.gap()
    writer.say(
      `slow: the service has been reading ${counted(status.slow, 'file')} for longer than usual; Sluice keeps asking`,
      { tone: 'warn' },
    )
  }
}

/** For files that the service reads once it has a program. */
function sayRetry(writer: LineWriter, examples: readonly { folder: string; path: string }[]): void {
  writer.detail('once it is installed there and the service has started again, try these again:')
  const patterns = new Set(
    examples.map(({ folder, path }) => {
      const extension = extensionOf(path)
      return shellWord(extension === '' ? `${folder}/${path}` : anyCaseOf(path))
    }),
  )
  writer.command(`sluice retry ${[...patterns].join(' ')}`, 4)
}

/** Shows ignore rules to copy, for files that the service cannot read. */
function sayExclude(writer: LineWriter, group: UnreadFiles): void {
  writer.detail('or leave them out, each by a line in the .sluiceignore of its folder:', 'faint')
  for (const { path } of group.examples) writer.command(excludeLine(path), 4)
  const exclude = excludeOfTypes(group)
  if (exclude === undefined) return
  const all = 'or, as the service could read none, all of a type by this setting of their folder:'
  writer.detail(all, 'faint')
  writer.command(exclude, 4)
}

/** `type`: the extension, or an empty text. */
function sayType(writer: LineWriter, type: string, examples: readonly { path: string }[]): void {
  writer.detail(
    'while it runs, Sluice tries one of them a day, and uploads all once one is ready; to upload all, from now on:',
  )
  writer.command(`sluice accept ${shellWord(`*.${type}`)}`, 4)
  const exclude = excludeSetting(examples.map(({ path }) => path))
  if (exclude === undefined) {
    writer.detail(
      'or leave them out by lines in a .sluiceignore: no pattern is about files without an extension alone',
    )
    return
  }
  writer.detail('or leave them out by this setting of their folder:')
  writer.command(exclude, 4)
}

function sayLimits(writer: LineWriter, { at, daily_limit, bandwidth }: StatusView): void {
  if (daily_limit || bandwidth) writer.gap()
  if (bandwidth) writer.say(bandwidthText(bandwidth, Date.parse(at)), { tone: 'faint' })
  if (!daily_limit) return
  const { used_bytes, max_bytes } = daily_limit
  const is_used_up = used_bytes >= max_bytes
  const rest = is_used_up
    ? '; the rest waits until the sum of the last 24 h is below the limit'
    : ''
  writer.say(
    `daily limit: ${formatBytes(used_bytes)} of ${formatBytes(max_bytes)} sent in the last 24 h${rest}`,
    {
      tone: is_used_up ? 'warn' : 'faint',
    },
  )
}

/** For example `bandwidth: 2.0 MB a second for uploads, for another 3 h`. */
function bandwidthText({ bytes_per_s, until }: BandwidthStatus, now_ms: number): string {
  const limit =
    bytes_per_s === null
      ? 'no limit for uploads now'
      : `${formatBytes(bytes_per_s)} a second for uploads`
  const left = until === null ? '' : `, for another ${spanText(now_ms, until)}`
  return `bandwidth: ${limit}${left}`
}

type UnreadFiles = Pick<StatusView['problems'][number], 'unread_types'> & {
  examples: readonly { path: string }[]
}

/** The setting for a group of problems. Undefined if its files may be at fault, not their types. */
export function excludeOfTypes({ examples, unread_types }: UnreadFiles): string | undefined {
  const paths = examples.map(({ path }) => path)
  return excludeSetting(paths.filter((path) => unread_types.includes(extensionOf(path))))
}

/**
 * The setting that leaves out the types of these files, in small and capital letters. Undefined if
 * they have no extension: no pattern is about these alone.
 */
export function excludeSetting(paths: readonly string[]): string | undefined {
  const named = paths.filter((path) => extensionOf(path) !== '')
  const patterns = named.map(anyCaseOf)
  const texts = [...new Set(patterns)].map((pattern) => printableJson(JSON.stringify(pattern)))
  return texts.length === 0 ? undefined : `exclude: [${texts.join(', ')}]`
}

/** A pattern for the ending of a path, in small and capital letters. */
function anyCaseOf(path: string): string {
  return `*${Array.from(path.slice(path.lastIndexOf('.')), anyCase).join('')}`
}

/** A pattern of gitignore(5) for one character. */
function anyCase(letter: string): string {
  const forms = new Set([letter.toLowerCase(), letter.toUpperCase(), letter])
  return forms.size === 1 ? letter.replace(/[\\*?[\] ]/, '\\$&') : `[${[...forms].join('')}]`
}
