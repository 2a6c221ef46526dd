import { counted, fitText, formatCount, printable } from '../../base/text/format.ts'
import { localDate, zonedText } from '../../base/time/time.ts'
import { amountRead, readingText } from '../../domain/reading.ts'
import type { SourceRead } from '../../domain/source-read.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { Fate } from './covered.ts'
import { type FreshAsset, filesOf } from './fresh.ts'
import type { NetChange } from './net-changes.ts'
import { max_named, type NamedFiles, type Unready } from './unready.ts'

export type FolderScan = Pick<
  FolderState,
  'name' | 'online' | 'offline_reason' | 'scan_ended_ms'
> & {
  /** Begin of the scan that ended at `scan_ended_ms`. */
  scan_began_ms: number | undefined
}

const stages = ['refused', 'moving', 'on_the_way', 'blocked', 'removed'] as const

/** Completeness of a run, as plain data kept with the run and in the manifest. */
export type Coverage = ReturnType<typeof composeCoverage>

/**
 * `fresh` and `more` (a number of files) are all ready files, `taken` those asked about. `ready` =
 * `taken` + `left_for_next`. All figures count files, so a content with several paths counts
 * several times, as in the status. Each list has an exact total and at most `max_named` names.
 */
export function composeCoverage(run: {
  fresh: readonly Pick<FreshAsset, 'files'>[]
  more?: number
  taken: readonly Pick<FreshAsset, 'content' | 'files' | 'name' | 'reading'>[]
  unready: Unready
  folders: readonly FolderScan[]
  due_ms: number
  left_are?: 'next time' | 'left out'
  changes?: readonly NetChange[]
}) {
  const { fresh, more = 0, due_ms, left_are = 'next time' } = run
  const ready = filesOf(fresh) + more
  const taken = filesOf(run.taken)
  return {
    due_ms,
    ready,
    taken,
    /** Files of `taken` with the bytes of another one; the sources name each content once. */
    copies: taken - run.taken.length,
    left_for_next: ready - taken,
    /** With `next time`, the next run covers the rest. With `left out`, perhaps no run does. */
    left_are,
    /**
     * `refused`: refusals reported for the first time; those in an earlier report are omitted.
     * `removed`: on the service after they were ready, so they are not still to come.
     */
    ...run.unready.lists,
    /** What else happened in the folders since the last report. */
    ...folderChanges(run.changes ?? [], run.taken),
    /** Files of `taken` of which the service could not read all, each content once by name. */
    in_part: inPart(run.taken),
    folders: run.folders.map((folder) => folderCoverage(folder, due_ms)),
  }
}

/** What happened in the folders of a run since the last written report, by name. */
export interface FolderChanges {
  /** Files of which an earlier version was there before. */
  changed: NamedFiles
  gone: NamedFiles
  /** `why`: where the file was, as FOLDER/PATH. */
  moved: NamedFiles
}

export function noChanges(): FolderChanges {
  const none = () => ({ total: 0, files: [] })
  return { changed: none(), gone: none(), moved: none() }
}

/** A file whose new version is still to come is not among the changed ones. */
function folderChanges(
  changes: readonly NetChange[],
  taken: readonly Pick<FreshAsset, 'content'>[],
): FolderChanges {
  const covered = new Set<number | undefined>(taken.map(({ content }) => content))
  const lists = noChanges()
  for (const { kind, name, from, content } of changes) {
    const is_news = kind !== 'changed' || covered.has(content)
    if (!is_news && from === undefined) continue
    const list = lists[is_news ? kind : 'moved']
    list.total++
    if (list.files.length === max_named) continue
    list.files.push({ name, ...(from === undefined ? {} : { why: from }) })
  }
  return lists
}

function inPart(taken: readonly Pick<FreshAsset, 'files' | 'name' | 'reading'>[]): NamedFiles {
  const some = taken.filter(({ reading }) => amountRead(reading) === 'in_part')
  const files = some.slice(0, max_named).map(({ name, reading }) => {
    return { name, why: readingText(reading)! }
  })
  return { total: filesOf(some), files }
}

function folderCoverage(folder: FolderScan, due_ms: number) {
  const { name, online, offline_reason, scan_began_ms, scan_ended_ms } = folder
  return {
    name,
    /** End of the last complete scan; undefined: there was none. */
    scanned_ms: scan_ended_ms,
    /** True if a scan that began at or after the due time has ended. */
    scanned_in_time:
      scan_ended_ms !== undefined && scan_began_ms !== undefined && scan_began_ms >= due_ms,
    offline_reason: online ? undefined : (offline_reason ?? 'offline'),
  }
}

/** Number of files that came for this run, ready or not. */
export function expectedFiles({ ready, refused, moving, on_the_way, blocked }: Coverage): number {
  return ready + refused.total + moving.total + on_the_way.total + blocked.total
}

const shown_as: Record<(typeof stages)[number], string> = {
  refused: 'refused',
  moving: 'still changing',
  on_the_way: 'still on the way',
  blocked: 'blocked',
  removed: 'removed on the service',
}

/** A file that a run asked about, as in report/told.ts. */
export interface AskedFile {
  name: string
  read: SourceRead['read'] | undefined
  is_named: boolean
  fate: Fate
}

/**
 * For example `41 of 43 files ready; 2 refused (a.pdf, b.pdf)`, then late or offline folders. Once
 * the answers are there, `files` begins it with what became of each file that was asked about.
 */
export function coverageLine(
  coverage: Coverage,
  zone: string,
  files: readonly AskedFile[] = [],
): string {
  const clauses = [
    files.length > 0
      ? askedClauses(coverage, files)
      : [...readyClauses(coverage), ...inPartClauses(coverage, 'read in part')],
    unreadyClauses(coverage),
    folderClauses(coverage, zone),
  ]
  return clauses.flat().join('; ')
}

/** Why a run asks nothing. Files that wait or are blocked stand apart: they may be old ones. */
export function nothingNewText(
  coverage: Coverage,
  zone: string,
  since_ms: number | undefined,
): string {
  const since = since_ms === undefined ? '' : ` since ${zonedText(since_ms, zone)}`
  const unready = unreadyClauses(coverage).join(', ')
  const not_ready = unready === '' ? [] : [`not ready: ${unready}`]
  return [`nothing new${since}`, ...not_ready, ...folderClauses(coverage, zone)].join('; ')
}

function inPartClauses({ in_part: { total, files } }: Coverage, what: string): string[] {
  return total === 0 ? [] : [`${formatCount(total)} ${what} (${namesOf(files, total)})`]
}

/** Counts each content once. `, 1 in part (a.pdf)` names the files, but not those read whole. */
function askedClauses(coverage: Coverage, files: readonly AskedFile[]): string[] {
  const { ready, taken, copies, left_for_next, left_are } = coverage
  const of_all = left_for_next === 0 ? '' : ` of ${formatCount(ready)}`
  const asked = `asked about ${formatCount(taken)}${of_all} ${taken === 1 && of_all === '' ? 'file' : 'files'}${copiesText(copies)}`
  const named = files.filter(({ is_named }) => is_named).length
  const rest = left_for_next === 0 ? [] : [`${formatCount(left_for_next)} ${left_are}`]
  if (files.every(({ fate }) => fate !== 'covered')) {
    const left = filesText(files, ({ fate }) => fate === 'left', 'asked about again next time')
    const given_up = filesText(files, ({ fate }) => fate === 'given_up', given_up_text.empty)
    return [`${asked}, without an answer about them`, ...left, ...given_up, ...rest]
  }
  const names = `names none of its ${counted(files.length, 'file')}`
  const told = [named === 0 ? names : `${formatCount(named)} named`, ...rest]
  if (files.every(({ read }) => read === undefined)) {
    const silent = 'the service does not say which it read'
    return [asked, silent, ...told, ...inPartClauses(coverage, 'readable only in part')]
  }
  return [`${asked}: ${readText(coverage, files)}`, ...told]
}

/** A file of which the service could read only a part was not read whole, whatever it says. */
function readText({ in_part }: Coverage, files: readonly AskedFile[]): string {
  const partial = new Set(in_part.files.map(({ name }) => name))
  const is_part = ({ name, read }: AskedFile) =>
    read === 'part' || (read === 'whole' && partial.has(name))
  const whole = files.filter((file) => file.read === 'whole' && !is_part(file)).length
  const not_told = files.filter(({ read }) => read === undefined).length
  const clauses = [
    ...(whole === 0 ? [] : [`${formatCount(whole)} read whole`]),
    ...filesText(files, is_part, whole === 0 ? 'read in part' : 'in part'),
    ...filesText(files, ({ fate }) => fate === 'left', 'not read', '; asked about again next time'),
    ...filesText(files, ({ fate }) => fate === 'given_up', 'not read', '; asked three times'),
    ...(not_told === 0 ? [] : [`${formatCount(not_told)} of which it does not say it`]),
  ]
  return clauses.join(', ')
}

/** For example `1 not read (b.pdf; asked about again next time)`; nothing without such files. */
function filesText(
  files: readonly AskedFile[],
  choose: (file: AskedFile) => boolean,
  what: string,
  note = '',
): string[] {
  const chosen = files.filter(choose)
  const { length } = chosen
  return length === 0 ? [] : [`${formatCount(length)} ${what} (${namesOf(chosen, length)}${note})`]
}

const given_up_text = {
  read: 'asked three times, not read',
  empty: 'asked three times, no answer',
}

/** Why files count as covered of which the report says nothing. */
export function givenUpNotes(files: readonly AskedFile[], empty: string | undefined): string[] {
  const what = given_up_text[empty === undefined ? 'read' : 'empty']
  return filesText(files, ({ fate }) => fate === 'given_up', what, '; not asked about again')
}

function unreadyClauses(coverage: Coverage): string[] {
  return stages.flatMap((stage) => {
    const { total, files } = coverage[stage]
    return total === 0
      ? []
      : [`${formatCount(total)} ${shown_as[stage]} (${namesOf(files, total)})`]
  })
}

/** About the folders that are offline or were not scanned in time. */
function folderClauses({ folders, due_ms }: Coverage, zone: string): string[] {
  return folders.flatMap(({ name, scanned_ms, scanned_in_time, offline_reason }) => {
    if (scanned_in_time && offline_reason === undefined) return []
    const scan =
      scanned_ms === undefined
        ? 'no complete scan'
        : `last complete scan ${scanTime(scanned_ms, due_ms, zone)}`
    const why = offline_reason === undefined ? 'the next did not end in time' : 'offline'
    return [`${printable(name)}: ${scan} (${why})`]
  })
}

function readyClauses(coverage: Coverage): string[] {
  const { ready, taken, copies, left_for_next, left_are, folders } = coverage
  if (folders.length === 0) return ['no folders in scope']
  const expected = expectedFiles(coverage)
  if (expected === 0) return ['nothing new']
  const whole = `${formatCount(ready)} of ${counted(expected, 'file')} ready`
  if (left_for_next === 0) return [whole + copiesText(copies)]
  const parts = [
    `this report: ${formatCount(taken)} of ${formatCount(ready)}${copiesText(copies)}`,
    `${formatCount(left_for_next)} ${left_are}`,
  ]
  return ready === expected ? parts : [whole, ...parts]
}

/** Stands below a list that has each content once. */
export function sameBytesText(copies: number): string {
  const have = counted(copies, 'more file has', 'more files have')
  return `${have} the same bytes as one of these`
}

/** Why a list of contents is shorter than a number of files; it follows the number. */
export function copiesText(copies: number): string {
  if (copies === 0) return ''
  return copies === 1
    ? ' (1 is a copy of another)'
    : ` (${formatCount(copies)} are copies of others)`
}

/** The names must fit on one line; the manifest has more of them. */
const max_shown = 5
const name_columns = 80

function namesOf(files: NamedFiles['files'], total: number): string {
  const shown = files.slice(0, max_shown).map(({ name }) => fitText(printable(name), name_columns))
  return total > shown.length
    ? `${shown.join(', ')} and ${formatCount(total - shown.length)} more`
    : shown.join(', ')
}

/** Time of day and zone; with the date if it is not the day of the run. */
function scanTime(at_ms: number, due_ms: number, zone: string): string {
  const time = zonedText(at_ms, zone)
  const is_same_day = time.startsWith(localDate(due_ms, zone))
  return is_same_day ? time.slice(11) : time
}
