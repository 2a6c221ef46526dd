import { readFileSync } from 'node:fs'
import { codeOf } from '../run/errors.ts'
import { isBelow } from './path-below.ts'

export interface MountEntry {
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
export const share_types =
  /^(nfs4?|cifs|smb3?|smbfs|9p|virtiofs|ceph|glusterfs|lustre|afs|autofs|fuse|fuse\..+)$/

/**
 * True if a call to a path of this machine may wait for ever: a share or a filesystem of a program
 * is mounted, or no mount table says so.
 */
export function mayHang(mountinfo = readMountTable()): boolean {
  return parseMountTable(mountinfo).length === 0 || mountsThatMayHang(mountinfo).length > 0
}

/** The same for one path as written. A symbolic link in it may lead elsewhere. */
export function mayHangAt(path: string, mountinfo = readMountTable()): boolean {
  const around = parseMountTable(mountinfo).filter(({ place }) => isBelow(path, place))
  // The last one of several mounts at one place is on top.
  const inner = around.toSorted((a, b) => a.place.length - b.place.length).at(-1)
  return inner === undefined || isOfShare(inner)
}

/** Shares and filesystems of programs. */
export function mountsThatMayHang(mountinfo = readMountTable()): MountEntry[] {
  return parseMountTable(mountinfo).filter(isOfShare)
}

function isOfShare({ type }: MountEntry): boolean {
  return type === 'fuseblk' || share_types.test(type)
}
