import { createHash, hash } from 'node:crypto'
import { closeSync, lstatSync } from 'node:fs'
import { serveCalls, Transferred } from '../../base/run/thread.ts'
import { type FileStat, large_bytes } from '../../domain/file.ts'
import { notOpened } from '../root/inside.ts'
import { entryKind, type SpecialKind } from '../scan/directory-names.ts'
import {
  createDirectories,
  type Directories,
  fill,
  fillLater,
  hashNow,
  hasStat,
  openToRead,
  statOpen,
} from '../scan/read-file.ts'
import { putStat } from '../scan/scan-batch.ts'
import { countInto } from '../scan/thread-progress.ts'

/** What is at a path now. */
export type Look =
  | { kind: 'file'; stat: FileStat }
  | { kind: 'directory' }
  /** Also where a part of the path is no directory, or a link: links are not followed. */
  | { kind: 'missing' }
  | { kind: 'special'; what: SpecialKind }
  | { kind: 'unreadable'; code: string }

/** What reading a file found, against the stat that it was expected to have. */
export type Fingerprint =
  /** `md5` (32 lower-case hex digits) is of exactly the bytes that had `stat` before and after they were read. */
  | { kind: 'hashed'; md5: string; stat: FileStat }
  /** Its stat is another, or became another while it was read: look again. */
  | { kind: 'changed' }
  | { kind: 'missing' }
  | { kind: 'unreadable'; code: string }
  /** The path leads out of the folder through a link that stands where a directory was. */
  | { kind: 'outside' }

type NotHashed = Exclude<Fingerprint, { kind: 'hashed' }>

/** What an examiner's thread is started with. */
export interface ExamineThreadData {
  progress: SharedArrayBuffer
}

/** Between the threads only what is not known on the other side travels, in few objects: these are sent for each file. */
export interface FilesToExamine {
  root: string
  paths: readonly string[]
  /** Four for each path: size, mtime_ns, ctime_ns, inode. */
  stats: BigInt64Array
}

export type ExamineCalls = ReturnType<typeof examining>

/**
 * The work of an examiner's thread. A small file costs open, fstat, read, fstat and close, and nothing else: paths
 * come in groups that share directories, so a directory is opened and checked once for a row of its files.
 */
function examining({ progress }: ExamineThreadData) {
  const progressed = countInto(progress)

  return {
    /** Undefined: a file, whose stat is in `stats`. */
    lstat({ root, paths }: Pick<FilesToExamine, 'root' | 'paths'>) {
      const directories = createDirectories(root)
      const stats = new BigInt64Array(4 * paths.length)
      try {
        const others = paths.map((path, index) => {
          progressed()
          return lookAt(directories, path, stats, index)
        })
        return new Transferred({ others, stats }, [stats.buffer])
      } finally {
        directories.close()
      }
    },
    /** A string is the md5 of a file that is as expected. Between the parts of large files the thread does what else has arrived. */
    async fingerprint({ root, paths, stats }: FilesToExamine) {
      const directories = createDirectories(root)
      const answer: (string | NotHashed)[] = []
      try {
        for (const [index, path] of paths.entries()) {
          progressed()
          answer.push(
            await readExpected(directories, path, stats, index, (descriptor, size) =>
              size < large_bytes ? hashNow(descriptor, size) : hashLarge(descriptor, size, progressed),
            ),
          )
        }
        return answer
      } finally {
        directories.close()
      }
    },
    /** Reads files that fit into memory, and hashes the same bytes. */
    async readWhole({ root, paths, stats }: FilesToExamine) {
      const directories = createDirectories(root)
      const answers: (WholeFile | NotHashed)[] = []
      try {
        for (const [index, path] of paths.entries()) {
          progressed()
          answers.push(await readExpected(directories, path, stats, index, wholeFile))
        }
        return new Transferred(answers, answers.flatMap(buffersOf))
      } finally {
        directories.close()
      }
    },
  }
}

interface WholeFile {
  kind: 'read'
  bytes: Buffer<ArrayBuffer>
  md5: string
}

function wholeFile(descriptor: number, size: number): WholeFile | undefined {
  const bytes = Buffer.allocUnsafeSlow(size)
  return fill(descriptor, bytes) ? { kind: 'read', bytes, md5: hash('md5', bytes, 'hex') } : undefined
}

function buffersOf(answer: WholeFile | NotHashed): ArrayBuffer[] {
  return answer.kind === 'read' ? [answer.bytes.buffer] : []
}

function lookAt(directories: Directories, path: string, stats: BigInt64Array, index: number) {
  try {
    const { directory, name } = directories.of(path)
    if (directory.kind === 'outside') return { kind: 'missing' as const }
    if (directory.kind !== 'open') return directory
    const stat = lstatSync(directory.prefix + name, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return { kind: 'missing' as const }
    const kind = entryKind(stat.mode)
    if (kind === 'directory') return { kind }
    if (kind !== 'file') return { kind: 'special' as const, what: kind }
    putStat(stats, index, stat)
    return undefined
  } catch (error) {
    return notOpened(error)
  }
}

/** Reads a file that has the expected stat before and after it: a FIFO or a device is never read. */
async function readExpected<Content>(
  directories: Directories,
  path: string,
  expected: BigInt64Array,
  index: number,
  read: (descriptor: number, size: number) => Promise<Content | undefined> | Content | undefined,
): Promise<Content | NotHashed> {
  let descriptor: number | undefined
  try {
    const { directory, name } = directories.of(path)
    if (directory.kind !== 'open') return directory
    descriptor = openToRead(directory.prefix + name)
    const stat = statOpen(descriptor)
    if (!hasStat(stat, expected, index)) return changed
    const content = await read(descriptor, Number(stat.size))
    return content !== undefined && hasStat(statOpen(descriptor), expected, index) ? content : changed
  } catch (error) {
    return notOpened(error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const changed: NotHashed = { kind: 'changed' }

/** Most of a millisecond of md5: longer than the message between the threads that read and hash, short for small files that wait. */
const part_bytes = 524_288

type Buffers = readonly [Buffer, Buffer]
/** Of files that are through, for the next ones. */
const spare_buffers: Buffers[] = []

/** One part is read while the one before it is hashed: it takes as long as md5 alone. */
async function hashLarge(descriptor: number, size: number, progressed: () => void): Promise<string | undefined> {
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

serveCalls(examining)
