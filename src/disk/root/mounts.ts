import {
  type MountEntry,
  parseMountTable,
  readMountTable,
  share_types,
} from '../../base/files/mount-table.ts'
import { isBelow } from '../../base/files/path-below.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { realRoot } from './inside.ts'

/** The mount of a real path: the nearest one above it, and the last of several at one place. */
export function mountOf(path: string, mounts: readonly MountEntry[]): MountEntry | undefined {
  let found: MountEntry | undefined
  for (const mount of mounts) {
    const is_nearer = !found || mount.place.length >= found.place.length
    if (is_nearer && isBelow(path, mount.place)) found = mount
  }
  return found
}

export interface SharesBelow {
  is_any: boolean
  /** A share is mounted at this path, relative to the root. */
  isPlace(path: string): boolean
  /** The path is such a place or below one; relative to the root. */
  covers(path: string): boolean
}

/** True if a share is mounted below the root. False also if the root is missing. */
export function hasShareBelow(root: string): boolean {
  try {
    return sharesBelow(realRoot(root)).is_any
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return false
  }
}

const no_shares: SharesBelow = { is_any: false, isPlace: () => false, covers: () => false }

/** The mount table is read again after this: walks and watchers ask for each directory. */
const kept_ms = 100
const known = new Map<string, { read_ms: number; mountinfo: string; shares: SharesBelow }>()

/**
 * Shares mounted below a root, which are not entered. A mere stat would contact the server, and a
 * missing server would block the whole folder, so this reads the kernel's mount table. Bind mounts
 * of the root's own filesystem do not count. `real_root` has no links, as in the table.
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

/** @internal */
export function sharesIn(real_root: string, mountinfo: string): SharesBelow {
  const mounts = parseMountTable(mountinfo)
  const base = real_root.endsWith('/') ? real_root : `${real_root}/`
  const own = mountOf(base, mounts)
  const places = new Set<string>()
  for (const { place, device, type } of mounts) {
    if (
      place.startsWith(base) &&
      place !== base &&
      device !== own?.device &&
      share_types.test(type)
    ) {
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
