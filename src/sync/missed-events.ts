import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import { entryPath, type ScanBatch } from '../disk/scan.ts'

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

/**
 * Counts the files of one scan that are new or changed, though the watcher should have told of them long ago. Their ctime says
 * when they changed. A directory that was moved here brings old files: what stands in one that was lately is not counted.
 */
export class MissedEvents {
  readonly #options: MissedEventsOptions
  readonly #since_ms: number
  readonly #paths = new Set<string>()
  readonly #moved_ms = new Map<string, number>()
  #more = 0

  constructor(options: MissedEventsOptions) {
    this.#options = options
    this.#since_ms = options.clock.now_ms() - options.settle_ms - told_within_ms
  }

  /** `changed`: the entries of the batch that differ from what is known. */
  consider(batch: ScanBatch, changed: Uint32Array): void {
    for (const index of changed) {
      // Of each entry: size, mtime, ctime, inode.
      if (Number(batch.stats[4 * index + 2]! / 1_000_000n) > this.#since_ms) continue
      const path = entryPath(batch, index)
      if (this.#options.known.has(path)) continue
      if (this.#paths.size < most_paths) this.#paths.add(path)
      else this.#more += 1
    }
  }

  found(): ReadonlySet<string> {
    return this.#paths
  }

  count(): number {
    return [...this.#paths].filter((path) => this.#stoodHere(dirname(path))).length + this.#more
  }

  /** Whether this directory and those around it, up to the root, were not moved lately. */
  #stoodHere(directory: string): boolean {
    if (directory === '.') return true
    return this.#movedAt_ms(directory) <= this.#since_ms && this.#stoodHere(dirname(directory))
  }

  #movedAt_ms(directory: string): number {
    let moved_ms = this.#moved_ms.get(directory)
    if (moved_ms === undefined) {
      moved_ms = movedAt_ms(join(this.#options.root, directory))
      this.#moved_ms.set(directory, moved_ms)
    }
    return moved_ms
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
