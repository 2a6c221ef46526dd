import { readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { isNewcomer, newcomer_ms } from '../../domain/disappearance.ts'
import { arrivedAt, type FileRow, is_evidence, isEvidence, isSkipped } from './file-rows.ts'

/** SQL for the number of files that `start` left out and that are not gone. */
const before_start = `(SELECT count(*) FROM files INDEXED BY files_before_start
               WHERE folder = @folder AND reason = 'before_start')
           - (SELECT count(*) FROM files INDEXED BY files_gone
               WHERE state = 'gone' AND folder = @folder AND reason = 'before_start')`

/**
 * SQL for the number of files that the last scan saw and that single events have reported as
 * deleted since, in an earlier process too. Those that were renamed are not lost.
 */
const lost_since = `SELECT count(*) FROM files AS lost INDEXED BY files_gone JOIN folders ON folders.id = lost.folder
  WHERE lost.state = 'gone' AND lost.folder = @folder AND lost.content IS NOT NULL
    AND lost.gone_ms > scan_ended_ms AND lost.seen_ms <= scan_ended_ms
    AND (lost.there_ms IS NOT NULL OR lost.settled_ms <= lost.gone_ms - ${newcomer_ms})
    AND NOT EXISTS (SELECT 1 FROM files WHERE content = lost.content AND state = 'present' AND folder = @folder)`

interface Evidence {
  now: number
  /**
   * The most since the end of the last scan: single events can add up to a loss. After a restart,
   * those of that scan that are lost count beside those of now.
   */
  most: number
  /** Skipped files (`isSkipped`). They are no evidence, and must not hide a loss of it. */
  skipped: number
}

type Counted = Record<'now' | 'skipped' | 'lost', number>

/** Number of files that are evidence, by folder. Kept in memory, as every check asks for it. */
export class EvidenceCounts {
  readonly #by_folder = new Map<number, Evidence>()
  readonly #count

  constructor(database: Sqlite) {
    // All present files have a content. Of the others, each index is read once in a process.
    this.#count = database.prepare(
      `SELECT (${lost_since}) AS lost,
           (SELECT coalesce(sum(files), 0) FROM counts
             WHERE folder = @folder AND stage NOT IN ('seen', 'blocked', 'skipped', 'gone'))
           + (SELECT count(*) FROM files INDEXED BY files_unsettled WHERE folder = @folder
               AND state IN ('seen', 'blocked') AND reason IS NOT 'before_start' AND ${is_evidence})
           + ${before_start} AS now,
           (SELECT coalesce(sum(files), 0) FROM counts WHERE folder = @folder AND stage = 'skipped')
           - (${before_start}
             - (SELECT count(*) FROM files INDEXED BY files_unsettled WHERE folder = @folder
                 AND state IN ('seen', 'blocked') AND reason IS 'before_start')) AS skipped`,
    )
  }

  /** Call this outside a record: counts of rows may not be written yet inside one. */
  of(folder: number): Readonly<Evidence> {
    let known = this.#by_folder.get(folder)
    if (known === undefined) {
      const { now, skipped, lost } = readOne<Counted>(this.#count, { folder })!
      known = { now, most: now + lost, skipped }
      this.#by_folder.set(folder, known)
    }
    return known
  }

  /** Call this after each change of a row. */
  follow(before: FileRow | undefined, after: FileRow | undefined): void {
    const known = this.#by_folder.get((before ?? after)!.folder)
    if (known === undefined) return
    known.skipped += Number(isSkipped(after)) - Number(isSkipped(before))
    known.now += Number(isEvidence(after)) - Number(isEvidence(before))
    // The file is there, or was not there for long: it is not lost.
    const is_no_loss = isSkipped(after) || isGoneNewcomer(before, after)
    if (isEvidence(before) && is_no_loss) known.most -= 1
    known.most = Math.max(known.most, known.now)
  }

  scanned(folder: number | undefined): void {
    const known = folder === undefined ? undefined : this.#by_folder.get(folder)
    if (known) known.most = known.now
  }

  /** Call this after a rollback. */
  forget(): void {
    this.#by_folder.clear()
  }
}

function isGoneNewcomer(before: FileRow | undefined, after: FileRow | undefined): boolean {
  if (before === undefined || after?.state !== 'gone') return false
  return isNewcomer(arrivedAt(before), after.gone_ms!)
}
