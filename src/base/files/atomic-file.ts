import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** A reader sees the old or the new content, even after a crash (rename(2), fsync(2)). */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`
  // Always a new file: in a directory of other users, a link could exist under its name.
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', mode)
  try {
    try {
      writeFileSync(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  flushToDisk(dirname(path))
}

/** Flushes the bytes of a file, or the names in a directory. */
export function flushToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The stat of a path and, for a regular file, its first bytes. `flags`: more of open(2). */
export function readBeginning(
  file: string,
  max_bytes: number,
  flags = 0,
): { stat: Stats; bytes: Buffer } {
  // O_NONBLOCK: opening a pipe would otherwise wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  try {
    const stat = fstatSync(descriptor)
    const bytes = Buffer.allocUnsafe(stat.isFile() ? max_bytes : 0)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    }
    return { stat, bytes: bytes.subarray(0, length) }
  } finally {
    closeSync(descriptor)
  }
}

/** Bytes. The usual bundle of all public authorities has about 250 kB. */
export const max_certificates_bytes = 4 * 2 ** 20
