import type { ScanEnd } from '../../disk/scan/scan.ts'
import type { BlockReason, SkipReason } from '../../domain/file-reasons.ts'
import { extensionOf } from '../../domain/file-type.ts'
import type { RemovalWait } from '../../domain/removal.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'

/**
 * Why a file is not uploaded now. A skip or block reason is in the ledger or found by this plan.
 *
 * - `ready`, `underway`, `refused`, `removed_on_service`: the ledger knows this path with the same
 *   size and times.
 * - `type_refused`: the service could read no file of its type so far.
 * - `type_rests`: it refused several of its type alike, though others may be ready.
 * - `known_bytes`: the project has or gets these bytes. Sluice links the file without uploading it
 *   (only where files are read).
 * - `same_bytes`: another file of this plan has these bytes, so one upload serves both (only where
 *   files are read).
 */
export type Reason =
  | 'ready'
  | 'underway'
  | 'refused'
  | 'removed_on_service'
  | 'type_refused'
  | 'type_rests'
  | 'known_bytes'
  | 'same_bytes'
  | SkipReason
  | BlockReason

interface Staying extends Amount {
  reason: Reason
  /** Type of these files, which is refused; null for other reasons. Empty: no extension. */
  extension: string | null
  examples: string[]
}

/** Assets on the service that no file here holds; `files` counts assets. */
export interface RemovalGroup extends Amount {
  /** Paths that held them before. */
  examples: string[]
}

export interface WaitingRemovals extends RemovalGroup {
  /** The reason, as in domain/removal.ts. */
  why: RemovalWait
  /** Time at which the first may be removed; null where no time decides. */
  first: string | null
  /** For `left_out`, one of the files that are left out, as FOLDER/PATH; else null. */
  left_out: string | null
}

/** Assets that a pass would remove on the service, and those that would wait. */
export interface FolderRemovals {
  would_remove: RemovalGroup
  waits: WaitingRemovals[]
}

export interface FolderPlan {
  name: string
  path: string
  project_id: string
  /** Why the folder cannot be scanned; null if it could. */
  offline: string | null
  /**
   * Why a pass would doubt that so many files are missing; null if not, or if no asset is removed.
   */
  doubt: string | null
  would_upload: Amount
  stays: Staying[]
  /** null without a ledger, or if all folders of its project keep assets (on_delete, on_change). */
  removals: FolderRemovals | null
  /** Other findings of the scan; null without a scan. */
  seen: (Omit<ScanEnd, 'files' | 'bytes' | 'odd_names'> & { odd_names: string[] }) | null
}

export function noAmount(): Amount {
  return { files: 0, bytes: 0 }
}

/** A few names are enough to recognise the files. */
const max_examples = 3
/** More extensions count as none: a list of those of random names would say nothing. */
const max_types = 1_000

interface TypeAmount extends Amount {
  /** Files of them in projects where the service has read none of this type, though it tried. */
  unread: number
}

/** Amounts by extension. */
export class TypeTally {
  readonly #amounts = new Map<string, TypeAmount>()

  add(path: string, bytes: number, is_unread: boolean): void {
    const extension = extensionOf(path)
    const key = this.#amounts.has(extension) || this.#amounts.size < max_types ? extension : ''
    const amount = this.#amounts.get(key) ?? { ...noAmount(), unread: 0 }
    count(amount, bytes)
    if (is_unread) amount.unread += 1
    this.#amounts.set(key, amount)
  }

  /** Sorted by number of files, largest first. */
  sorted(): (TypeAmount & { extension: string })[] {
    return [...this.#amounts]
      .map(([extension, amount]) => ({ extension, ...amount }))
      .sort((a, b) => b.files - a.files || (a.extension < b.extension ? -1 : 1))
  }
}

/** Sums of one folder; types are counted over all folders. */
export class Tally {
  readonly #types: TypeTally
  readonly #goes_up = noAmount()
  readonly #stays = new Map<string, Staying>()

  constructor(types: TypeTally) {
    this.#types = types
  }

  goesUp(path: string, bytes: number, is_unread: boolean): void {
    count(this.#goes_up, bytes)
    this.#types.add(path, bytes, is_unread)
  }

  stays(reason: Reason, path: string, bytes: number): void {
    const extension = reason === 'type_refused' ? extensionOf(path) : null
    const key = `${reason} ${extension}`
    const group = this.#stays.get(key) ?? { reason, extension, ...noAmount(), examples: [] }
    countWithExample(group, path, bytes)
    this.#stays.set(key, group)
  }

  /** Number of files that stay because this user cannot read them. */
  unreadable(): number {
    return [...this.#stays.values()].find(({ reason }) => reason === 'unreadable')?.files ?? 0
  }

  amounts(): Pick<FolderPlan, 'would_upload' | 'stays'> {
    return {
      would_upload: this.#goes_up,
      stays: [...this.#stays.values()].sort((a, b) => b.files - a.files),
    }
  }
}

export function count(amount: Amount, bytes: number): void {
  amount.files += 1
  amount.bytes += bytes
}

export function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (sum, { files, bytes }) => ({ files: sum.files + files, bytes: sum.bytes + bytes }),
    noAmount(),
  )
}

export function countWithExample(
  group: Amount & { examples: string[] },
  path: string,
  bytes: number,
): void {
  count(group, bytes)
  if (group.examples.length < max_examples) group.examples.push(path)
}
