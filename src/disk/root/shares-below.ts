import { SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { realRoot } from './inside.ts'
import { mountOf, parseMountTable, readMountTable } from './mount.ts'

/** Where the server may be gone: whoever asks for anything there may wait for ever. `autofs` asks it when it is entered. */
const share_types = /^(nfs4?|cifs|smb3?|smbfs|9p|virtiofs|ceph|glusterfs|lustre|afs|autofs|fuse|fuse\..+)$/

export interface SharesBelow {
  is_any: boolean
  /** A share is mounted at this path, relative to the root. */
  isPlace(path: string): boolean
  /** The path, relative to the root, is one of those places or lies below one. */
  covers(path: string): boolean
}

/** Of a folder, whose root need not be there. */
export function hasShareBelow(root: string): boolean {
  try {
    return sharesBelow(realRoot(root)).is_any
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return false
  }
}

const no_shares: SharesBelow = { is_any: false, isPlace: () => false, covers: () => false }

/** The table is read again after this: a walk or a watcher asks for each directory. */
const kept_ms = 100
const known = new Map<string, { read_ms: number; mountinfo: string; shares: SharesBelow }>()

/**
 * Shares that are mounted below a root. They are other disks, and so not entered; but to look what stands there is to ask a server,
 * and one that is gone would hang the whole folder. The kernel tells of them without asking. What is mounted there of the very
 * disk of the root is none of them. `real_root`: without links, as the kernel's table has it; a slash at its end does not matter.
 */
export function sharesBelow(real_root: string): SharesBelow {
  const read_ms = system_clock.monotonic_ms()
  const before = known.get(real_root)
  if (before && read_ms - before.read_ms < kept_ms) return before.shares
  const mountinfo = readMountTable()
  const shares = before?.mountinfo === mountinfo ? before.shares : sharesIn(real_root, mountinfo)
  known.set(real_root, { read_ms, mountinfo, shares })
  return shares
}

/**
 * Of the given mount table.
 *
 * @internal
 */
export function sharesIn(real_root: string, mountinfo: string): SharesBelow {
  const mounts = parseMountTable(mountinfo)
  const base = real_root.endsWith('/') ? real_root : `${real_root}/`
  const own = mountOf(base, mounts)
  const places = new Set<string>()
  for (const { place, device, type } of mounts) {
    if (place.startsWith(base) && place !== base && device !== own?.device && share_types.test(type)) {
      places.add(place.slice(base.length))
    }
  }
  if (places.size === 0) return no_shares
  return {
    is_any: true,
    isPlace: (path) => places.has(path),
    covers: (path) => places.has(path) || [...places].some((place) => path.startsWith(`${place}/`)),
  }
}
