import type { Sqlite } from '../../base/files/sqlite.ts'
import { isNewcomer } from '../../domain/disappearance.ts'
import { isBefore } from '../../domain/file.ts'
import { type Differences, max_missing, type PathRange } from '../ledger.ts'
import { after_all_paths, arrived_ms, is_evidence, is_skipped } from './file-rows.ts'
import type { FolderRow } from './folder-row.ts'

export interface KnownRange {
  /** Exclusive; '' for the start of the folder. */
  after_path: string
  /** Inclusive. */
  through_path: string
  digest: string
}

interface Kept extends KnownRange {
  /** True if the table has this range, too. */
  kept: boolean
}

/**
 * The ranges that a scan found to be exactly as the rows say. They are few, so they are kept in
 * memory. A new range reaches the table when the next facts are recorded. When a row is written,
 * its range leaves the table in the same transaction.
 */
export function createKnownRanges(database: Sqlite) {
  /** Ranges by folder, in the order of their paths. */
  const by_folder = new Map<number, Kept[]>()
  let unkept: { folder: number; range: Kept }[] = []
  /** Replaced ranges that are still in the table. They would overlap the newer ones. */
  let replaced: { folder: number; through_path: string }[] = []
  const load = database.prepare(
    'SELECT after_path, through_path, digest, 1 AS kept FROM known_ranges WHERE folder = ? ORDER BY through_path',
  )
  const put = database.prepare(
    'INSERT OR REPLACE INTO known_ranges (folder, through_path, after_path, digest) VALUES (?, ?, ?, ?)',
  )
  const delete_sql = database.prepare(
    'DELETE FROM known_ranges WHERE folder = ? AND through_path = ?',
  )

  function isKnown(folder: number, { after_path, through_path, digest }: KnownRange): boolean {
    const all = ofOwn(folder)
    const found = all[firstThrough(all, through_path)]
    return (
      found?.through_path === through_path &&
      found.after_path === after_path &&
      found.digest === digest
    )
  }

  /** Changes only memory, because it is called in the middle of a read. */
  function learn(folder: number, learned: KnownRange): void {
    const all = ofOwn(folder)
    const from = firstBeyond(all, learned.after_path)
    let to = from
    while (to < all.length && isBefore(all[to]!.after_path, learned.through_path)) to++
    const range = { ...learned, kept: false }
    for (const { kept, through_path } of all.splice(from, to - from, range)) {
      if (kept) replaced.push({ folder, through_path })
    }
    unkept.push({ folder, range })
  }

  /** Call this inside the transaction, when a row was written or is about to be. */
  function touch(folder: number, path: string): void {
    // A replaced range in the table may have the path, too, and would count after a restart.
    dropReplaced()
    const all = ofOwn(folder)
    if (all.length === 0) return
    const at = firstThrough(all, path)
    const found = all[at]
    if (found === undefined || !isBefore(found.after_path, path)) return
    all.splice(at, 1)
    if (found.kept) delete_sql.run(folder, found.through_path)
  }

  /** Call this inside a transaction, before it commits. */
  function flush(): void {
    if (unkept.length === 0) return
    dropReplaced()
    for (const { folder, range } of unkept) {
      // The range may have been removed or replaced since.
      const all = ofOwn(folder)
      if (all[firstThrough(all, range.through_path)] !== range) continue
      put.run(folder, range.through_path, range.after_path, range.digest)
      range.kept = true
    }
    unkept = []
  }

  /** Call this after a rollback. The table has the truth. */
  function reload(): void {
    by_folder.clear()
    unkept = []
    replaced = []
  }

  function dropReplaced(): void {
    for (const { folder, through_path } of replaced) delete_sql.run(folder, through_path)
    replaced = []
  }

  function ofOwn(folder: number): Kept[] {
    let all = by_folder.get(folder)
    if (all === undefined) {
      all = (load.all(folder) as (KnownRange & { kept: number })[]).map((row) => ({
        ...row,
        kept: true,
      }))
      by_folder.set(folder, all)
    }
    return all
  }

  return { isKnown, learn, touch, flush, reload }
}

export type KnownRanges = ReturnType<typeof createKnownRanges>

/** Index of the first range that ends at `path` or after it. */
function firstThrough(all: readonly KnownRange[], path: string): number {
  return firstWhere(
    all,
    ({ through_path }) => through_path === path || isBefore(path, through_path),
  )
}

/** Index of the first range that ends after `path`. */
function firstBeyond(all: readonly KnownRange[], path: string): number {
  return firstWhere(all, ({ through_path }) => isBefore(path, through_path))
}

/** The first index where `holds` is true. It must be true for all that follow. */
function firstWhere(all: readonly KnownRange[], holds: (range: KnownRange) => boolean): number {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(all[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** Row of a file in the range, as a plain array. SQL leaves out gone files. */
type Row = [
  path: string,
  state: string,
  size: bigint,
  mtime_ns: bigint,
  ctime_ns: bigint,
  inode: bigint,
  is_evidence: bigint,
  is_skipped: bigint,
  arrived_ms: bigint | null,
]

export const no_differences: Differences = {
  changed: new Uint32Array(),
  unknown: new Uint32Array(),
  missing: [],
  missing_total: 0,
  lost: 0,
  lost_newcomers: 0,
  lost_skipped: 0,
}

/** Compares a range of a walk with the ledger's rows. Both are sorted by bytes and read once. */
export function createDifferenceFinder(database: Sqlite, ranges: KnownRanges) {
  const rows_sql = database
    .prepare(
      `SELECT path, state, size, mtime_ns, ctime_ns, inode, ${is_evidence}, ${is_skipped},
           ${arrived_ms} FROM files
         WHERE folder = ? AND path > ? AND path <= ? AND state <> 'gone' ORDER BY path`,
    )
    .safeIntegers(true)
    .raw(true)

  function find(folder: FolderRow, range: PathRange, now_ms: number): Differences {
    const learnable = knownRange(range)
    if (learnable && ranges.isKnown(folder.id, learnable)) {
      return no_differences
    }
    const { after_path, through_path } = range
    const rows = rows_sql.all(folder.id, after_path ?? '', through_path ?? after_all_paths) as Row[]
    const found = merge(rows, range, now_ms)
    const is_same = found.changed.length + found.missing_total === 0
    if (learnable && is_same) ranges.learn(folder.id, learnable)
    return found
  }

  return { find }
}

function knownRange({ after_path, through_path, digest }: PathRange): KnownRange | undefined {
  if (digest === undefined || through_path === undefined) return undefined
  return { after_path: after_path ?? '', through_path, digest }
}

function merge(
  rows: readonly Row[],
  { names, ends, stats }: PathRange,
  now_ms: number,
): Differences {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const changed: number[] = []
  const unknown: number[] = []
  const missing: string[] = []
  let missing_total = 0
  let lost = 0
  let lost_newcomers = 0
  let lost_skipped = 0
  let at = 0
  const miss = (row: Row) => {
    lost += Number(row[6])
    if (row[6] === 1n && isNewcomer(Number(row[8] ?? 0), now_ms)) lost_newcomers += 1
    lost_skipped += Number(row[7])
    missing_total++
    if (missing.length < max_missing) missing.push(row[0])
  }
  for (let entry = 0; entry < ends.length; entry++) {
    const path = bytes.toString('utf8', entry === 0 ? 0 : ends[entry - 1]!, ends[entry]!)
    let row = rows[at]
    while (row !== undefined && row[0] !== path && isBefore(row[0], path)) {
      miss(row)
      row = rows[++at]
    }
    if (row === undefined || row[0] !== path) {
      changed.push(entry)
      unknown.push(entry)
    } else {
      at++
      if (differs(row, stats, entry * 4)) changed.push(entry)
    }
  }
  for (; at < rows.length; at++) miss(rows[at]!)
  return {
    changed: Uint32Array.from(changed),
    unknown: Uint32Array.from(unknown),
    missing,
    missing_total,
    lost,
    lost_newcomers,
    lost_skipped,
  }
}

function differs(row: Row, stats: BigInt64Array, at: number): boolean {
  if (row[2] !== stats[at] || row[3] !== stats[at + 1] || row[4] !== stats[at + 2]) return true
  const inode = stats[at + 3]
  return inode !== 0n && row[5] !== inode
}
