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
export function createCounts(database: Sqlite) {
  const changes = new Map<string, Change>()
  /** Mostly the next file is of the same: a key takes longer to make than the sum. */
  let last: Change | undefined
  const known = database
    .prepare(`SELECT coalesce(sum(files), 0) FROM counts WHERE folder = ? AND stage <> 'gone'`)
    .pluck()
  const write = database.prepare(
    `INSERT INTO counts (folder, stage, files, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT (folder, stage) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
  )

  /** Files that should be there, as of the last write. */
  function knownIn(folder: number): number {
    return known.get(folder) as number
  }

  function add(folder: number, stage: string, files: number, bytes: number): void {
    const change = changeOf(folder, stage)
    change.files += files
    change.bytes += bytes
  }

  /** Inside the transaction, before it commits. */
  function flush(): void {
    for (const { folder, stage, files, bytes } of changes.values()) {
      if (files !== 0 || bytes !== 0) write.run(folder, stage, files, bytes)
    }
    forget()
  }

  /** After a rollback. */
  function forget(): void {
    changes.clear()
    last = undefined
  }

  function changeOf(folder: number, stage: string): Change {
    if (last?.folder === folder && last.stage === stage) return last
    const key = `${folder} ${stage}`
    last = changes.get(key) ?? { folder, stage, files: 0, bytes: 0 }
    changes.set(key, last)
    return last
  }

  return { knownIn, add, flush, forget }
}

export type Counts = ReturnType<typeof createCounts>

/** How large the contents of one round of claims may still be: of large ones so many, then none. */
export function createSizesLeft(large: LargeLimit | undefined) {
  const over_bytes: number = large?.over_bytes ?? Number.MAX_SAFE_INTEGER
  let left: number = large?.most ?? 0

  /** Bytes; what has more is left for another round. */
  function up_to(): number {
    return left > 0 ? Number.MAX_SAFE_INTEGER : over_bytes
  }

  function take(bytes: number): void {
    if (bytes > over_bytes) left--
  }

  return {
    get up_to() {
      return up_to()
    },
    take,
  }
}

export type SizesLeft = ReturnType<typeof createSizesLeft>
