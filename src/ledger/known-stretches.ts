import type { Sqlite } from '../base/sqlite.ts'
import { isBefore } from './path-order.ts'

export interface KnownStretch {
  /** Exclusive; '' for the start of the folder. */
  after_path: string
  /** Inclusive. */
  through_path: string
  digest: string
}

interface Kept extends KnownStretch {
  /** It stands in the table as well. */
  kept: boolean
}

/**
 * The stretches of a folder that were found to be exactly as the rows say (third-schema.ts). They are some for a thousand files, so
 * they stand in memory. What is learned reaches the table with the next write of any kind; what a written row takes away leaves it
 * in the same transaction.
 */
export class KnownStretches {
  readonly #load
  readonly #put
  readonly #delete
  /** In path order. */
  readonly #by_folder = new Map<number, Kept[]>()
  #unkept: { folder: number; stretch: Kept }[] = []
  /** Replaced by others, and still in the table: as true as before, but they would overlap. */
  #replaced: { folder: number; through_path: string }[] = []

  constructor(database: Sqlite) {
    this.#load = database.prepare(
      'SELECT after_path, through_path, digest, 1 AS kept FROM stretches WHERE folder = ? ORDER BY through_path',
    )
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO stretches (folder, through_path, after_path, digest) VALUES (?, ?, ?, ?)',
    )
    this.#delete = database.prepare('DELETE FROM stretches WHERE folder = ? AND through_path = ?')
  }

  isKnown(folder: number, { after_path, through_path, digest }: KnownStretch): boolean {
    const all = this.#of(folder)
    const found = all[firstThrough(all, through_path)]
    return found?.through_path === through_path && found.after_path === after_path && found.digest === digest
  }

  /** Reads no row and writes none: this is called in the middle of a read. */
  learn(folder: number, learned: KnownStretch): void {
    const all = this.#of(folder)
    const from = firstBeyond(all, learned.after_path)
    let to = from
    while (to < all.length && isBefore(all[to]!.after_path, learned.through_path)) to++
    const stretch = { ...learned, kept: false }
    for (const { kept, through_path } of all.splice(from, to - from, stretch)) {
      if (kept) this.#replaced.push({ folder, through_path })
    }
    this.#unkept.push({ folder, stretch })
  }

  /** A row was written, or is about to be: inside the transaction. */
  touch(folder: number, path: string): void {
    // What is not in memory any more may hold the path as well, and would be believed after a restart.
    this.#dropReplaced()
    const all = this.#of(folder)
    if (all.length === 0) return
    const at = firstThrough(all, path)
    const found = all[at]
    if (found === undefined || !isBefore(found.after_path, path)) return
    all.splice(at, 1)
    if (found.kept) this.#delete.run(folder, found.through_path)
  }

  /** Inside a transaction, before it commits. */
  flush(): void {
    if (this.#unkept.length === 0) return
    this.#dropReplaced()
    for (const { folder, stretch } of this.#unkept) {
      // It may have been taken away or replaced since.
      const all = this.#of(folder)
      if (all[firstThrough(all, stretch.through_path)] !== stretch) continue
      this.#put.run(folder, stretch.through_path, stretch.after_path, stretch.digest)
      stretch.kept = true
    }
    this.#unkept = []
  }

  /** After a rollback: the table is the truth. */
  reload(): void {
    this.#by_folder.clear()
    this.#unkept = []
    this.#replaced = []
  }

  #dropReplaced(): void {
    for (const { folder, through_path } of this.#replaced) this.#delete.run(folder, through_path)
    this.#replaced = []
  }

  #of(folder: number): Kept[] {
    let all = this.#by_folder.get(folder)
    if (all === undefined) {
      all = (this.#load.all(folder) as (KnownStretch & { kept: number })[]).map((row) => ({ ...row, kept: true }))
      this.#by_folder.set(folder, all)
    }
    return all
  }
}

/** Index of the first that ends at `path` or after it. */
function firstThrough(all: readonly KnownStretch[], path: string): number {
  return firstWhere(all, ({ through_path }) => through_path === path || isBefore(path, through_path))
}

/** Index of the first that ends after `path`. */
function firstBeyond(all: readonly KnownStretch[], path: string): number {
  return firstWhere(all, ({ through_path }) => isBefore(path, through_path))
}

/** `holds` holds for none, and from some index on for all. */
function firstWhere(all: readonly KnownStretch[], holds: (stretch: KnownStretch) => boolean): number {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(all[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
