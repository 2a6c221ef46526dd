import { entryPath, entryStat, type ScanBatch, type ScanEnd } from '../../disk/scan/scan.ts'
import { outOfReach } from '../../disk/scan/walk-report.ts'
import type { Found } from '../../domain/disappearance.ts'
import type { Differences, FolderState, Ledger } from '../../ledger/ledger.ts'

type Changes = Pick<Differences, 'changed' | 'unknown'>

const paths_at_once = 500
/** 1 ms. Programs that copy a file with its time keep at least its microseconds. */
const max_copied_ns = 1_000_000
/** Sorts after every path below a directory. */
const after_all = '\u{10FFFF}'

const empty_batch = { names: new Uint8Array(), ends: new Uint32Array(), stats: new BigInt64Array() }

export function rangeBelow(folder: string, directory: string) {
  return {
    folder,
    after_path: `${directory}/`,
    through_path: `${directory}/${after_all}`,
    ...empty_batch,
  }
}

/** Compares a walk with the ledger, batch by batch. `under`: the only directory walked. */
export function createWalkComparison(folder: string, ledger: Ledger, under?: string) {
  let missing: string[] = []
  let missing_total = 0
  let lost_total = 0
  let lost_newcomers = 0
  let lost_skipped = 0
  let changed_total = 0
  let after_path = under === undefined ? undefined : `${under}/`

  async function compareRange(
    batch: Pick<ScanBatch, 'names' | 'ends' | 'stats'> & { digest: string | undefined },
    through_path: string | undefined,
  ): Promise<Changes> {
    const { names, ends, stats } = batch
    // A walk through one directory cuts its ranges elsewhere: no earlier digest fits.
    const digest = under === undefined ? batch.digest : undefined
    const range = { folder, after_path, through_path, names, ends, stats, digest }
    const differences = await ledger.differences(range)
    after_path = through_path
    missing_total += differences.missing_total
    lost_total += differences.lost
    lost_newcomers += differences.lost_newcomers
    lost_skipped += differences.lost_skipped
    missing = missing.concat(differences.missing)
    return differences
  }

  async function compare(batch: ScanBatch): Promise<Changes> {
    if (batch.count === 0) return { changed: new Uint32Array(), unknown: new Uint32Array() }
    const changes = await compareRange(batch, entryPath(batch, batch.count - 1))
    changed_total += changes.changed.length
    return changes
  }

  /** Number of missing files already blocked: below a covering disk or unreadable directory. */
  async function countOutOfReach(end: ScanEnd): Promise<number> {
    const below = missing.filter(outOfReach(end))
    let blocked = 0
    for (let from = 0; from < below.length; from += paths_at_once) {
      const files = await ledger.filesAt(folder, below.slice(from, from + paths_at_once))
      blocked += files.filter((file) => file?.state === 'blocked' && file.is_evidence).length
    }
    return blocked
  }

  return {
    compare,
    /** For an unknown folder: takes all as new. A ledger busy with new files slows the walk. */
    takeAsUnknown(batch: ScanBatch): Changes {
      if (batch.count > 0) after_path = entryPath(batch, batch.count - 1)
      const all = Uint32Array.from({ length: batch.count }, (_, index) => index)
      changed_total += batch.count
      return { changed: all, unknown: all }
    },
    /** Compares the rows after the last path of the walk. */
    async end(): Promise<void> {
      const last_path = under === undefined ? undefined : `${under}/${after_all}`
      await compareRange({ ...empty_batch, digest: undefined }, last_path)
    },
    /** Counts evidence with another size or mtime: another disk has other ctimes and inodes. */
    async countUnlike(batch: ScanBatch): Promise<number> {
      const { changed, unknown } = await compare(batch)
      const is_unknown = new Set(unknown)
      const others = [...changed].filter((index) => !is_unknown.has(index))
      const paths = others.map((index) => entryPath(batch, index))
      const known = await ledger.filesAt(folder, paths)
      const unlike = others.filter((index, at) => {
        const { size, mtime_ns } = entryStat(batch, index)
        const { is_evidence, stat } = known[at] ?? { is_evidence: false }
        if (!is_evidence) return false
        return stat?.size !== size || Math.abs(Number(stat.mtime_ns - mtime_ns)) >= max_copied_ns
      })
      return unlike.length
    },
    /** Known paths that the walk did not find; the ledger lists a limited number. */
    missing: () => missing,
    /** True if more known paths are missing than `missing` lists. */
    hasMoreMissing: () => missing_total > missing.length,
    /** Number of paths that differ from the ledger, including missing ones. */
    differing: () => changed_total + missing_total,
    /**
     * Counts files that single events reported as deleted too, but none long out of reach.
     * `is_known_disk`: then the loss of a newcomer counts as none, if any known file is there.
     */
    async found(
      before: Pick<FolderState, 'evidence' | 'most_evidence' | 'skipped'>,
      end: ScanEnd,
      { is_known_disk }: { is_known_disk: boolean },
    ): Promise<Found> {
      const out_of_reach = await countOutOfReach(end)
      const { evidence, most_evidence, skipped } = before
      const is_any_there = evidence > lost_total
      const no_loss = out_of_reach + (is_known_disk && is_any_there ? lost_newcomers : 0)
      const missing = lost_total + most_evidence - evidence - no_loss
      const files = Math.max(0, end.files - (skipped - lost_skipped))
      return { known: most_evidence - no_loss, missing, files }
    },
  }
}
