import type { Sqlite } from '../base/sqlite.ts'

/** What the blob store says of a stored object: both were measured on the bytes as they were written. */
export interface StoredObject {
  size_in_bytes: number
  md5: string
}

export type ObjectPlace = { bytes: Buffer } | { file: string }

export interface ObjectStore {
  /** Puts the object in place of an earlier one; answers the earlier one's file, which nothing names any more. */
  put(asset: number, object: StoredObject & ObjectPlace): string | undefined
  stat(asset: number): StoredObject | undefined
  placeOf(asset: number): ObjectPlace | undefined
  /** Whether a row names this file of the objects folder. */
  names(file: string): boolean
}

export function openObjectStore(database: Sqlite): ObjectStore {
  const put = database.prepare(
    'INSERT OR REPLACE INTO objects (asset, size_in_bytes, md5, bytes, file) VALUES (?, ?, ?, ?, ?)',
  )
  const stat = database.prepare('SELECT size_in_bytes, md5 FROM objects WHERE asset = ?')
  const file_of = database.prepare('SELECT file FROM objects WHERE asset = ?')
  const place = database.prepare('SELECT bytes, file FROM objects WHERE asset = ?')
  const named = database.prepare('SELECT 1 FROM objects WHERE file = ?')

  return {
    put(asset, object) {
      const earlier = file_of.get(asset) as { file: string | null } | undefined
      const bytes = 'bytes' in object ? object.bytes : null
      const file = 'file' in object ? object.file : null
      put.run(asset, object.size_in_bytes, object.md5, bytes, file)
      return earlier?.file ?? undefined
    },
    stat: (asset) => stat.get(asset) as StoredObject | undefined,
    placeOf(asset) {
      const row = place.get(asset) as { bytes: Buffer | null; file: string | null } | undefined
      if (!row) return undefined
      return row.file === null ? { bytes: row.bytes ?? Buffer.alloc(0) } : { file: row.file }
    },
    names: (file) => named.get(file) !== undefined,
  }
}
