import { counted, fitText, formatCount, printable } from '../../base/text/format.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { NamedFiles, Unready } from './unready.ts'

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
 * `fresh` and `more` (a number) are all ready assets, `taken` those covered now. `ready` = `taken`
 * + `left_for_next`; a content with several paths counts once. Each list has an exact total and at
 * most `max_named` names.
 */
export function composeCoverage(run: {
  fresh: readonly unknown[]
  more?: number
  taken: readonly unknown[]
  unready: Unready
  folders: readonly FolderScan[]
  due_ms: number
  left_are?: 'next time' | 'left out'
}) {
  const { fresh, more = 0, taken, due_ms, left_are = 'next time' } = run
  return {
    due_ms,
    ready: fresh.length + more,
    taken: taken.length,
    left_for_next: fresh.length + more - taken.length,
    /** With `next time`, the next run covers the rest. With `left out`, perhaps no run does. */
    left_are,
    /**
     * `refused`: refusals reported for the first time; those in an earlier report are omitted.
     * `removed`: on the service after they were ready, so they are not still to come.
     */
    ...run.unready.lists,
    folders: run.folders.map((folder) => folderCoverage(folder, due_ms)),
  }
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

/** For example `41 of 43 files ready; 2 refused (a.pdf, b.pdf)`, then late or offline folders. */
export function coverageLine(coverage: Coverage, zone: string): string {
  const clauses = [...readyClauses(coverage)]
  for (const stage of stages) {
    const { total, files } = coverage[stage]
    if (total > 0)
      clauses.push(`${formatCount(total)} ${shown_as[stage]} (${namesOf(files, total)})`)
  }
  for (const folder of coverage.folders) {
    const { name, scanned_ms, scanned_in_time, offline_reason } = folder
    if (scanned_in_time && offline_reason === undefined) continue
    const scan =
      scanned_ms === undefined
        ? 'no complete scan'
        : `last complete scan ${scanTime(scanned_ms, coverage.due_ms, zone)}`
    clauses.push(
      `${printable(name)}: ${scan} (${offline_reason === undefined ? 'the next did not end in time' : 'offline'})`,
    )
  }
  return clauses.join('; ')
}

function readyClauses(coverage: Coverage): string[] {
  const { ready, taken, left_for_next, left_are, folders } = coverage
  if (folders.length === 0) return ['no folders in scope']
  const expected = expectedFiles(coverage)
  if (expected === 0) return ['nothing new']
  const clauses = [`${formatCount(ready)} of ${counted(expected, 'file')} ready`]
  if (left_for_next === 0) return clauses
  const parts = [
    `this report: ${formatCount(taken)} of ${formatCount(ready)}`,
    `${formatCount(left_for_next)} ${left_are}`,
  ]
  return ready === expected ? parts : [...clauses, ...parts]
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

/** Time of day; with the date if it is not the day of the run. */
function scanTime(at_ms: number, due_ms: number, zone: string): string {
  const time = localTime(at_ms, zone)
  return localDate(due_ms, zone) === time.slice(0, 10)
    ? time.slice(11, 16)
    : time.slice(0, 16).replace('T', ' ')
}
