import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { entryPath, type ScanBatch } from '../../disk/scan/scan.ts'

export interface MissedEventsOptions {
  root: string
  settle_ms: number
  clock: Clock
  /** Paths that the scan before found: they are not counted again. */
  known: ReadonlySet<string>
}

/**
 * An event comes within milliseconds and is followed within seconds. The rest is for a busy
 * machine.
 */
const told_within_ms = 30 * second_ms
/** Beyond so many paths none is tested for having been moved here a moment ago. */
const most_paths = 1_000

export type MissedEvents = ReturnType<typeof createMissedEvents>

/**
 * Counts the files of one scan that are new or changed, and that the watcher should have reported
 * long ago. Their ctime says when they changed. A directory that was moved here brings old files,
 * so the files of one that was moved lately are not counted.
 */
export function createMissedEvents({ root, settle_ms, clock, known }: MissedEventsOptions) {
  const since_ms = clock.now_ms() - settle_ms - told_within_ms
  const paths = new Set<string>()
  const moved_by_directory = new Map<string, number>()
  let more = 0

  /** True where neither this directory nor one around it, up to the root, was moved lately. */
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
        // Each entry has size, mtime, ctime and inode.
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
 * A move changes a directory's ctime alone. A new or deleted entry in it sets mtime and ctime to
 * the same moment. A directory that went away meanwhile has just been moved.
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

/**
 * The scans of a folder show this about its watcher, since it last proved that it reports changes.
 */
export interface Hearing {
  /** Scans in a row that found what the watcher had missed. */
  strikes: number
  /** It was made anew for that, and has not proved itself since. */
  rebuilt: boolean
}

/** Fields of the section `watching`. */
export interface HearingLimits {
  readonly deaf_after_scans: number
  readonly deaf_after_files: number
}

export const unproven: Hearing = { strikes: 0, rebuilt: false }

/** One change in a hundred may be missed: the kernel's queue overflows without an error. */
const told_per_miss = 100

/**
 * Judges a watcher by what a scan found that it missed. `told`: hints since the scan before.
 * `missed`: files that the scan found and the watcher should have reported long ago. The first time
 * the watcher is made anew, the second time it is given up.
 */
export function judgeHearing(
  before: Hearing,
  scan: { told: number; missed: number },
  limits: HearingLimits,
): { hearing: Hearing; verdict: 'hears' | 'doubtful' | 'rebuild' | 'deaf' } {
  const { told, missed } = scan
  // Without any change the scan proves nothing.
  if (missed === 0 && told === 0) return { hearing: before, verdict: before.strikes > 0 ? 'doubtful' : 'hears' }
  if (missed * told_per_miss <= told) return { hearing: unproven, verdict: 'hears' }
  const strikes = before.strikes + 1
  const is_deaf = strikes >= limits.deaf_after_scans || (told === 0 && missed >= limits.deaf_after_files)
  if (!is_deaf) return { hearing: { ...before, strikes }, verdict: 'doubtful' }
  return { hearing: { strikes: 0, rebuilt: true }, verdict: before.rebuilt ? 'deaf' : 'rebuild' }
}
