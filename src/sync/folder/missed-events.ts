import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { entryPath, type ScanBatch } from '../../disk/scan/scan.ts'

export interface MissedEventsOptions {
  root: string
  settle_ms: number
  clock: Clock
  /** Found by the scan before: not counted again. */
  known: ReadonlySet<string>
}

/** An event comes within milliseconds and is followed within seconds; more is patience with a machine that has much to do. */
const told_within_ms = 30 * second_ms
/** Beyond so many nobody asks whether one of them was moved here a moment ago. */
const most_paths = 1_000

export type MissedEvents = ReturnType<typeof createMissedEvents>

/**
 * Counts the files of one scan that are new or changed, though the watcher should have told of them long ago. Their ctime says
 * when they changed. A directory that was moved here brings old files: what stands in one that was lately is not counted.
 */
export function createMissedEvents({ root, settle_ms, clock, known }: MissedEventsOptions) {
  const since_ms = clock.now_ms() - settle_ms - told_within_ms
  const paths = new Set<string>()
  const moved_by_directory = new Map<string, number>()
  let more = 0

  /** Whether this directory and those around it, up to the root, were not moved lately. */
  function stoodHere(directory: string): boolean {
    if (directory === '.') return true
    return whenMoved_ms(directory) <= since_ms && stoodHere(dirname(directory))
  }

  function whenMoved_ms(directory: string): number {
    let moved_ms = moved_by_directory.get(directory)
    if (moved_ms === undefined) {
      moved_ms = movedAt_ms(join(root, directory))
      moved_by_directory.set(directory, moved_ms)
    }
    return moved_ms
  }

  return {
    /** `changed`: the entries of the batch that differ from what is known. */
    consider(batch: ScanBatch, changed: Uint32Array): void {
      for (const index of changed) {
        // Of each entry: size, mtime, ctime, inode.
        if (Number(batch.stats[4 * index + 2]! / 1_000_000n) > since_ms) continue
        const path = entryPath(batch, index)
        if (known.has(path)) continue
        if (paths.size < most_paths) paths.add(path)
        else more += 1
      }
    },
    found: (): ReadonlySet<string> => paths,
    count: () => [...paths].filter((path) => stoodHere(dirname(path))).length + more,
  }
}

/**
 * A move changes a directory's ctime alone; what comes and goes in it changes its mtime to the same moment, however often it does.
 * What went away meanwhile has just been moved.
 */
function movedAt_ms(path: string): number {
  try {
    const { ctimeNs, mtimeNs } = lstatSync(path, { bigint: true })
    return ctimeNs === mtimeNs ? Number.NEGATIVE_INFINITY : Number(ctimeNs / 1_000_000n)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return Number.POSITIVE_INFINITY
  }
}

/** What a folder's scans have shown of its watcher, since it was last known to hear. */
export interface Hearing {
  /** Scans in a row that found what it had not told. */
  strikes: number
  /** It was made anew for that, and has not shown since that it hears. */
  rebuilt: boolean
}

/** Fields of the section `watching`. */
export interface HearingLimits {
  readonly deaf_after_scans: number
  readonly deaf_after_files: number
}

export const unproven: Hearing = { strikes: 0, rebuilt: false }

/** One in a hundred may go by while ninety-nine are told: the queue of the kernel overflows in silence. */
const told_per_miss = 100

/**
 * Whether a watcher hears, by what a scan found against it. `told`: hints since the scan before; `missed`: files that the scan
 * found and it should have told long ago. `deaf` the first time means: make it anew; the second time: give it up.
 */
export function judgeHearing(
  before: Hearing,
  scan: { told: number; missed: number },
  limits: HearingLimits,
): { hearing: Hearing; verdict: 'hears' | 'doubtful' | 'rebuild' | 'deaf' } {
  const { told, missed } = scan
  // Nothing happened: that proves nothing.
  if (missed === 0 && told === 0) return { hearing: before, verdict: before.strikes > 0 ? 'doubtful' : 'hears' }
  if (missed * told_per_miss <= told) return { hearing: unproven, verdict: 'hears' }
  const strikes = before.strikes + 1
  const is_deaf = strikes >= limits.deaf_after_scans || (told === 0 && missed >= limits.deaf_after_files)
  if (!is_deaf) return { hearing: { ...before, strikes }, verdict: 'doubtful' }
  return { hearing: { strikes: 0, rebuilt: true }, verdict: before.rebuilt ? 'deaf' : 'rebuild' }
}
