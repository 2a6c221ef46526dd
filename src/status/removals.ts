import { isoTime } from '../base/time/time.ts'
import type { RemovalWait } from '../domain/removal.ts'
import type { RemovalsView } from '../ledger/views/view-removal-cases.ts'

/** Assets in the assistant that no file here holds. Times are ISO 8601 UTC. */
export interface RemovalStatus {
  /** Old versions of files, and deleted files. The assistant still uses them. */
  outdated: { versions: number; bytes: number }
  /**
   * Those to be removed, grouped by what they wait for (domain/removal.ts); `due`: for nothing. The
   * others are kept.
   */
  waiting: { why: RemovalWait | 'due'; versions: number }[]
  /**
   * Folders with so many removals that a user must accept them: `sluice accept --removals FOLDER`.
   */
  held: { folder: string; versions: number }[]
  /** Number of removals that began and have no answer yet. */
  removing: number
  /** Projects in which the service refuses to remove assets. */
  refusals: { project_id: string; code: string; message: string; since: string }[]
}

export function removalStatus({ outdated, waiting, held, removing, refusals }: RemovalsView): RemovalStatus {
  return {
    outdated: { versions: outdated.files, bytes: outdated.bytes },
    waiting,
    held: held.map(({ folder, versions }) => ({ folder, versions })),
    removing,
    refusals: refusals.map(({ since_ms, ...refusal }) => ({ ...refusal, since: isoTime(since_ms) })),
  }
}
