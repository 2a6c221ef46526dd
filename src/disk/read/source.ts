import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SluiceError, systemWords } from '../../base/run/errors.ts'
import { type FileStat, sameStat } from '../../domain/file.ts'
import { notOpened, placeOf, realRootLater } from '../root/inside.ts'
import { fileStatOf } from '../scan/scan-batch.ts'

export interface ExpectedFile {
  stat: FileStat
  /** 32 lower-case hex digits. */
  md5: string
}

/** About 0.5 ms of md5. Calls cost little, and many parallel uploads take little memory. */
const chunk_bytes = 262_144

/**
 * Opens a file as the body of one PUT: no links, nothing outside the folder, the expected stat.
 * Errors: `file.changed`, `file.missing`, `file.outside`, `file.unreadable`, `disk.offline`.
 */
export async function openSource(root: string, path: string, expected: ExpectedFile) {
  const real_root = await realRootLater(root)
  const handle = await openFile(real_root + path, path)
  try {
    const place = await placeOf(handle.fd, real_root, path)
    if (place !== 'here') throw fault(place, path)
    if (!(await hasStat(handle, expected.stat))) throw fault('changed', path)
  } catch (error) {
    await handle.close()
    throw asFault(error, path)
  }
  const { size } = expected.stat
  return {
    /** Bytes, for `Content-Length`. */
    size,
    /**
     * All bytes. The last chunk waits until the stat and the md5 of all are as expected, else it
     * throws `file.changed`: a changed file never becomes a whole object. A retry calls it again.
     */
    stream: (): AsyncIterable<Uint8Array> => proved(handle, path, expected),
    /** The first bytes, to detect the type of the file, not verified. An error closes the file. */
    start: (bytes: number) => readStart(handle, path, Math.min(bytes, size)),
    close: () => handle.close(),
  }
}

async function openFile(absolute: string, path: string): Promise<FileHandle> {
  try {
    return await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw asFault(error, path)
  }
}

async function* proved(
  handle: FileHandle,
  path: string,
  { stat, md5 }: ExpectedFile,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('md5')
  let last: Uint8Array | undefined
  try {
    for (let position = 0; position < stat.size; position += chunk_bytes) {
      if (last !== undefined) yield last
      last = await readChunk(handle, position, Math.min(chunk_bytes, stat.size - position))
      if (last === undefined) throw fault('changed', path)
      hash.update(last)
    }
    if (hash.digest('hex') !== md5 || !(await hasStat(handle, stat))) throw fault('changed', path)
  } catch (error) {
    throw asFault(error, path)
  }
  if (last !== undefined) yield last
}

async function readStart(handle: FileHandle, path: string, bytes: number): Promise<Uint8Array> {
  try {
    const start = await readChunk(handle, 0, bytes)
    if (start === undefined) throw fault('changed', path)
    return start
  } catch (error) {
    await handle.close()
    throw asFault(error, path)
  }
}

/** Undefined: the file ended. A handle, unlike its number, never leads to another file. */
async function readChunk(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const chunk = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(chunk, done, length - done, position + done)
    if (bytesRead === 0) return undefined
    done += bytesRead
  }
  return chunk
}

async function hasStat(handle: FileHandle, expected: FileStat): Promise<boolean> {
  const stat = await handle.stat({ bigint: true })
  return stat.isFile() && sameStat(fileStatOf(stat), expected)
}

const faults = {
  changed: {
    code: 'file.changed',
    what: 'changed while it was being read',
    hint: 'Sluice checks it again by itself',
  },
  missing: { code: 'file.missing', what: 'is not there any more', hint: undefined },
  outside: {
    code: 'file.outside',
    what: 'leads out of the folder through a link',
    hint: 'links are not followed: put the files themselves into the folder',
  },
  unreadable: {
    code: 'file.unreadable',
    what: 'cannot be read',
    hint: 'check who may read it and what holds it open',
  },
} as const

function fault(
  kind: keyof typeof faults,
  path: string,
  detail?: string,
  cause?: unknown,
): SluiceError {
  const { code, what, hint } = faults[kind]
  return new SluiceError({
    code,
    message: `${path} ${what}${detail === undefined ? '' : `: ${detail}`}`,
    hint,
    cause,
  })
}

function asFault(error: unknown, path: string): unknown {
  if (error instanceof SluiceError) return error
  const outcome = notOpened(error)
  return outcome.kind === 'missing'
    ? fault('missing', path, undefined, error)
    : fault('unreadable', path, systemWords(outcome.code), error)
}
