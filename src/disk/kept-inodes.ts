import { statfsSync } from 'node:fs'

/**
 * Filesystems that make inode numbers up, or take them from a server that does: after a remount every file has another one. By the
 * magic numbers of statfs(2).
 */
const made_up: ReadonlySet<number> = new Set([
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x65735546, // fuse
  0x517b, // smb
  0xff534d42, // smb
  0xfe534d42, // smb
  0x01021997, // 9p
  0x786f4256, // vboxsf
  0xbacbacbc, // vmhgfs
])

/**
 * Whether an inode number says that this is the same file as last time. Where it does not, a scan goes by size, mtime and ctime:
 * else a remount would have every file read again. What is put in a file's place in between has another ctime, unless the
 * filesystem keeps none and its size and mtime are the same as well; that, an event alone can tell.
 */
export function keepsInodes(root: string): boolean {
  return !isMadeUp(statfsSync(root).type)
}

/** `magic`: as statfs(2) has it, with or without a sign. */
export function isMadeUp(magic: number): boolean {
  return made_up.has(magic >>> 0)
}
