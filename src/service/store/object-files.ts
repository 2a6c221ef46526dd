import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { statementsOf } from './database.ts'

export type ObjectFiles = ReturnType<typeof openObjectFiles>
export type ObjectWriter = ReturnType<typeof writerOf>

/**
 * Objects that are too large for the database, one file each. A file is complete and on the disk
 * before a row names it. A crash or a broken upload can leave a file without a row; the next start
 * removes it.
 */
export function openObjectFiles(folder: string) {
  const remove = (file: string) => rm(join(folder, file), { force: true })

  return {
    async begin() {
      const file = randomUUID()
      return writerOf(folder, file, await open(join(folder, file), 'wx', 0o600))
    },
    remove,
    /** Removes every file for which `names` is false. Returns their number. */
    async sweep(names: (file: string) => boolean): Promise<number> {
      const unknown = (await readdir(folder)).filter((file) => !names(file))
      for (const file of unknown) await remove(file)
      return unknown.length
    },
  }
}

function writerOf(folder: string, file: string, handle: FileHandle) {
  const md5 = createHash('md5')
  let size_in_bytes = 0
  return {
    async write(chunk: Buffer): Promise<void> {
      md5.update(chunk)
      size_in_bytes += chunk.length
      await handle.writeFile(chunk)
    },
    /** Ends the file: flushes its bytes and its name to the disk. */
    async finish(): Promise<StoredObject & { file: string }> {
      await handle.sync()
      await handle.close()
      await syncFolder(folder)
      return { file, size_in_bytes, md5: md5.digest('hex') }
    },
    async discard(): Promise<void> {
      await handle.close()
      await rm(join(folder, file), { force: true })
    },
  }
}

/** The name of a new file is on the disk only after a flush of its folder (fsync(2)). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Size and MD5 of a stored object, measured while its bytes were written. */
export interface StoredObject {
  size_in_bytes: number
  md5: string
}

export type ObjectPlace = { bytes: Buffer } | { file: string }

export function openObjectStore(database: Sqlite) {
  const { one, value, run } = statementsOf(database)

  return {
    /** Replaces an earlier object. Returns its file, if any, which no row names any more. */
    put(asset: number, object: StoredObject & ObjectPlace): string | undefined {
      const earlier = value<string | null>('SELECT file FROM objects WHERE asset = ?', asset)
      run(
        `INSERT OR REPLACE INTO objects (asset, size_in_bytes, md5, bytes, file)
         VALUES (@asset, @size_in_bytes, @md5, @bytes, @file)`,
        { asset, bytes: null, file: null, ...object },
      )
      return earlier ?? undefined
    },
    stat: (asset: number) =>
      one<StoredObject>('SELECT size_in_bytes, md5 FROM objects WHERE asset = ?', asset),
    placeOf(asset: number): ObjectPlace | undefined {
      const sql = 'SELECT bytes, file FROM objects WHERE asset = ?'
      const row = one<{ bytes: Buffer | null; file: string | null }>(sql, asset)
      if (!row) return undefined
      return row.file === null ? { bytes: row.bytes ?? Buffer.alloc(0) } : { file: row.file }
    },
    /** True if a row names this file of the objects folder. */
    names: (file: string) => value('SELECT 1 FROM objects WHERE file = ?', file) !== undefined,
  }
}
