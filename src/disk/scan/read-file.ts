import { hash } from 'node:crypto'
import { constants, fstatSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { type FileStat, sameStat } from '../../domain/file.ts'
import {
  covered,
  type DirectoryOutcome,
  openDirectory,
  realRoot,
  rootDevice,
} from '../root/inside.ts'
import { sharesBelow } from '../root/mounts.ts'
import { fileStatOf } from './scan-batch.ts'

/** Never blocks on a FIFO, never follows a link at the end of the path. */
const open_flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const big = { bigint: true } as const

/** Larger files are read in parts. */
export const max_small_bytes = 1_048_576

/** One per thread: its bytes are used before the next read. */
const read_buffer = Buffer.allocUnsafeSlow(max_small_bytes)

export function openToRead(absolute: string): number {
  return openSync(absolute, open_flags)
}

/** The stat of an open file; undefined: not a regular file. */
export function statOpen(descriptor: number): FileStat | undefined {
  const stat = fstatSync(descriptor, big)
  return stat.isFile() ? fileStatOf(stat) : undefined
}

export function hasStat(descriptor: number, expected: FileStat): boolean {
  const stat = statOpen(descriptor)
  return stat !== undefined && sameStat(stat, expected)
}

/** The md5 (hex) of a file of at most `max_small_bytes`; undefined: it ended too early. */
export function hashSmall(descriptor: number, size: number): string | undefined {
  const bytes = read_buffer.subarray(0, size)
  return fill(descriptor, bytes) ? hash('md5', bytes, 'hex') : undefined
}

/** Reads on from the descriptor's position. False: the file ended too early. */
export function fill(descriptor: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, null)
    if (count === 0) return false
    done += count
  }
  return true
}

const readLater = promisify(read)

/** Reads a part while the thread does other work. undefined: the file ended too early. */
export async function readPart(
  descriptor: number,
  position: number,
  length: number,
): Promise<Buffer | undefined> {
  const part = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readLater(descriptor, part, done, length - done, position + done)
    if (bytesRead === 0) return undefined
    done += bytesRead
  }
  return part
}

export type Directories = ReturnType<typeof createDirectories>

/** Keeps the last directory open: paths come in order, so the next one is mostly in the same. */
export function createDirectories(root: string) {
  const real_root = realRoot(root)
  const root_device = rootDevice(root)
  const shares = sharesBelow(real_root)
  let current: { path: string; directory: DirectoryOutcome } | undefined
  const close = () => {
    if (current?.directory.kind === 'open') current.directory.close()
    current = undefined
  }
  return {
    close,
    of(path: string): { directory: DirectoryOutcome; name: string } {
      const slash = path.lastIndexOf('/')
      const parent = slash < 0 ? '' : path.slice(0, slash)
      if (current?.path !== parent) {
        close()
        const directory = shares.covers(parent)
          ? covered
          : openDirectory(real_root, root_device, parent)
        current = { path: parent, directory }
      }
      return {
        directory: shares.isPlace(path) ? covered : current.directory,
        name: path.slice(slash + 1),
      }
    },
  }
}
