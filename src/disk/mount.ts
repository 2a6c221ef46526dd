import { type BigIntStats, opendirSync, type StatsFs, statfsSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../base/errors.ts'
import type { Disappearance } from '../domain/disappearance.ts'
import { defaultIgnore } from './default-ignores.ts'
import { isMadeUp } from './kept-inodes.ts'

export type RootStatus =
  | {
      kind: 'online'
      /** `st_dev`: another one than last time means that something else is mounted here, or that nothing is. */
      device: bigint
      /** Another one than last time means that another directory stands here. */
      inode: bigint
      /** As the system gives it, which may be the time of its last change: `identity` says whether it is known. */
      born_ns: bigint
      /** As `isSameRoot` compares them; undefined where the filesystem tells of nothing that a remount keeps. */
      identity: string | undefined
      /** By the magic number of statfs(2): `ext4`, `nfs`, `smb`, `fuse`, `tmpfs`, `overlay` …, or that number in hex. */
      filesystem: string
      /** Other hosts can change it without an event here, and its times are by another clock. */
      remote: boolean
      /** Nothing in it but what is ignored by default (`lost+found`, `.Trash-1000`): so looks a mount point with nothing mounted. */
      empty: boolean
    }
  | { kind: 'offline'; reason: 'missing' | 'not a directory' | 'unreadable' | 'no answer'; detail: string }

export type WatchedRoot = Pick<Extract<RootStatus, { kind: 'online' }>, 'inode' | 'born_ns' | 'identity'>

/**
 * What stands at the root of a folder now; a symbolic link there is followed. Never throws. On a share that is dead it does not
 * come back: who cannot afford that asks through root-asker.ts.
 */
export function rootStatus(root: string): RootStatus {
  try {
    const stat = statSync(root, { bigint: true })
    if (!stat.isDirectory()) {
      return { kind: 'offline', reason: 'not a directory', detail: `${root} is not a directory` }
    }
    const filesystem = statfsSync(root)
    const { name, remote } = filesystemOf(filesystem.type)
    const identity = identityOf(stat, filesystem, remote)
    const { dev: device, ino: inode, birthtimeNs: born_ns } = stat
    const kind = 'online'
    return { kind, device, inode, born_ns, identity, filesystem: name, remote, empty: isEmpty(root) }
  } catch (error) {
    return offlineBy(error)
  }
}

/**
 * Whether the same directory of the same disk stands here, as far as two looks can tell. The kernel gives a device number again to
 * the next disk, and every ext4 has the inode 2 for its root: its birth (mkfs) tells two of them apart. One who does not know
 * the birth goes by the rest. Where the answer is no, the two may still be the same by their files: that must be looked at.
 */
export function isSameRoot(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return true
  const [what_a, born_a] = a.split('@')
  const [what_b, born_b] = b.split('@')
  return what_a === what_b && (!born_a || !born_b || born_a === born_b)
}

/**
 * Whether another directory stands here than the one that somebody watches: stricter than `isSameRoot`, for a directory made a moment
 * ago does not show its birth yet. That a birth becomes known later is no change.
 */
export function isOtherDirectory(watched: WatchedRoot, now: WatchedRoot): boolean {
  if (watched.inode !== now.inode) return true
  return watched.identity !== now.identity && watched.born_ns !== now.born_ns
}

/** Of sticks and cards, whose inodes are made up, the size alone; of shares that make them up, nothing. */
function identityOf(stat: BigIntStats, { type, blocks, bsize }: StatsFs, remote: boolean): string | undefined {
  if (isMadeUp(type)) return remote ? undefined : `${blocks * bsize} bytes`
  // An old kernel without statx gives ctime for it, which moves.
  const is_known = stat.birthtimeNs > 0n && stat.birthtimeNs !== stat.ctimeNs
  return `${stat.ino}@${is_known ? stat.birthtimeNs : ''}`
}

/** The person's word on what stands here now; undefined: none was said, or it was said of another root. */
export function wordOn(
  now: { device: bigint | undefined; identity: string | undefined },
  said: Disappearance | undefined,
): Disappearance | undefined {
  if (!said?.is_accepted || said.device !== now.device) return undefined
  return isSameRoot(said.identity, now.identity) ? said : undefined
}

function offlineBy(error: unknown): RootStatus {
  const code = codeOf(error)
  const detail = messageOf(error)
  if (code === 'ENOENT') return { kind: 'offline', reason: 'missing', detail }
  if (code === 'ENOTDIR') return { kind: 'offline', reason: 'not a directory', detail }
  return { kind: 'offline', reason: 'unreadable', detail }
}

function isEmpty(root: string): boolean {
  const directory = opendirSync(root)
  try {
    for (;;) {
      const entry = directory.readSync()
      if (entry === null) return true
      // Hidden files count: they show that this is the folder and not a bare mount point.
      if (defaultIgnore(entry.name, entry.isDirectory() ? 'directory' : 'file', true) === undefined) return false
    }
  } finally {
    directory.closeSync()
  }
}

/** Magic numbers: statfs(2) and linux/magic.h; those of other systems do not match and are shown as numbers. */
const filesystems = new Map<number, { name: string; remote: boolean }>([
  [0xef53, { name: 'ext4', remote: false }],
  [0x58465342, { name: 'xfs', remote: false }],
  [0x9123683e, { name: 'btrfs', remote: false }],
  [0x2fc12fc1, { name: 'zfs', remote: false }],
  [0xf2f52010, { name: 'f2fs', remote: false }],
  [0xca451a4e, { name: 'bcachefs', remote: false }],
  [0x01021994, { name: 'tmpfs', remote: false }],
  [0x858458f6, { name: 'ramfs', remote: false }],
  [0x794c7630, { name: 'overlay', remote: false }],
  [0x4d44, { name: 'vfat', remote: false }],
  [0x2011bab0, { name: 'exfat', remote: false }],
  [0x5346544e, { name: 'ntfs', remote: false }],
  [0x7366746e, { name: 'ntfs3', remote: false }],
  [0x9660, { name: 'iso9660', remote: false }],
  [0x73717368, { name: 'squashfs', remote: false }],
  [0xf15f, { name: 'ecryptfs', remote: false }],
  [0x6969, { name: 'nfs', remote: true }],
  [0x517b, { name: 'smb', remote: true }],
  [0xff534d42, { name: 'smb', remote: true }],
  [0xfe534d42, { name: 'smb', remote: true }],
  [0x65735546, { name: 'fuse', remote: true }],
  [0x6a656a63, { name: 'virtiofs', remote: true }],
  [0x01021997, { name: '9p', remote: true }],
  [0x00c36400, { name: 'ceph', remote: true }],
  [0x5346414f, { name: 'afs', remote: true }],
  [0x6b414653, { name: 'afs', remote: true }],
  [0x0bd00bd0, { name: 'lustre', remote: true }],
  [0x01161970, { name: 'gfs2', remote: true }],
  [0x7461636f, { name: 'ocfs2', remote: true }],
  [0x786f4256, { name: 'vboxsf', remote: true }],
  [0xbacbacbc, { name: 'vmhgfs', remote: true }],
])

function filesystemOf(type: number): { name: string; remote: boolean } {
  const magic = type >>> 0
  return filesystems.get(magic) ?? { name: `0x${magic.toString(16)}`, remote: false }
}
