import { createHash, hash } from 'node:crypto'
import { type BigIntStats, constants, fstatSync, openSync, read, readSync } from 'node:fs'
import { covered, type DirectoryOutcome, openDirectory, realRoot, rootDevice } from '../root/inside.ts'
import { sharesBelow } from '../root/shares-below.ts'
import { keptTime } from './scan-batch.ts'

/*
 * What the threads that read files share. All of it but `fillLater` is synchronous; a small file costs open, fstat, read, fstat and close.
 */

/** Never blocks on a FIFO, never follows a link at the end of the path. */
const open_flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const big = { bigint: true } as const

/** One for the thread: what is in it is used before anything else is read. */
const read_buffer = Buffer.allocUnsafeSlow(1_048_576)

export function openToRead(absolute: string): number {
  return openSync(absolute, open_flags)
}

export function statOpen(descriptor: number): BigIntStats {
  return fstatSync(descriptor, big)
}

/** `expected`: four for each file: size, mtime_ns, ctime_ns, inode. */
export function hasStat(stat: BigIntStats, expected: BigInt64Array, index: number): boolean {
  const at = 4 * index
  return (
    stat.size === expected[at] &&
    keptTime(stat.mtimeNs) === expected[at + 1] &&
    keptTime(stat.ctimeNs) === expected[at + 2] &&
    stat.ino === expected[at + 3] &&
    stat.isFile()
  )
}

/** The md5 of a file that stands at its start, in hex; undefined: it ended before its size. */
export function hashNow(descriptor: number, size: number): string | undefined {
  if (size <= read_buffer.length) {
    const bytes = read_buffer.subarray(0, size)
    return fill(descriptor, bytes) ? hash('md5', bytes, 'hex') : undefined
  }
  const md5 = createHash('md5')
  for (let done = 0; done < size; ) {
    const bytes = read_buffer.subarray(0, Math.min(read_buffer.length, size - done))
    if (!fill(descriptor, bytes)) return undefined
    md5.update(bytes)
    done += bytes.length
  }
  return md5.digest('hex')
}

/** Reads on from where the descriptor stands. False: the file ended first. */
export function fill(descriptor: number, bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(descriptor, bytes, done, bytes.length - done, null)
    if (count === 0) return false
    done += count
  }
  return true
}

/** Reads from a position while the thread does something else. False: the file ended first. The descriptor stays open until it has settled. */
export async function fillLater(descriptor: number, bytes: Uint8Array, position: number): Promise<boolean> {
  for (let done = 0; done < bytes.length; ) {
    const count = await readOnce(descriptor, bytes.subarray(done), position + done)
    if (count === 0) return false
    done += count
  }
  return true
}

function readOnce(descriptor: number, bytes: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, bytes, 0, bytes.length, position, (error, count) => (error ? reject(error) : resolve(count)))
  })
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
        const directory = shares.covers(parent) ? covered : openDirectory(real_root, root_device, parent)
        current = { path: parent, directory }
      }
      return { directory: shares.isPlace(path) ? covered : current.directory, name: path.slice(slash + 1) }
    },
  }
}
