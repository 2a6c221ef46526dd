import { createHash, hash } from 'node:crypto'
import { closeSync, lstatSync } from 'node:fs'
import { countInto } from '../../base/run/heartbeat.ts'
import { serveCalls, Transferred } from '../../base/run/thread.ts'
import type { FileStat } from '../../domain/file.ts'
import { notOpened } from '../root/inside.ts'
import { entryKind, type SpecialKind } from '../scan/directory-names.ts'
import {
  createDirectories,
  type Directories,
  fill,
  hashSmall,
  hasStat,
  max_small_bytes,
  openToRead,
  readPart,
} from '../scan/read-file.ts'
import { fileStatOf } from '../scan/scan-batch.ts'

export type PathState =
  | { kind: 'file'; stat: FileStat }
  | { kind: 'directory' }
  /** A part of the path may be no directory, or a link: links are not followed. */
  | { kind: 'missing' }
  | { kind: 'special'; what: SpecialKind }
  | { kind: 'unreadable'; code: string }

export type Fingerprint =
  /** `md5`: 32 lower-case hex digits, of exactly the bytes that had `stat` before and after. */
  | { kind: 'hashed'; md5: string; stat: FileStat }
  /** The stat differs, or changed during reading: check the file again. */
  | { kind: 'changed' }
  | { kind: 'missing' }
  | { kind: 'unreadable'; code: string }
  /** A link has replaced a directory in the path and leads out of the folder. */
  | { kind: 'outside' }

type NotHashed = Exclude<Fingerprint, { kind: 'hashed' }>

export interface ExamineThreadData {
  progress: SharedArrayBuffer
}

export interface FileToRead {
  path: string
  stat: FileStat
}

interface FilesToRead {
  root: string
  files: readonly FileToRead[]
}

export type ExamineCalls = ReturnType<typeof examining>

/** A small file costs only open, fstat, read, fstat and close. */
function examining({ progress }: ExamineThreadData) {
  const progressed = countInto(progress)

  /** Items of one directory in a row open and check it once. */
  async function forEach<Item, Answer>(
    root: string,
    items: readonly Item[],
    work: (directories: Directories, item: Item) => Promise<Answer> | Answer,
  ): Promise<Answer[]> {
    const directories = createDirectories(root)
    const answers: Answer[] = []
    try {
      for (const item of items) {
        progressed()
        answers.push(await work(directories, item))
      }
      return answers
    } finally {
      directories.close()
    }
  }

  return {
    lstat: ({ root, paths }: { root: string; paths: readonly string[] }) =>
      forEach(root, paths, pathState),
    /** Between the parts of large files, the thread serves other calls. */
    fingerprint: ({ root, files }: FilesToRead) =>
      forEach(root, files, async (directories, file): Promise<Fingerprint> => {
        const md5 = await readExpected(directories, file, (descriptor, size) =>
          size <= max_small_bytes
            ? hashSmall(descriptor, size)
            : hashParts(descriptor, size, progressed),
        )
        return typeof md5 === 'string' ? { kind: 'hashed', md5, stat: file.stat } : md5
      }),
    async readWhole({ root, files }: FilesToRead) {
      const answers = await forEach(root, files, (directories, file) =>
        readExpected(directories, file, wholeFile),
      )
      return new Transferred(answers, answers.flatMap(buffersOf))
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
  return fill(descriptor, bytes)
    ? { kind: 'read', bytes, md5: hash('md5', bytes, 'hex') }
    : undefined
}

function buffersOf(answer: WholeFile | NotHashed): ArrayBuffer[] {
  return answer.kind === 'read' ? [answer.bytes.buffer] : []
}

function pathState(directories: Directories, path: string): PathState {
  try {
    const { directory, name } = directories.of(path)
    if (directory.kind === 'outside') return { kind: 'missing' }
    if (directory.kind !== 'open') return directory
    const stat = lstatSync(directory.prefix + name, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return { kind: 'missing' }
    const kind = entryKind(stat.mode)
    if (kind === 'file') return { kind, stat: fileStatOf(stat) }
    return kind === 'directory' ? { kind } : { kind: 'special', what: kind }
  } catch (error) {
    return notOpened(error)
  }
}

/** Reads a file if it has the expected stat before and after. Never reads a FIFO or a device. */
async function readExpected<Content>(
  directories: Directories,
  { path, stat }: FileToRead,
  read: (descriptor: number, size: number) => Promise<Content | undefined> | Content | undefined,
): Promise<Content | NotHashed> {
  let descriptor: number | undefined
  try {
    const { directory, name } = directories.of(path)
    if (directory.kind !== 'open') return directory
    descriptor = openToRead(directory.prefix + name)
    if (!hasStat(descriptor, stat)) return changed
    const content = await read(descriptor, stat.size)
    return content !== undefined && hasStat(descriptor, stat) ? content : changed
  } catch (error) {
    return notOpened(error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const changed: NotHashed = { kind: 'changed' }

/** Hashing a part takes almost 1 ms: longer than a message, short for waiting small files. */
const part_bytes = 524_288

/** Reads one part while it hashes the one before, so it takes as long as md5 alone. */
async function hashParts(
  descriptor: number,
  size: number,
  progressed: () => void,
): Promise<string | undefined> {
  const md5 = createHash('md5')
  const partAt = (position: number) =>
    readPart(descriptor, position, Math.min(part_bytes, size - position))
  let reading = partAt(0)
  for (let position = 0; position < size; position += part_bytes) {
    const part = await reading
    if (part === undefined) return undefined
    progressed()
    const next = position + part_bytes
    if (next < size) reading = partAt(next)
    md5.update(part)
  }
  return md5.digest('hex')
}

serveCalls(examining)
