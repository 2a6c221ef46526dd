import { readFileSync } from 'node:fs'
import { isBelow } from '../../base/files/path-below.ts'
import { codeOf, SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { realRoot } from './inside.ts'

interface MountEntry {
  /** Real path of the mount point. */
  place: string
  /** `major:minor`, the kernel's device number of the filesystem. */
  device: string
  /** `ext4`, `nfs4`, `fuse.sshfs` … */
  type: string
}

/** This process's mounts in their order (proc_pid_mountinfo(5)). Contacts no disk or server. */
export function parseMountTable(mountinfo: string): MountEntry[] {
  return mountinfo.split('\n').flatMap((line): MountEntry[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , device, , place] = before.split(' ')
    if (device === undefined || place === undefined) return []
    return [{ place: unescaped(place), device, type: after.split(' ')[0]! }]
  })
}

/** Empty on systems without a mount table. */
export function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}

/** The mount of a real path: the nearest one above it, and the last of several at one place. */
export function mountOf(path: string, mounts: readonly MountEntry[]): MountEntry | undefined {
  let found: MountEntry | undefined
  for (const mount of mounts) {
    const is_nearer = !found || mount.place.length >= found.place.length
    if (is_nearer && isBelow(path, mount.place)) found = mount
  }
  return found
}

/** The table writes white space and backslashes in octal, byte by byte. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const latin1 = Buffer.from(text).toString('latin1')
  const bytes = latin1.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}

/** Types whose server may be gone, so that a call waits for ever. Entering `autofs` contacts it. */
const share_types =
  /^(nfs4?|cifs|smb3?|smbfs|9p|virtiofs|ceph|glusterfs|lustre|afs|autofs|fuse|fuse\..+)$/

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
