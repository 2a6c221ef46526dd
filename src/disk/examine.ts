import { createHash, hash } from 'node:crypto'
import { closeSync, lstatSync } from 'node:fs'
import { large_bytes } from '../domain/file.ts'
import { entryKind } from './entry.ts'
import type { FingerprintAnswer, LookAnswer, NotHashed, WholeAnswer } from './examine-wire.ts'
import { notOpened } from './inside.ts'
import {
  createDirectories,
  type Directories,
  fill,
  fillLater,
  hashNow,
  hasStat,
  openToRead,
  statOpen,
} from './read-file.ts'
import { putStat } from './scan-batch.ts'

/**
 * The work of an examiner's thread. A small file costs open, fstat, read, fstat and close, and nothing else: paths
 * come in groups that share directories, so a directory is opened and checked once for a row of its files.
 */

/** Most of a millisecond of md5: longer than the message between the threads that read and hash, short for small files that wait. */
const part_bytes = 524_288

type Buffers = readonly [Buffer, Buffer]
/** Of files that are through, for the next ones. */
const spare_buffers: Buffers[] = []

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

/** Between the parts of large files the thread does what else has arrived. */
export async function fingerprintAll(
  { root, paths, expected }: { root: string; paths: readonly string[]; expected: BigInt64Array },
  progressed: () => void,
): Promise<FingerprintAnswer> {
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
        const hashed =
          opened.size < large_bytes ? hashNow(opened.descriptor, opened.size) : await hashLarge(opened, progressed)
        answer.push(hashed !== undefined && isAsExpected(opened, expected, index) ? hashed : changed)
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
    descriptor = openToRead(directory.prefix + name)
    const stat = statOpen(descriptor)
    if (hasStat(stat, expected, index)) return { kind: 'open', descriptor, size: Number(stat.size) }
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    return notOpened(error)
  }
  closeSync(descriptor)
  return changed
}

function isAsExpected({ descriptor }: OpenFile, expected: BigInt64Array, index: number): boolean {
  return hasStat(statOpen(descriptor), expected, index)
}

/** One part is read while the one before it is hashed: it takes as long as md5 alone. */
async function hashLarge({ descriptor, size }: OpenFile, progressed: () => void): Promise<string | undefined> {
  const buffers = spare_buffers.pop() ?? [Buffer.allocUnsafeSlow(part_bytes), Buffer.allocUnsafeSlow(part_bytes)]
  const partAt = (position: number) =>
    buffers[(position / part_bytes) % 2]!.subarray(0, Math.min(part_bytes, size - position))
  try {
    const md5 = createHash('md5')
    let reading = fillLater(descriptor, partAt(0), 0)
    for (let position = 0; position < size; position += part_bytes) {
      if (!(await reading)) return undefined
      progressed()
      const next = position + part_bytes
      if (next < size) reading = fillLater(descriptor, partAt(next), next)
      md5.update(partAt(position))
    }
    return md5.digest('hex')
  } finally {
    spare_buffers.push(buffers)
  }
}

function orNotOpened<Value>(look: () => Value): Value | ReturnType<typeof notOpened> {
  try {
    return look()
  } catch (error) {
    return notOpened(error)
  }
}
