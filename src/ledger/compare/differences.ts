import type { Sqlite } from '../../base/files/sqlite.ts'
import { type Differences, most_missing, type Stretch } from '../ledger.ts'
import { after_all_paths, isBefore } from '../path-order.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { KnownStretch, KnownStretches } from '../rows/known-stretches.ts'

/** Row of a file in the range, as a plain array. SQL leaves out gone files. */
type Row = [path: string, state: string, size: bigint, mtime_ns: bigint, ctime_ns: bigint, inode: bigint]

export const no_differences: Differences = {
  changed: new Uint32Array(),
  unknown: new Uint32Array(),
  missing: [],
  missing_total: 0,
}

/** Compares a range of a walk with the ledger's rows. Both are sorted by bytes and read once. */
export function createDifferenceFinder(database: Sqlite, stretches: KnownStretches) {
  const rows_sql = database
    .prepare(
      `SELECT path, state, size, mtime_ns, ctime_ns, inode FROM files
         WHERE folder = ? AND path > ? AND path <= ? AND state <> 'gone' ORDER BY path`,
    )
    .safeIntegers(true)
    .raw(true)

  function find(folder: FolderRow, stretch: Stretch): Differences {
    const learnable = knownStretch(stretch)
    if (learnable && stretches.isKnown(folder.id, learnable)) {
      return no_differences
    }
    const { after_path, through_path } = stretch
    const rows = rows_sql.all(folder.id, after_path ?? '', through_path ?? after_all_paths) as Row[]
    const found = merge(rows, stretch)
    // Equal numbers show that the walk found every row. `missing` leaves out `seen` files.
    const is_same = found.changed.length + found.missing_total === 0 && rows.length === stretch.ends.length
    if (learnable && is_same) stretches.learn(folder.id, learnable)
    return found
  }

  return { find }
}

export type DifferenceFinder = ReturnType<typeof createDifferenceFinder>

function knownStretch({ after_path, through_path, digest }: Stretch): KnownStretch | undefined {
  if (digest === undefined || through_path === undefined) return undefined
  return { after_path: after_path ?? '', through_path, digest }
}

function merge(rows: readonly Row[], { names, ends, stats }: Stretch): Differences {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const changed: number[] = []
  const unknown: number[] = []
  const missing: string[] = []
  let missing_total = 0
  let at = 0
  const miss = (row: Row) => {
    // A `seen` file has a check ahead, which records if it is gone.
    if (row[1] === 'seen') return
    missing_total++
    if (missing.length < most_missing) missing.push(row[0])
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
  return { changed: Uint32Array.from(changed), unknown: Uint32Array.from(unknown), missing, missing_total }
}

function differs(row: Row, stats: BigInt64Array, at: number): boolean {
  if (row[2] !== stats[at] || row[3] !== stats[at + 1] || row[4] !== stats[at + 2]) return true
  const inode = stats[at + 3]
  return inode !== 0n && row[5] !== inode
}
