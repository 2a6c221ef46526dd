import { createHash, hash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { entryKind } from './entry.ts'
import type { FingerprintAnswer, LookAnswer, NotHashed, WholeAnswer } from './examine-wire.ts'
import { type DirectoryOutcome, notOpened, openDirectory, realRoot } from './inside.ts'
import { keptTime, putStat } from './scan-batch.ts'

/**
 * The synchronous work of an examiner's thread. A small file costs open, fstat, read, fstat and close, and nothing else: paths
 * come in groups that share directories, so a directory is opened and checked once for a row of its files.
 */

/** Never blocks on a FIFO, never follows a link at the end of the path. */
const open_flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const big = { bigint: true } as const

/** One for the thread, used only between two yields. */
const buffer = Buffer.allocUnsafeSlow(1_048_576)

/** About 50 ms of md5: after so much of a large file the thread looks whether small ones wait. */
const bytes_per_turn = 32 * 1_048_576

export function lstatAll(root: string, paths: readonly string[], progressed: () => void): LookAnswer {
  const directories = createDirectories(root)
  const stats = new BigInt64Array(4 * paths.length)
  const lookAt = (path: string, index: number): LookAnswer['others'][number] => {
    progressed()
    const { directory, name } = directories.of(path)
    if (directory.kind === 'outside') return { kind: 'missing' }
    if (directory.kind !== 'open') return directory
    const stat = lstatSync(directory.prefix + name, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return { kind: 'missing' }
    const kind = entryKind(stat.mode)
    if (kind === 'directory') return { kind }
    if (kind !== 'file') return { kind: 'special', what: kind }
    putStat(stats, index, stat)
    return undefined
  }
  try {
    return { others: paths.map((path, index) => orNotOpened(() => lookAt(path, index))), stats }
  } finally {
    directories.close()
  }
}

/** Yields between slices of large files, so that the thread can do something else in between. */
export function* fingerprintAll(
  root: string,
  paths: readonly string[],
  expected: BigInt64Array,
  progressed: () => void,
): Generator<void, FingerprintAnswer> {
  const directories = createDirectories(root)
  const answer: FingerprintAnswer = []
  try {
    for (const [index, path] of paths.entries()) {
      progressed()
      const opened = openExpected(directories, path, expected, index)
      if (opened.kind !== 'open') {
        answer.push(opened)
        continue
      }
      try {
        const md5 = opened.size <= buffer.length ? hashSmall(opened) : yield* hashLarge(opened, progressed)
        answer.push(md5 !== undefined && isAsExpected(opened, expected, index) ? md5 : changed)
      } catch (error) {
        answer.push(notOpened(error))
      } finally {
        closeSync(opened.descriptor)
      }
    }
    return answer
  } finally {
    directories.close()
  }
}

/** Reads a file that fits into memory, and hashes the same bytes. */
export function readWhole(root: string, path: string, expected: BigInt64Array): WholeAnswer {
  const directories = createDirectories(root)
  try {
    const opened = openExpected(directories, path, expected, 0)
    if (opened.kind !== 'open') return opened
    try {
      const bytes = Buffer.allocUnsafeSlow(opened.size)
      if (!fill(opened.descriptor, bytes) || !isAsExpected(opened, expected, 0)) return changed
      return { kind: 'read', bytes, md5: hash('md5', bytes, 'hex') }
    } finally {
      closeSync(opened.descriptor)
    }
  } catch (error) {
    return notOpened(error)
  } finally {
    directories.close()
  }
}

interface OpenFile {
  readonly kind: 'open'
  readonly descriptor: number
  readonly size: number
}

const changed: NotHashed = { kind: 'changed' }

/** Opens a file and compares it with the stat it should have, before a byte is read: a FIFO or a device is never read. */
function openExpected(
  directories: Directories,
  path: string,
  expected: BigInt64Array,
  index: number,
): OpenFile | NotHashed {
  const { directory, name } = directories.of(path)
  if (directory.kind !== 'open') return directory
  let descriptor: number | undefined
  try {
    descriptor = openSync(directory.prefix + name, open_flags)
    const stat = fstatSync(descriptor, big)
    if (hasStat(stat, expected, index)) return { kind: 'open', descriptor, size: Number(stat.size) }
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    return notOpened(error)
  }
  closeSync(descriptor)
  return changed
}

function isAsExpected({ descriptor }: OpenFile, expected: BigInt64Array, index: number): boolean {
  return hasStat(fstatSync(descriptor, big), expected, index)
}

function hasStat(stat: BigIntStats, expected: BigInt64Array, index: number): boolean {
  const at = 4 * index
  return (
    stat.size === expected[at] &&
    keptTime(stat.mtimeNs) === expected[at + 1] &&
    keptTime(stat.ctimeNs) === expected[at + 2] &&
    stat.ino === expected[at + 3] &&
    stat.isFile()
  )
}

/** Undefined: the file ended before its size. */
function hashSmall({ descriptor, size }: OpenFile): string | undefined {
  const bytes = buffer.subarray(0, size)
  return fill(descriptor, bytes) ? hash('md5', bytes, 'hex') : undefined
}

function* hashLarge({ descriptor, size }: OpenFile, progressed: () => void): Generator<void, string | undefined> {
  const md5 = createHash('md5')
  for (let done = 0; done < size; ) {
    const bytes = buffer.subarray(0, Math.min(buffer.length, size - done))
    if (!fill(descriptor, bytes)) return undefined
    md5.update(bytes)
    progressed()
    done += bytes.length
    if (done % bytes_per_turn === 0) yield
  }
  return md5.digest('hex')
}

/** Reads on from where the descriptor stands. False: the file ended first. */
function fill(descriptor: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, null)
    if (count === 0) return false
    done += count
  }
  return true
}

interface Directories {
  of(path: string): { directory: DirectoryOutcome; name: string }
  close(): void
}

/** Keeps the last directory open: paths come in order, so the next one is mostly in the same. */
function createDirectories(root: string): Directories {
  const real_root = realRoot(root)
  let current: { path: string; directory: DirectoryOutcome } | undefined
  const close = () => {
    if (current?.directory.kind === 'open') current.directory.close()
    current = undefined
  }
  return {
    close,
    of(path) {
      const slash = path.lastIndexOf('/')
      const parent = slash < 0 ? '' : path.slice(0, slash)
      if (current?.path !== parent) {
        close()
        current = { path: parent, directory: openDirectory(real_root, parent) }
      }
      return { directory: current.directory, name: path.slice(slash + 1) }
    },
  }
}

function orNotOpened<Value>(look: () => Value): Value | ReturnType<typeof notOpened> {
  try {
    return look()
  } catch (error) {
    return notOpened(error)
  }
}
