import type { ScanEnd } from '../../disk/scan/scan.ts'
import type { RemovalWait } from '../../domain/removal.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'

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

interface Staying extends Amount {
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

/** A few names show what is meant. */
const max_examples = 3
/** Kinds of files have few extensions; a folder of random names has as many as files, which tell nothing. */
const max_types = 1_000
/** Longer ones are no extensions. */
const max_extension_chars = 16

/** Amounts by extension. */
export class TypeTally {
  readonly #amounts = new Map<string, Amount>()

  add(path: string, bytes: number): void {
    const extension = extensionOf(path)
    const key = this.#amounts.has(extension) || this.#amounts.size < max_types ? extension : ''
    const amount = this.#amounts.get(key) ?? noAmount()
    count(amount, bytes)
    this.#amounts.set(key, amount)
  }

  /** Most files first. */
  sorted(): (Amount & { extension: string })[] {
    return [...this.#amounts]
      .map(([extension, amount]) => ({ extension, ...amount }))
      .sort((a, b) => b.files - a.files || (a.extension < b.extension ? -1 : 1))
  }
}

/** Adds up one folder; the types are those of all folders. */
export class Tally {
  readonly #types: TypeTally
  readonly #goes_up = noAmount()
  readonly #stays = new Map<Reason, Staying>()

  constructor(types: TypeTally) {
    this.#types = types
  }

  goesUp(path: string, bytes: number): void {
    count(this.#goes_up, bytes)
    this.#types.add(path, bytes)
  }

  stays(reason: Reason, path: string, bytes: number): void {
    const group = this.#stays.get(reason) ?? { reason, ...noAmount(), examples: [] }
    countWithExample(group, path, bytes)
    this.#stays.set(reason, group)
  }

  amounts(): Pick<FolderPlan, 'would_go_up' | 'stays'> {
    return { would_go_up: this.#goes_up, stays: [...this.#stays.values()].sort((a, b) => b.files - a.files) }
  }
}

export function count(amount: Amount, bytes: number): void {
  amount.files += 1
  amount.bytes += bytes
}

export function countWithExample(group: Amount & { examples: string[] }, path: string, bytes: number): void {
  count(group, bytes)
  if (group.examples.length < max_examples) group.examples.push(path)
}

/**
 * In small letters and without its dot; '' for a name that has none.
 *
 * @internal
 */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  if (dot <= 0 || dot === name.length - 1 || name.length - dot - 1 > max_extension_chars) return ''
  return name.slice(dot + 1).toLowerCase()
}
