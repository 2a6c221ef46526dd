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
 * when they changed. A directory that was moved here brings old files: what stands in one that changed lately is not counted.
 */
export class MissedEvents {
  readonly #options: MissedEventsOptions
  readonly #since_ms: number
  readonly #paths = new Set<string>()
  readonly #changed_ms = new Map<string, number>()
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

  /** Whether this directory and those around it, up to the root, have not changed lately. */
  #stoodHere(directory: string): boolean {
    if (directory === '.') return true
    return this.#changedAt_ms(directory) <= this.#since_ms && this.#stoodHere(dirname(directory))
  }

  #changedAt_ms(directory: string): number {
    let changed_ms = this.#changed_ms.get(directory)
    if (changed_ms === undefined) {
      changed_ms = ctimeOf(join(this.#options.root, directory))
      this.#changed_ms.set(directory, changed_ms)
    }
    return changed_ms
  }
}

/** What went away meanwhile has just changed. */
function ctimeOf(path: string): number {
  try {
    return lstatSync(path).ctimeMs
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return Number.POSITIVE_INFINITY
  }
}
