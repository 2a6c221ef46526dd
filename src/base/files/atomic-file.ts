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

/**
 * Reads a small UTF-8 file that a user named. It refuses a pipe, a device or a file over
 * `max_bytes` at once. Errors: Node's own, or one that says what the path is instead.
 */
export function readSmallFile(file: string, max_bytes: number): string {
  const { stat, bytes } = readBeginning(file, max_bytes + 1)
  if (!stat.isFile())
    throw new Error(stat.isDirectory() ? 'it is a directory' : 'it is no regular file')
  if (stat.size > max_bytes) throw new Error(`it has ${stat.size} bytes, more than ${max_bytes}`)
  // Files in /proc report size 0.
  if (bytes.length > max_bytes) throw new Error(`it has more than ${max_bytes} bytes`)
  return bytes.toString('utf8')
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
const largest_certificates_bytes = 4 * 2 ** 20

export function readCertificates(file: string): string {
  return readSmallFile(file, largest_certificates_bytes)
}
