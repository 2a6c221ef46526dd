import type { Sqlite } from '../base/sqlite.ts'
import type { LargeLimit } from './ledger.ts'

interface Change {
  folder: number
  stage: string
  files: number
  bytes: number
}

/**
 * Gathers changes of (folder, stage) during a transaction and writes each once at its end, so that status at a million files
 * is a read of ten rows.
 */
export class Counts {
  readonly #changes = new Map<string, Change>()
  /** Mostly the next file is of the same: a key takes longer to make than the sum. */
  #last: Change | undefined
  readonly #write
  readonly #known

  constructor(database: Sqlite) {
    this.#known = database
      .prepare(`SELECT coalesce(sum(files), 0) FROM counts WHERE folder = ? AND stage <> 'gone'`)
      .pluck()
    this.#write = database.prepare(
      `INSERT INTO counts (folder, stage, files, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT (folder, stage) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
    )
  }

  /** Files that should be there, as of the last write. */
  knownIn(folder: number): number {
    return this.#known.get(folder) as number
  }

  add(folder: number, stage: string, files: number, bytes: number): void {
    const change = this.#of(folder, stage)
    change.files += files
    change.bytes += bytes
  }

  /** Inside the transaction, before it commits. */
  flush(): void {
    for (const { folder, stage, files, bytes } of this.#changes.values()) {
      if (files !== 0 || bytes !== 0) this.#write.run(folder, stage, files, bytes)
    }
    this.forget()
  }

  /** After a rollback. */
  forget(): void {
    this.#changes.clear()
    this.#last = undefined
  }

  #of(folder: number, stage: string): Change {
    if (this.#last?.folder === folder && this.#last.stage === stage) return this.#last
    const key = `${folder} ${stage}`
    this.#last = this.#changes.get(key) ?? { folder, stage, files: 0, bytes: 0 }
    this.#changes.set(key, this.#last)
    return this.#last
  }
}

/** How large the contents of one round of claims may still be: of large ones so many, then none. */
export class SizesLeft {
  readonly #over_bytes: number
  #left: number

  constructor(large: LargeLimit | undefined) {
    this.#over_bytes = large?.over_bytes ?? Number.MAX_SAFE_INTEGER
    this.#left = large?.most ?? 0
  }

  /** Bytes; what has more is left for another round. */
  get up_to(): number {
    return this.#left > 0 ? Number.MAX_SAFE_INTEGER : this.#over_bytes
  }

  take(bytes: number): void {
    if (bytes > this.#over_bytes) this.#left--
  }
}
