import type { Sqlite } from '../base/sqlite.ts'
import type { FolderRow } from './folder-rows.ts'
import { type Differences, most_missing, type Stretch } from './ledger.ts'

/** In SQLite every text sorts before every blob: the end of the paths, whatever they are. */
export const after_all_paths = Buffer.alloc(0)

/**
 * Rows of a stretch as plain arrays: path, state, reason, size, mtime_ns, ctime_ns, inode. A row that cannot differ is left out
 * in SQL: gone files, and files that are already waiting for their next look.
 */
type Row = [path: string, state: string, size: bigint, mtime_ns: bigint, ctime_ns: bigint, inode: bigint]

/** Merges a stretch of the walk with the ledger's rows in the same order: both sides sorted by bytes, each read once. */
export class DifferenceFinder {
  readonly #rows

  constructor(database: Sqlite) {
    this.#rows = database
      .prepare(
        `SELECT path, state, size, mtime_ns, ctime_ns, inode FROM files
         WHERE folder = ? AND path > ? AND path <= ? AND state <> 'gone' ORDER BY path`,
      )
      .safeIntegers(true)
      .raw(true)
  }

  find(folder: FolderRow, { after_path, through_path, names, ends, stats }: Stretch): Differences {
    const rows = this.#rows.all(folder.id, after_path ?? '', through_path ?? after_all_paths) as Row[]
    const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
    const changed: number[] = []
    const missing: string[] = []
    let missing_total = 0
    let at = 0
    const miss = (row: Row) => {
      // A waiting file is looked at when its time comes, and found missing then.
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
      if (row === undefined || row[0] !== path) changed.push(entry)
      else {
        at++
        if (differs(row, stats, entry * 4)) changed.push(entry)
      }
    }
    for (; at < rows.length; at++) miss(rows[at]!)
    return { changed: Uint32Array.from(changed), missing, missing_total }
  }
}

function differs(row: Row, stats: BigInt64Array, at: number): boolean {
  return row[2] !== stats[at] || row[3] !== stats[at + 1] || row[4] !== stats[at + 2] || row[5] !== stats[at + 3]
}

/** Byte order of UTF-8. JavaScript compares UTF-16 units, which differs where a surrogate meets a unit from U+E000 on. */
export function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return rank(x) < rank(y)
  }
  return a.length < b.length
}

/** Surrogates stand for code points above the whole Basic Multilingual Plane. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
