import { entryPath, entryStat, type ScanBatch, type ScanEnd } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import { type Found, knownBefore } from '../../domain/disappearance.ts'
import type { Differences, FolderState, Ledger } from '../../ledger/ledger.ts'

type Changes = Pick<Differences, 'changed' | 'unknown'>

const paths_at_once = 500
/** Programs that copy a file with its time keep at least its microseconds. */
const max_copied_ns = 1_000_000
/** Sorts after every path below a directory. */
const after_all = '\u{10FFFF}'

const empty_batch = { names: new Uint8Array(), ends: new Uint32Array(), stats: new BigInt64Array() }

/** The range of all paths below a directory. */
export function rangeBelow(folder: string, directory: string) {
  return { folder, after_path: `${directory}/`, through_path: `${directory}/${after_all}`, ...empty_batch }
}

/** Compares a walk with the ledger, batch by batch. `under`: the only directory walked. */
export class WalkComparison {
  /** Known paths that the walk did not find; the ledger lists a limited number. */
  missing: string[] = []
  missing_total = 0
  changed_total = 0
  readonly #folder: string
  readonly #ledger: Ledger
  readonly #under: string | undefined
  #after_path: string | undefined

  constructor(folder: string, ledger: Ledger, under?: string) {
    this.#folder = folder
    this.#ledger = ledger
    this.#under = under
    this.#after_path = under === undefined ? undefined : `${under}/`
  }

  /** Number of paths that differ from the ledger, including missing ones. */
  get differing(): number {
    return this.changed_total + this.missing_total
  }

  /** Returns the indices of entries that differ from the ledger. */
  async compare(batch: ScanBatch): Promise<Changes> {
    if (batch.count === 0) return { changed: new Uint32Array(), unknown: new Uint32Array() }
    const changes = await this.#compareRange(batch, entryPath(batch, batch.count - 1))
    this.changed_total += changes.changed.length
    return changes
  }

  /** For an unknown folder: a ledger busy with new files would slow down the walk. */
  takeAsUnknown(batch: ScanBatch): Changes {
    if (batch.count > 0) this.#after_path = entryPath(batch, batch.count - 1)
    const all = Uint32Array.from({ length: batch.count }, (_, index) => index)
    this.changed_total += batch.count
    return { changed: all, unknown: all }
  }

  /** Compares the rows after the last path of the walk. */
  async end(): Promise<void> {
    const last_path = this.#under === undefined ? undefined : `${this.#under}/${after_all}`
    await this.#compareRange({ ...empty_batch, digest: undefined }, last_path)
  }

  /** Counts known files by size and mtime: another disk has other ctimes and inodes. */
  async countMet(batch: ScanBatch): Promise<number> {
    const { changed, unknown } = await this.compare(batch)
    const is_unknown = new Set(unknown)
    const others = [...changed].filter((index) => !is_unknown.has(index))
    const known = await this.#ledger.filesAt(
      this.#folder,
      others.map((index) => entryPath(batch, index)),
    )
    const alike = others.filter((index, at) => {
      const { size, mtime_ns } = entryStat(batch, index)
      const before = known[at]?.stat
      return before?.size === size && Math.abs(Number(before.mtime_ns - mtime_ns)) < max_copied_ns
    })
    return batch.count - changed.length + alike.length
  }

  /** Includes files that single events reported as deleted, without files long out of reach. */
  async found(before: Pick<FolderState, 'known_files' | 'counted'>, end: ScanEnd): Promise<Found> {
    const out_of_reach = await this.#countOutOfReach(end)
    const known_before = knownBefore(before)
    const gone = this.missing_total + known_before - before.known_files - out_of_reach
    return { known: known_before - out_of_reach, missing: gone, files: end.files }
  }

  /** Missing files already blocked, below a covering disk or an unreadable directory. */
  async #countOutOfReach(end: ScanEnd): Promise<number> {
    const below = this.missing.filter(outOfReach(end))
    let blocked = 0
    for (let from = 0; from < below.length; from += paths_at_once) {
      const files = await this.#ledger.filesAt(this.#folder, below.slice(from, from + paths_at_once))
      blocked += files.filter((file) => file?.state === 'blocked').length
    }
    return blocked
  }

  async #compareRange(
    batch: Pick<ScanBatch, 'names' | 'ends' | 'stats'> & { digest: string | undefined },
    through_path: string | undefined,
  ): Promise<Changes> {
    const { names, ends, stats } = batch
    // A walk through one directory cuts its ranges elsewhere.
    const digest = this.#under === undefined ? batch.digest : undefined
    const range = { folder: this.#folder, after_path: this.#after_path, through_path }
    const differences = await this.#ledger.differences({ ...range, names, ends, stats, digest })
    this.#after_path = through_path
    this.missing_total += differences.missing_total
    this.missing = this.missing.concat(differences.missing)
    return differences
  }
}
