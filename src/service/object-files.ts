import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredObject } from './store-objects.ts'

/**
 * Objects that are too large for the database, one file each. A file is whole and on the disk before a row names it; a file
 * that no row names is left over from a crash or an upload that broke off, and goes at the next start.
 */
export interface ObjectFiles {
  begin(): Promise<ObjectWriter>
  read(file: string): Buffer
  remove(file: string): Promise<void>
  /** Removes every file that `names` does not know. */
  sweep(names: (file: string) => boolean): Promise<number>
}

export interface ObjectWriter {
  readonly file: string
  write(chunk: Buffer): Promise<void>
  /** Flushes the bytes and their name to the disk. */
  finish(): Promise<StoredObject>
  discard(): Promise<void>
}

export function openObjectFiles(folder: string): ObjectFiles {
  async function remove(file: string): Promise<void> {
    await rm(join(folder, file), { force: true })
  }

  return {
    async begin() {
      const file = randomUUID()
      return writerOf(folder, file, await open(join(folder, file), 'wx', 0o600))
    },
    read: (file) => readFileSync(join(folder, file)),
    remove,
    async sweep(names) {
      let removed = 0
      for (const file of await readdir(folder)) {
        if (names(file)) continue
        await remove(file)
        removed++
      }
      return removed
    },
  }
}

function writerOf(folder: string, file: string, handle: FileHandle): ObjectWriter {
  const md5 = createHash('md5')
  let size_in_bytes = 0
  return {
    file,
    async write(chunk) {
      md5.update(chunk)
      size_in_bytes += chunk.length
      await handle.writeFile(chunk)
    },
    async finish() {
      await handle.sync()
      await handle.close()
      await syncFolder(folder)
      return { size_in_bytes, md5: md5.digest('hex') }
    },
    async discard() {
      await handle.close()
      await rm(join(folder, file), { force: true })
    },
  }
}

/** The name of a new file is on the disk only after its folder was flushed (fsync(2)). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
