import type { ScanEnd } from '../disk/scan.ts'
import type { RemovalWait } from '../domain/removal.ts'
import type { Amount } from '../ledger/view-folders.ts'

/**
 * Why a file does not go up now.
 *
 * - `ready`, `underway`, `refused`, `removed_on_service`: the ledger knows these very bytes at this path, and so they stand.
 * - `brake`: held until a person accepts it.
 * - `empty`, `too_large`, `before_start`: skipped by the file or the folder's settings.
 * - `known_bytes`: the project has these bytes, or is getting them; linked without sending (only where files are read).
 * - `same_bytes`: another file of this plan has them; one upload serves both (likewise).
 * - `changing`, `unreadable`: it cannot be read, or does not come to rest.
 */
export type Reason =
  | 'ready'
  | 'underway'
  | 'refused'
  | 'removed_on_service'
  | 'brake'
  | 'empty'
  | 'too_large'
  | 'before_start'
  | 'known_bytes'
  | 'same_bytes'
  | 'changing'
  | 'unreadable'

export interface Staying extends Amount {
  reason: Reason
  examples: string[]
}

/** Assets there that no file here has; `files` are assets. */
export interface RemovalGroup extends Amount {
  /** Paths that held them. */
  examples: string[]
}

export interface WaitingRemovals extends RemovalGroup {
  /** domain/removal.ts. */
  why: RemovalWait
  /** When the first of them has waited long enough; null where that is no matter of time. */
  first: string | null
  /** For `left_out`: one of the files that are left out, as FOLDER/PATH; else null. */
  left_out: string | null
}

/** What a pass would remove on the service, and what would wait. */
export interface FolderRemovals {
  would_go: RemovalGroup
  waits: WaitingRemovals[]
}

export interface FolderPlan {
  name: string
  path: string
  project_id: string
  /** Why it cannot be walked; null where it could. */
  offline: string | null
  /** Why a pass would not believe that so much is missing: it would wait for a person, or for the files; null where it would. */
  doubt: string | null
  would_go_up: Amount
  stays: Staying[]
  /** null where nothing was kept, or the folders of its project keep what their files were (on_delete, on_change). */
  removals: FolderRemovals | null
  /** What the walk met besides files that are not ignored; null where there was none. */
  seen: (Omit<ScanEnd, 'files' | 'bytes' | 'odd_names'> & { odd_names: string[] }) | null
}

export function noAmount(): Amount {
  return { files: 0, bytes: 0 }
}
