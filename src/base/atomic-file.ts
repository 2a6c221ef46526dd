import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Writes a file so that a reader, and a crash at any moment, sees the old content or the new one, never a part: a temporary
 * file beside it, fsync, rename, fsync of the directory (rename(2), fsync(2)).
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`
  const descriptor = openSync(temporary, 'w', mode)
  try {
    if (typeof content === 'string') writeSync(descriptor, content)
    else writeSync(descriptor, content)
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
