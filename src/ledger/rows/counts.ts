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
    /** The number of files that should be in the folder, without sums that are not flushed yet. */
    knownIn: (folder: number) => readOne<number>(known, folder)!,
  }
}

export type Counts = ReturnType<typeof createCounts>

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
  /** The last sum by kind, including what is not written yet: each new file asks for it. */
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
    if (known?.first_hour_ms === nextHour(after_ms))
      return { files: known.files, bytes: known.bytes }
    gathered.flush()
    const sum = since(what, after_ms)
    sums.set(what, { ...sum, first_hour_ms: nextHour(after_ms) })
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
  return (what: Used, after_ms: number) =>
    readOne<{ files: number; bytes: number }>(sum, what, after_ms)!
}

/** Begin of the first hour after this time. Usage is counted by the hour. */
export function nextHour(after_ms: number): number {
  return (Math.floor(after_ms / hour_ms) + 1) * hour_ms
}

/** Limits of one claim of uploads: bytes of the day, and places for large contents. */
export class UploadAllowance {
  /**
   * True during a pause, and once a content had to wait for the daily limit. Smaller ones must not
   * pass it, or it might wait for ever.
   */
  exhausted: boolean
  #bytes_left: number
  #untouched: boolean
  readonly #over_bytes: number
  #large_left: number

  /** `used_bytes`: sent within a day or in flight. Without a daily limit it is 0. */
  constructor(limits: {
    is_paused: boolean
    max_bytes: number | undefined
    used_bytes: number
    large: LargeLimit | undefined
  }) {
    this.exhausted = limits.is_paused
    this.#bytes_left = (limits.max_bytes ?? Number.POSITIVE_INFINITY) - limits.used_bytes
    this.#untouched = limits.used_bytes === 0
    this.#over_bytes = limits.large?.over_bytes ?? Number.MAX_SAFE_INTEGER
    this.#large_left = limits.large?.max ?? 0
  }

  /** Maximum bytes of one content; a larger one waits for another claim, and others go first. */
  get up_to(): number {
    return this.#large_left > 0 ? Number.MAX_SAFE_INTEGER : this.#over_bytes
  }

  /**
   * Returns false if these bytes must wait. A content larger than the daily limit passes if nothing
   * else was sent within a day. Otherwise it would never go.
   */
  take(bytes: number): boolean {
    if (this.exhausted || (bytes > this.#bytes_left && !this.#untouched)) {
      this.exhausted = true
      return false
    }
    this.#bytes_left -= bytes
    if (bytes > 0) this.#untouched = false
    if (bytes > this.#over_bytes) this.#large_left--
    return true
  }
}
