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
import { offline } from './root.ts'

/**
 * A directory that is surely inside the folder. A link could replace it between a check and an
 * open, and then bytes from outside would be uploaded. So the directory is opened, the kernel
 * reports its place, and its files are opened through it: later changes of the path have no effect.
 */
interface OpenDirectory {
  readonly kind: 'open'
  /** Prefix for a name: the result opens or stats that name in this very directory. */
  readonly prefix: string
  close(): void
}

export type DirectoryOutcome =
  | OpenDirectory
  /** Missing, or below a link inside the folder: links are not followed. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' }
  /** `EXDEV`: another disk is mounted here or above, and covers the known files. */
  | { readonly kind: 'unreadable'; readonly code: string }

export const covered: DirectoryOutcome = { kind: 'unreadable', code: other_disk_code }

/** proc(5). Systems without it check the path instead: a swap after the check is not noticed. */
const descriptors = '/proc/self/fd'
const has_descriptors = existsSync(descriptors)

/** A folder's real path, with a `/` at its end. Error `disk.offline` if it cannot be resolved. */
export function realRoot(root: string): string {
  return withSlash(orOffline(root, () => realpathSync.native(root)))
}

export function rootDevice(root: string): number {
  return orOffline(root, () => statSync(root).dev)
}

function orOffline<Found>(root: string, read: () => Found): Found {
  try {
    return read()
  } catch (error) {
    throw offline(root, error)
  }
}

/** `directory` is relative to the root; '' is the root itself. */
export function openDirectory(
  real_root: string,
  root_device: number,
  directory: string,
): DirectoryOutcome {
  const expected =
    directory === '' && real_root !== '/' ? real_root.slice(0, -1) : real_root + directory
  let descriptor: number | undefined
  try {
    descriptor = openSync(
      expected,
      constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK,
    )
    const opened = descriptor
    const place = has_descriptors
      ? readlinkSync(`${descriptors}/${opened}`)
      : realpathSync.native(expected)
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
    return outcome.kind === 'missing' && isCovered(real_root, root_device, directory)
      ? covered
      : outcome
  }
}

/** True if another disk is mounted on the path of a missing directory. Links do not count. */
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

/** As `realRoot`, without blocking the caller's thread. */
export async function realRootLater(root: string): Promise<string> {
  try {
    return withSlash(await realpath(root))
  } catch (error) {
    throw offline(root, error)
  }
}

/** The same check for one file: is an open file where its path says? */
export async function placeOf(
  descriptor: number,
  real_root: string,
  path: string,
): Promise<'here' | 'missing' | 'outside'> {
  const expected = real_root + path
  const place = has_descriptors
    ? await readlink(`${descriptors}/${descriptor}`)
    : await realpath(expected)
  if (place === expected) return 'here'
  return place.startsWith(real_root) ? 'missing' : 'outside'
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** The meaning of a failed open, stat or read. Rethrows all but system errors. */
export function notOpened(
  error: unknown,
): { kind: 'missing' } | { kind: 'unreadable'; code: string } {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) throw error
  // ELOOP: a link stands where only a file or a directory may be.
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return { kind: 'missing' }
  return { kind: 'unreadable', code }
}
