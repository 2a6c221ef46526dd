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

/**
 * The text (UTF-8) of a file that people name and that is small; a pipe, a device or a film is refused at once, and not waited for or
 * read. Errors: Node's own, and one that says what it is instead.
 */
export function readSmallFile(file: string, most_bytes: number): string {
  const { stat, bytes } = readBeginning(file, most_bytes + 1)
  if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'it is a directory' : 'it is no regular file')
  if (stat.size > most_bytes) throw new Error(`it has ${stat.size} bytes, more than ${most_bytes}`)
  // Files of /proc tell no size.
  if (bytes.length > most_bytes) throw new Error(`it has more than ${most_bytes} bytes`)
  return bytes.toString('utf8')
}

/** What a file is, and its first bytes where it is a regular one. */
export function readBeginning(file: string, most_bytes: number): { stat: Stats; bytes: Buffer } {
  // Opening a pipe would otherwise wait for somebody to write into it.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    const bytes = Buffer.alloc(stat.isFile() ? most_bytes : 0)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    }
    return { stat, bytes: bytes.subarray(0, length) }
  } finally {
    closeSync(descriptor)
  }
}

/** The usual bundles of all authorities there are have a quarter of a megabyte. */
const largest_certificates_bytes = 4 * 2 ** 20

/** A file of certificates (PEM). */
export function readCertificates(file: string): string {
  return readSmallFile(file, largest_certificates_bytes)
}
