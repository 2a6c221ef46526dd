import { counted, fitText, formatCount, printable } from '../../base/text/format.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { NamedFiles, Unready } from './unready.ts'

/**
 * How complete a run is: plain data, kept with the run and in the manifest. `ready` = `taken` + `left_for_next`; a content with
 * several paths counts once. Of each list the total is exact and at most `named_most` are named.
 */
export interface Coverage {
  due_ms: number
  /** Assets that were ready for this run. */
  ready: number
  taken: number
  left_for_next: number
  /** What becomes of those: told by the next run, or, where each run tells all of a span of time, perhaps never. */
  left_are: 'next time' | 'left out'
  /** Told for the first time; refusals that the prompt was told before are left out. */
  refused: NamedFiles
  moving: NamedFiles
  on_the_way: NamedFiles
  blocked: NamedFiles
  /** Removed on the service: they were in once, so they are not among those still to come. */
  removed: NamedFiles
  folders: FolderCoverage[]
}

interface FolderCoverage {
  name: string
  /** End of the last complete look; absent: there was none. */
  looked_ms?: number
  /** A look that began at the due time or later has ended. */
  looked_in_time: boolean
  /** With offline folders. */
  offline_reason?: string
}

export type FolderLook = Pick<FolderState, 'name' | 'online' | 'offline_reason' | 'scan_ended_ms'> & {
  /** Of the look that ended at `scan_ended_ms`. */
  scan_began_ms: number | undefined
}

const stages = ['refused', 'moving', 'on_the_way', 'blocked', 'removed'] as const

/** `fresh`, and so many `more`: all that is ready for this run; `taken`: those of them that it tells; `unready`: of files that its patterns match. */
export function composeCoverage(run: {
  fresh: readonly unknown[]
  more?: number
  taken: readonly unknown[]
  unready: Unready
  folders: readonly FolderLook[]
  due_ms: number
  left_are?: Coverage['left_are']
}): Coverage {
  const { fresh, more = 0, taken, due_ms } = run
  return {
    due_ms,
    ready: fresh.length + more,
    taken: taken.length,
    left_for_next: fresh.length + more - taken.length,
    left_are: run.left_are ?? 'next time',
    ...run.unready.lists,
    folders: run.folders.map((folder) => folderCoverage(folder, due_ms)),
  }
}

function folderCoverage(folder: FolderLook, due_ms: number): FolderCoverage {
  const { name, online, offline_reason, scan_began_ms, scan_ended_ms } = folder
  return {
    name,
    ...(scan_ended_ms === undefined ? {} : { looked_ms: scan_ended_ms }),
    looked_in_time: scan_ended_ms !== undefined && scan_began_ms !== undefined && scan_began_ms >= due_ms,
    ...(online ? {} : { offline_reason: offline_reason ?? 'offline' }),
  }
}

/** Files that came for this run: those that are ready and those that are not. */
export function expectedFiles({ ready, refused, moving, on_the_way, blocked }: Coverage): number {
  return ready + refused.total + moving.total + on_the_way.total + blocked.total
}

const shown_as: Record<(typeof stages)[number], string> = {
  refused: 'refused',
  moving: 'still changing',
  on_the_way: 'still on the way',
  blocked: 'set aside',
  removed: 'removed on the service',
}

/** The line that a report carries: `41 of 43 files ready; 2 refused (a.pdf, b.pdf); Finance: last complete look 06:12 (offline)`. */
export function coverageLine(coverage: Coverage, zone: string): string {
  const clauses = [...readyClauses(coverage)]
  for (const stage of stages) {
    const { total, files } = coverage[stage]
    if (total > 0) clauses.push(`${formatCount(total)} ${shown_as[stage]} (${namesOf(files, total)})`)
  }
  for (const folder of coverage.folders) {
    const { name, looked_ms, looked_in_time, offline_reason } = folder
    if (looked_in_time && offline_reason === undefined) continue
    const look =
      looked_ms === undefined ? 'no complete look' : `last complete look ${lookTime(looked_ms, coverage.due_ms, zone)}`
    clauses.push(
      `${printable(name)}: ${look} (${offline_reason === undefined ? 'the next did not end in time' : 'offline'})`,
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
  const told = [
    `this report: ${formatCount(taken)} of ${formatCount(ready)}`,
    `${formatCount(left_for_next)} ${left_are}`,
  ]
  return ready === expected ? told : [...clauses, ...told]
}

/** One line must stay one line; all names are in the manifest. */
const shown_most = 5
const name_columns = 80

function namesOf(files: NamedFiles['files'], total: number): string {
  const shown = files.slice(0, shown_most).map(({ name }) => fitText(printable(name), name_columns))
  return total > shown.length ? `${shown.join(', ')} and ${formatCount(total - shown.length)} more` : shown.join(', ')
}

/** The time of day where it was on the day of the run. */
function lookTime(at_ms: number, due_ms: number, zone: string): string {
  const time = localTime(at_ms, zone)
  return localDate(due_ms, zone) === time.slice(0, 10) ? time.slice(11, 16) : time.slice(0, 16).replace('T', ' ')
}
