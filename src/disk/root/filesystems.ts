import { spawnSync } from 'node:child_process'
import { closeSync, openSync, statfsSync } from 'node:fs'
import { second_ms } from '../../base/time/time.ts'

/** Magic numbers of statfs(2) and linux/magic.h. Filesystems in no list are shown as numbers. */
const local: Record<string, readonly number[]> = {
  ext4: [0xef53],
  xfs: [0x58465342],
  btrfs: [0x9123683e],
  zfs: [0x2fc12fc1],
  f2fs: [0xf2f52010],
  bcachefs: [0xca451a4e],
  tmpfs: [0x01021994],
  ramfs: [0x858458f6],
  overlay: [0x794c7630],
  vfat: [0x4d44],
  exfat: [0x2011bab0],
  ntfs: [0x5346544e],
  ntfs3: [0x7366746e],
  iso9660: [0x9660],
  squashfs: [0x73717368],
  ecryptfs: [0xf15f],
}
/** Other hosts can change their files without an event here. */
const remote: Record<string, readonly number[]> = {
  nfs: [0x6969],
  smb: [0x517b, 0xff534d42, 0xfe534d42],
  fuse: [0x65735546],
  virtiofs: [0x6a656a63],
  '9p': [0x01021997],
  ceph: [0x00c36400],
  afs: [0x5346414f, 0x6b414653],
  lustre: [0x0bd00bd0],
  gfs2: [0x01161970],
  ocfs2: [0x7461636f],
  vboxsf: [0x786f4256],
  vmhgfs: [0xbacbacbc],
}

/** `type`: as statfs(2) returns it, with or without a sign. */
export function filesystemOf(type: number): { name: string; remote: boolean } {
  const magic = type >>> 0
  const nameIn = (names: typeof local) =>
    Object.keys(names).find((name) => names[name]!.includes(magic))
  const remote_name = nameIn(remote)
  if (remote_name !== undefined) return { name: remote_name, remote: true }
  return { name: nameIn(local) ?? `0x${magic.toString(16)}`, remote: false }
}

/** Filesystems with inode numbers that change at each remount, by themselves or by their server. */
const made_up: ReadonlySet<string> = new Set([
  'vfat',
  'exfat',
  'fuse',
  'smb',
  '9p',
  'vboxsf',
  'vmhgfs',
])

/**
 * If false, a scan compares only size, mtime and ctime, or it would read every file again after a
 * remount. If the filesystem keeps no ctime, only an event can report that a file was replaced by
 * one with the same size and mtime.
 */
export function keepsInodes(root: string): boolean {
  return !isMadeUp(statfsSync(root).type)
}

export function isMadeUp(type: number): boolean {
  return made_up.has(filesystemOf(type).name)
}

/** A local disk answers in milliseconds. The callers of the thread wait no longer than this. */
const max_answer_ms = 10 * second_ms

/** These keep their id with the disk. A tmpfs, for example, has a new one at each mount. */
const keeping_ids: ReadonlySet<string> = new Set(['ext4', 'btrfs', 'zfs', 'f2fs', 'bcachefs'])

/**
 * A local filesystem's own id (f_fsid of statfs(2)), in hex. A `~` at its end: each mount may have
 * a new one. undefined: unreadable, or only the device number again, as from xfs and vfat.
 * Node's statfs lacks the id, so the program `stat` (coreutils, busybox) reads it. That takes about
 * 5 ms and blocks the caller.
 */
export function filesystemId(root: string, filesystem: string, device: bigint): string | undefined {
  if (process.platform !== 'linux' || !hasFreeDescriptors()) return undefined
  const { status, stdout } = spawnSync('stat', ['-f', '-c', '%i', '--', root], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: max_answer_ms,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  const id = stdout?.trim() ?? ''
  if (status !== 0 || !/^[0-9a-f]{1,16}$/.test(id) || repeatsDevice(id, device)) return undefined
  return keeping_ids.has(filesystem) ? id : `${id}~`
}

/** If a child's pipes cannot all be opened, spawnSync leaks one of them (Node 20.20). */
const needed_descriptors = 12

function hasFreeDescriptors(): boolean {
  const opened: number[] = []
  try {
    while (opened.length < needed_descriptors) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/**
 * True if a filesystem's id is 0 or only the device number, as the kernel encodes it
 * (huge_encode_dev). Versions of `stat` print that number in the low or in the high 32 bits.
 * @internal
 */
export function repeatsDevice(id: string, device: bigint): boolean {
  const value = BigInt(`0x${id}`)
  return (
    value === 0n ||
    value === device ||
    value === (BigInt.asUintN(32, device) << 32n) + (device >> 32n)
  )
}
