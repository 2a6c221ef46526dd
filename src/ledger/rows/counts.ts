import { readOne, type Sqlite, type Statement } from '../../base/files/sqlite.ts'
import { day_ms, hour_ms } from '../../base/time/time.ts'
import type { LargeLimit } from '../ledger.ts'

/**
 * Sums of files and bytes by two keys. They are collected during a transaction, and each is written
 * once at its end: a first scan adds to one row a hundred thousand times.
 */
function gatherSums<One, Other>(write: Statement) {
  type Sum = { files: number; bytes: number }
  const gathered = new Map<One, Map<Other, Sum>>()

  function add(one: One, other: Other, files: number, bytes: number): void {
    const of_one = gathered.get(one) ?? new Map<Other, Sum>()
    const sum = of_one.get(other) ?? { files: 0, bytes: 0 }
    sum.files += files
    sum.bytes += bytes
    gathered.set(one, of_one.set(other, sum))
  }

  /** Call this inside the transaction, before it commits. */
  function flush(): void {
    for (const [one, of_one] of gathered) {
      for (const [other, { files, bytes }] of of_one) {
        if (files !== 0 || bytes !== 0) write.run(one, other, files, bytes)
      }
    }
    gathered.clear()
  }

  /** Call this after a rollback. */
  function forget(): void {
    gathered.clear()
  }

  return { add, flush, forget }
}

/** Files and bytes by folder and stage, so that status reads ten rows for a million files. */
export function createCounts(database: Sqlite) {
  const sums = gatherSums<number, string>(
    database.prepare(
      `INSERT INTO counts (folder, stage, files, bytes) VALUES (?, ?, ?, ?)
         ON CONFLICT (folder, stage) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
    ),
  )
  const known = database
    .prepare(`SELECT coalesce(sum(files), 0) FROM counts WHERE folder = ? AND stage <> 'gone'`)
    .pluck()
  return {
    ...sums,
    /** The number of files that should be in the folder, as of the last write. */
    knownIn: (folder: number) => readOne<number>(known, folder)!,
  }
}

export type Counts = ReturnType<typeof createCounts>

/**
 * The content sizes that one round of claims may still take: `large.most` large ones, then none.
 */
export function createSizesLeft(large: LargeLimit | undefined) {
  const over_bytes: number = large?.over_bytes ?? Number.MAX_SAFE_INTEGER
  let left: number = large?.most ?? 0

  /** Bytes; a larger content waits for another round. */
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

/**
 * Kinds of usage. The last two name a folder by its id. `removed in`: assets removed on the service
 * without a user's acceptance. `deleted in`: those of them whose files were deleted.
 */
export type Used = 'wanted' | 'sent' | `removed in ${number}` | `deleted in ${number}`

/** Sums by the hour, for the upload limit and the other limits. Kept for a week, for users. */
export function createUsage(database: Sqlite) {
  const gathered = gatherSums<Used, number>(
    database.prepare(
      `INSERT INTO usage (what, hour_ms, files, bytes) VALUES (?, ?, ?, ?)
         ON CONFLICT (what, hour_ms) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
    ),
  )
  /**
   * The last sum asked for, by kind: the upload limit asks for each new file. A sum includes what
   * is not written yet.
   */
  const sums = new Map<Used, { files: number; bytes: number; first_hour_ms: number }>()
  const since = usedSince(database)
  const trim_sql = database.prepare('DELETE FROM usage WHERE hour_ms < ?')

  function add(what: Used, bytes: number, at_ms: number): void {
    const began_ms = Math.floor(at_ms / hour_ms) * hour_ms
    const known = sums.get(what)
    if (known && began_ms >= known.first_hour_ms) {
      known.files += 1
      known.bytes += bytes
    }
    gathered.add(what, began_ms, 1, bytes)
  }

  /** Call this after a rollback. */
  function forget(): void {
    gathered.forget()
    sums.clear()
  }

  /** Sum of the hours that began less than `span_ms` before `at_ms`. */
  function over(what: Used, span_ms: number, at_ms: number): { files: number; bytes: number } {
    const after_ms = at_ms - span_ms
    const known = sums.get(what)
    // Hours count as a whole, so the sum can differ only if the span now begins in another hour.
    if (known?.first_hour_ms === firstHour_ms(after_ms)) return { files: known.files, bytes: known.bytes }
    gathered.flush()
    const sum = since(what, after_ms)
    sums.set(what, { ...sum, first_hour_ms: firstHour_ms(after_ms) })
    return sum
  }

  function trim(at_ms: number): void {
    sums.clear()
    trim_sql.run(at_ms - 7 * day_ms)
  }

  return { add, flush: gathered.flush, forget, over, trim }
}

export type Usage = ReturnType<typeof createUsage>

/** Sums up what was used in the hours that began after a time. */
export function usedSince(database: Sqlite) {
  const sum = database.prepare(
    'SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM usage WHERE what = ? AND hour_ms > ?',
  )
  return (what: Used, after_ms: number) => readOne<{ files: number; bytes: number }>(sum, what, after_ms)!
}

/** Begin of the first hour after this time. */
function firstHour_ms(after_ms: number): number {
  return (Math.floor(after_ms / hour_ms) + 1) * hour_ms
}
