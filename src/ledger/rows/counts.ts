import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms, hour_ms } from '../../base/time/time.ts'
import type { LargeLimit } from '../ledger.ts'

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

/** The last two by the id of a folder: what was removed on the service without a person's word, and of that what was deleted here. */
export type Used = 'wanted' | 'sent' | `removed in ${number}` | `deleted in ${number}`

interface Sum {
  what: Used
  hour_ms: number
  files: number
  bytes: number
}

/** Rolling sums by the hour: what the brake and the limits look at. Kept for a week, for people. */
export function createUsage(database: Sqlite) {
  /** Not in the table yet: a first look adds a hundred thousand times to one row. */
  const gathered = new Map<string, Sum>()
  /** What was asked last of each: the brake asks for every new file. */
  const sums = new Map<Used, { files: number; bytes: number; first_hour_ms: number }>()
  /** The one that was added to last: a key takes longer to make than the sum. */
  let last: Sum | undefined
  const add_sql = database.prepare(
    `INSERT INTO usage (what, hour_ms, files, bytes) VALUES (?, ?, ?, ?)
       ON CONFLICT (what, hour_ms) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`,
  )
  const since = usedSince(database)
  const trim_sql = database.prepare('DELETE FROM usage WHERE hour_ms < ?')

  function add(what: Used, bytes: number, at_ms: number): void {
    const began_ms = Math.floor(at_ms / hour_ms) * hour_ms
    const known = sums.get(what)
    if (known && began_ms >= known.first_hour_ms) {
      known.files += 1
      known.bytes += bytes
    }
    const sum = gatheredOf(what, began_ms)
    sum.files += 1
    sum.bytes += bytes
  }

  function gatheredOf(what: Used, hour_ms: number): Sum {
    if (last?.what === what && last.hour_ms === hour_ms) return last
    const key = `${what} ${hour_ms}`
    last = gathered.get(key) ?? { what, hour_ms, files: 0, bytes: 0 }
    gathered.set(key, last)
    return last
  }

  /** Inside the transaction, before it commits. What was summed up stays true: it counts what is gathered with what is kept. */
  function flush(): void {
    for (const { what, hour_ms, files, bytes } of gathered.values()) add_sql.run(what, hour_ms, files, bytes)
    gathered.clear()
    last = undefined
  }

  /** After a rollback. */
  function forget(): void {
    gathered.clear()
    last = undefined
    sums.clear()
  }

  /** Sum of the hours that began less than `span_ms` before `at_ms`. */
  function over(what: Used, span_ms: number, at_ms: number): { files: number; bytes: number } {
    const after_ms = at_ms - span_ms
    const known = sums.get(what)
    // Hours count as a whole: the sum is another one only where the border passed the begin of one.
    if (known?.first_hour_ms === firstHour_ms(after_ms)) return { files: known.files, bytes: known.bytes }
    flush()
    const sum = since(what, after_ms)
    sums.set(what, { ...sum, first_hour_ms: firstHour_ms(after_ms) })
    return sum
  }

  function trim(at_ms: number): void {
    sums.clear()
    trim_sql.run(at_ms - 7 * day_ms)
  }

  return { add, flush, forget, over, trim }
}

export type Usage = ReturnType<typeof createUsage>

/** What was used in the hours that began after a time. */
export function usedSince(database: Sqlite) {
  const sum = database.prepare(
    'SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM usage WHERE what = ? AND hour_ms > ?',
  )
  return (what: Used, after_ms: number) => sum.get(what, after_ms) as { files: number; bytes: number }
}

/** The first hour that began after this. */
function firstHour_ms(after_ms: number): number {
  return (Math.floor(after_ms / hour_ms) + 1) * hour_ms
}
