import { constants } from 'node:fs'
import { codeOf } from '../base/errors.ts'

export type SpecialKind = 'symlink' | 'fifo' | 'socket' | 'device'
export type EntryKind = 'file' | 'directory' | SpecialKind

const kinds = new Map<number, EntryKind>([
  [constants.S_IFREG, 'file'],
  [constants.S_IFDIR, 'directory'],
  [constants.S_IFLNK, 'symlink'],
  [constants.S_IFIFO, 'fifo'],
  [constants.S_IFSOCK, 'socket'],
])

/** What `st_mode` says (inode(7)). Anything unknown counts as a device: it is not opened. */
export function entryKind(mode: bigint): EntryKind {
  return kinds.get(Number(mode) & constants.S_IFMT) ?? 'device'
}

/** The path has ceased to be, or a part of it is no directory any more: it is missing, not unreadable. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** A name of which each byte is one character (latin1), for people: bytes beyond ASCII and control characters as `\xff`. */
export function escapeName(raw_name: string): string {
  return raw_name.replace(/[^ -~]|\\/g, (byte) =>
    byte === '\\' ? '\\\\' : `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
