import { fitText, formatCount, printable } from '../../base/text/format.ts'
import { localDate, zonedText } from '../../base/time/time.ts'
import { amountRead, readingText } from '../../domain/reading.ts'
import type { SourceRead } from '../../domain/source-read.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import { type Language, type Words, wordsIn } from '../words.ts'
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
  taken: readonly Pick<FreshAsset, 'content' | 'files' | 'name' | 'reading' | 'times_unread'>[]
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
    /** Files of `taken` that an earlier report names, and that were not read then. */
    again: filesOf(run.taken.filter(({ times_unread }) => times_unread > 0)),
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
  /** Files of which an earlier version was there before; the run asks about the new one. */
  changed: NamedFiles
  /** Files that changed to what is not new to the prompt, so that no run asks about it. */
  changed_to_known: NamedFiles
  gone: NamedFiles
  /** `why`: where the file was, as FOLDER/PATH. */
  moved: NamedFiles
}

export function noChanges(): FolderChanges {
  const none = () => ({ total: 0, files: [] })
  return { changed: none(), changed_to_known: none(), gone: none(), moved: none() }
}

function folderChanges(changes: readonly NetChange[], taken: readonly Taken[]): FolderChanges {
  const taken_as = new Map<number | undefined, Taken>(taken.map((asset) => [asset.content, asset]))
  const lists = noChanges()
  for (const change of changes) {
    const { name, from } = change
    const kind = kindOf(change, taken_as.get(change.content))
    if (kind === undefined) continue
    const list = lists[kind]
    list.total++
    if (list.files.length === max_named) continue
    list.files.push({ name, ...(from === undefined ? {} : { why: from }) })
  }
  return lists
}

type Taken = Pick<FreshAsset, 'content' | 'times_unread'>

/** Changed files that a report does not name as such: their new version is still to come. */
export function unnamedChanges(
  changes: readonly NetChange[],
  taken: readonly Taken[],
): readonly NetChange[] {
  const taken_now = new Set<number | undefined>(taken.map(({ content }) => content))
  return changes.filter(
    ({ kind, is_known, content }) => kind === 'changed' && !is_known && !taken_now.has(content),
  )
}

/** Undefined: the next report may name it. */
function kindOf(
  { kind, from, is_known }: NetChange,
  asset: Taken | undefined,
): keyof FolderChanges | undefined {
  if (kind !== 'changed') return kind
  if (asset?.times_unread === 0) return 'changed'
  if (is_known || asset) return 'changed_to_known'
  return from === undefined ? undefined : 'moved'
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
  language: Language = 'en',
): string {
  const words = wordsIn(language)
  const clauses = [
    files.length > 0
      ? askedClauses(coverage, files, words)
      : [...readyClauses(coverage, words), ...listed(words, words.read.part, coverage.in_part)],
    unreadyClauses(coverage, words),
    folderClauses(coverage, zone, words),
  ]
  return clauses.flat().join('; ')
}

/**
 * Why a run asks nothing, in English as the ledger keeps it. Files that wait or are blocked stand
 * apart: they may be old ones.
 */
export function nothingNewText(
  coverage: Coverage,
  zone: string,
  since_ms: number | undefined,
): string {
  const words = wordsIn('en')
  const since = since_ms === undefined ? '' : ` since ${zonedText(since_ms, zone)}`
  const unready = unreadyClauses(coverage, words).join(', ')
  const not_ready = unready === '' ? [] : [`not ready: ${unready}`]
  const folders = folderClauses(coverage, zone, words)
  return [`${words.nothing_new}${since}`, ...not_ready, ...folders].join('; ')
}

/** Counts each content once. `, 1 in part (a.pdf)` names the files, but not those read whole. */
function askedClauses(coverage: Coverage, files: readonly AskedFile[], words: Words): string[] {
  const { ready, taken, copies, left_for_next, in_part } = coverage
  const told = words.coverage
  const of_all = left_for_next === 0 ? told.files(taken) : partOf(taken, told.files(ready), words)
  const asked = told.asked(of_all) + copiesText(copies, words)
  const named = files.filter(({ is_named }) => is_named).length
  const rest = restClauses(coverage, words)
  if (files.every(({ fate }) => fate !== 'covered')) {
    const left = listed(words, told.again, filesOfFate(files, 'left'))
    const given_up = listed(words, told.given_up.empty, filesOfFate(files, 'given_up'))
    return [`${asked}, ${told.unanswered}`, ...left, ...given_up, ...rest]
  }
  const names = named === 0 ? [told.names_none(files.length)] : some(named, told.named, words)
  if (files.every(({ read }) => read === undefined))
    return [asked, told.silent, ...names, ...rest, ...listed(words, told.readable, in_part)]
  return [`${asked}: ${readText(coverage, files, words)}`, ...names, ...rest]
}

/** A file of which the service could read only a part was not read whole, whatever it says. */
function readText(coverage: Coverage, files: readonly AskedFile[], words: Words): string {
  const { read: amounts, coverage: told } = words
  const partial = new Set(coverage.in_part.files.map(({ name }) => name))
  const amountOf = ({ name, read }: AskedFile) =>
    read === 'whole' && partial.has(name) ? 'part' : read
  const parts = files.filter((file) => amountOf(file) === 'part')
  const whole = files.filter((file) => amountOf(file) === 'whole').length
  const not_told = files.filter(({ read }) => read === undefined).length
  const clauses = [
    ...some(whole, amounts.whole, words),
    ...listed(
      words,
      whole === 0 ? amounts.part : told.in_part,
      namedFiles(parts),
      forGood(coverage, words),
    ),
    ...listed(words, amounts.not, filesOfFate(files, 'left'), told.again),
    ...listed(words, amounts.not, filesOfFate(files, 'given_up'), told.given_up.asked),
    ...some(not_told, told.not_told, words),
  ]
  return clauses.join(', ')
}

/** A prompt that asks about a time span may ask about any file again. */
function forGood({ left_are }: Pick<Coverage, 'left_are'>, { coverage }: Words): string {
  return left_are === 'next time' ? coverage.given_up.for_good : ''
}

function filesOfFate(files: readonly AskedFile[], fate: Fate) {
  return namedFiles(files.filter((file) => file.fate === fate))
}

function namedFiles(files: readonly AskedFile[]) {
  return { total: files.length, files }
}

/** Why files count as covered of which the report says nothing. */
export function givenUpNotes(
  coverage: Pick<Coverage, 'left_are'>,
  files: readonly AskedFile[],
  empty: string | undefined,
  language: Language = 'en',
): string[] {
  const words = wordsIn(language)
  const { given_up } = words.coverage
  const what = empty === undefined ? given_up.read : given_up.empty
  return listed(words, what, filesOfFate(files, 'given_up'), forGood(coverage, words))
}

function unreadyClauses(coverage: Coverage, words: Words): string[] {
  return stages.flatMap((stage) => listed(words, words.coverage.stages[stage], coverage[stage]))
}

/** About the folders that are offline or were not scanned in time. */
function folderClauses(
  { folders, due_ms }: Coverage,
  zone: string,
  { coverage: told }: Words,
): string[] {
  return folders.flatMap(({ name, scanned_ms, scanned_in_time, offline_reason }) => {
    if (scanned_in_time && offline_reason === undefined) return []
    const scan =
      scanned_ms === undefined
        ? told.no_scan
        : `${told.last_scan} ${scanTime(scanned_ms, due_ms, zone)}`
    const why = offline_reason === undefined ? told.late : told.offline
    return [`${printable(name)}: ${scan} (${why})`]
  })
}

function readyClauses(coverage: Coverage, words: Words): string[] {
  const { ready, taken, copies, left_for_next, folders } = coverage
  const { coverage: told, locale } = words
  if (folders.length === 0) return [told.no_folders]
  const expected = expectedFiles(coverage)
  if (expected === 0) return [words.nothing_new]
  const whole = `${partOf(ready, told.files(expected), words)} ${told.ready}`
  if (left_for_next === 0) return [whole + copiesText(copies, words)]
  const of_ready = partOf(taken, formatCount(ready, locale), words)
  const parts = [
    `${told.this_report}: ${of_ready}${copiesText(copies, words)}`,
    ...restClauses(coverage, words),
  ]
  return ready === expected ? parts : [whole, ...parts]
}

function partOf(part: number, all: string, { locale, coverage: { of } }: Words): string {
  return `${formatCount(part, locale)} ${of} ${all}`
}

function restClauses({ left_for_next, left_are }: Coverage, words: Words): string[] {
  return some(left_for_next, words.coverage.left_are[left_are], words)
}

/** For example `2 read whole`; nothing without files. */
function some(count: number, what: string, { locale }: Words): string[] {
  return count === 0 ? [] : [`${formatCount(count, locale)} ${what}`]
}

/** Why a list of contents is shorter than a number of files; it follows the number. */
export function copiesText(copies: number, words = wordsIn('en')): string {
  return copies === 0 ? '' : ` (${words.coverage.copies(copies)})`
}

/** The names must fit on one line; the manifest has more of them. */
const max_shown = 5
const name_columns = 80

/** For example `1 not read (b.pdf; asked about again next time)`; nothing without files. */
function listed(
  words: Words,
  what: string,
  { total, files }: { total: number; files: readonly { name: string }[] },
  note = '',
): string[] {
  const shown = files.slice(0, max_shown).map(({ name }) => fitText(printable(name), name_columns))
  const names = [shown.join(', '), ...some(total - shown.length, words.coverage.more, words)]
  const about = names.join(` ${words.coverage.and} `)
  return some(total, `${what} (${about}${note && `; ${note}`})`, words)
}

/** Time of day and zone; with the date if it is not the day of the run. */
function scanTime(at_ms: number, due_ms: number, zone: string): string {
  const time = zonedText(at_ms, zone)
  const is_same_day = time.startsWith(localDate(due_ms, zone))
  return is_same_day ? time.slice(11) : time
}
