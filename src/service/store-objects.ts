import type { Sqlite } from '../base/sqlite.ts'
import { statementsOf } from './database.ts'

/** What the blob store says of a stored object: both were measured on the bytes as they were written. */
export interface StoredObject {
  size_in_bytes: number
  md5: string
}

export type ObjectPlace = { bytes: Buffer } | { file: string }

export function openObjectStore(database: Sqlite) {
  const { one, value, run } = statementsOf(database)

  return {
    /** Puts the object in place of an earlier one; answers the earlier one's file, which nothing names any more. */
    put(asset: number, object: StoredObject & ObjectPlace): string | undefined {
      const earlier = value<string | null>('SELECT file FROM objects WHERE asset = ?', asset)
      run(
        `INSERT OR REPLACE INTO objects (asset, size_in_bytes, md5, bytes, file)
         VALUES (@asset, @size_in_bytes, @md5, @bytes, @file)`,
        { asset, bytes: null, file: null, ...object },
      )
      return earlier ?? undefined
    },
    stat: (asset: number) => one<StoredObject>('SELECT size_in_bytes, md5 FROM objects WHERE asset = ?', asset),
    placeOf(asset: number): ObjectPlace | undefined {
      const sql = 'SELECT bytes, file FROM objects WHERE asset = ?'
      const row = one<{ bytes: Buffer | null; file: string | null }>(sql, asset)
      if (!row) return undefined
      return row.file === null ? { bytes: row.bytes ?? Buffer.alloc(0) } : { file: row.file }
    },
    /** Whether a row names this file of the objects folder. */
    names: (file: string) => value('SELECT 1 FROM objects WHERE file = ?', file) !== undefined,
  }
}
