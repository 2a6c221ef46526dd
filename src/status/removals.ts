import { isoTime } from '../base/time/time.ts'
import type { RemovalWait } from '../domain/removal.ts'
import type { RemovalsView } from '../ledger/views/view-removal-cases.ts'

/** What is in the assistant and held by no file here; times are ISO 8601 UTC. */
export interface RemovalStatus {
  /** They answer still: old versions of files, and files that were deleted. */
  outdated: { versions: number; bytes: number }
  /** Of these are to be removed there, by what they wait for (domain/removal.ts); the others are kept. */
  waiting: { why: RemovalWait | 'due'; versions: number }[]
  /** So much at once that a person must say so: `sluice accept --removals FOLDER`. */
  held: { folder: string; versions: number }[]
  /** Meant to be removed, without an answer yet. */
  removing: number
  /** The service does not remove assets. */
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
