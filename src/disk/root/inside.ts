import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { codeOf } from '../../base/run/errors.ts'
import { other_disk_code } from '../../domain/file.ts'
import { offline } from './mount.ts'

/**
 * Paths are checked for where they really lead, because a directory above a file can be swapped for a symbolic link between a
 * look and an open, and then bytes from outside the folder would go up. The directory is opened, the kernel is asked where that
 * open directory is, and its files are opened through it: what was checked is what is used, whatever happens to the path.
 */
interface OpenDirectory {
  readonly kind: 'open'
  /** A name put after it opens or stats that name in this very directory. */
  readonly prefix: string
  close(): void
}

export type DirectoryOutcome =
  | OpenDirectory
  /** Not there, or reached only through a link inside the folder, which counts as not there: links are not followed. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' }
  /** `EXDEV`: another disk is mounted here or above, and covers what is known. */
  | { readonly kind: 'unreadable'; readonly code: string }

/** Another disk is mounted here or above. */
export const covered: DirectoryOutcome = { kind: 'unreadable', code: other_disk_code }

/** proc(5); systems without it check the path before each use instead, which leaves a small gap. */
const descriptors = '/proc/self/fd'
const has_descriptors = existsSync(descriptors)

/** The real path of a folder's root with a `/` at its end. Error `disk.offline`: without a root nothing can be said of its files. */
export function realRoot(root: string): string {
  return withSlash(orOffline(root, () => realpathSync.native(root)))
}

/** The number of the disk of a folder's root. Error `disk.offline`. */
export function rootDevice(root: string): number {
  return orOffline(root, () => statSync(root).dev)
}

function orOffline<Found>(root: string, look: () => Found): Found {
  try {
    return look()
  } catch (error) {
    throw offline(root, error)
  }
}

/** `directory` is relative to the root, '' for the root itself. */
export function openDirectory(real_root: string, root_device: number, directory: string): DirectoryOutcome {
  const expected = directory === '' && real_root !== '/' ? real_root.slice(0, -1) : real_root + directory
  let descriptor: number | undefined
  try {
    descriptor = openSync(expected, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK)
    const opened = descriptor
    const place = has_descriptors ? readlinkSync(`${descriptors}/${opened}`) : realpathSync.native(expected)
    if (place === expected && (directory === '' || fstatSync(opened).dev === root_device)) {
      const prefix = has_descriptors ? `${descriptors}/${opened}/` : `${expected}/`
      return { kind: 'open', prefix, close: () => closeSync(opened) }
    }
    closeSync(opened)
    if (place === expected) return covered
    return { kind: place.startsWith(real_root) ? 'missing' : 'outside' }
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    const outcome = notOpened(error)
    return outcome.kind === 'missing' && isCovered(real_root, root_device, directory) ? covered : outcome
  }
}

/** Whether the way to a directory that cannot be found leads over another disk. Links are no way. */
function isCovered(real_root: string, root_device: number, directory: string): boolean {
  let way = ''
  for (const name of directory.split('/')) {
    way = way === '' ? name : `${way}/${name}`
    const stat = lstatSync(real_root + way, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) return false
    if (stat.dev !== root_device) return true
  }
  return false
}

/** As `realRoot`, without holding up the caller's thread. */
export async function realRootLater(root: string): Promise<string> {
  try {
    return withSlash(await realpath(root))
  } catch (error) {
    throw offline(root, error)
  }
}

/** Whether an open file is where its path says: the same check for one file. */
export async function placeOf(
  descriptor: number,
  real_root: string,
  path: string,
): Promise<'here' | 'missing' | 'outside'> {
  const expected = real_root + path
  const place = has_descriptors ? await readlink(`${descriptors}/${descriptor}`) : await realpath(expected)
  if (place === expected) return 'here'
  return place.startsWith(real_root) ? 'missing' : 'outside'
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** What a failed open, stat or read says of the path; anything but a system error is thrown on. */
export function notOpened(error: unknown): { kind: 'missing' } | { kind: 'unreadable'; code: string } {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) throw error
  // ELOOP: a link stands at a place where only a file or a directory would do.
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return { kind: 'missing' }
  return { kind: 'unreadable', code }
}
