import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Writes a file so that a reader, and a crash at any moment, sees the old content or the new one, never a part: a temporary
 * file beside it, fsync, rename, fsync of the directory (rename(2), fsync(2)).
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`
  // Made anew, never written through: in a directory of others a link could stand under its name.
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', mode)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, path)
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
