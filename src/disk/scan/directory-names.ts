import { isUtf8 } from 'node:buffer'
import { constants, Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'

/** What stands in a directory; no look at the entry yet. There may be hundreds of thousands: nothing is made of them that is not needed. */
export interface NamedEntry {
  /** One character for each byte (latin1): exact for every name, and their order is byte order. */
  readonly name: string
}

/** The entries of a directory in byte order of their names. Errors are those of readdir(3). */
export function readDirectory(path: string): readonly NamedEntry[] {
  return listDirectory(path).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** As `readDirectory`, in the order of the file system. */
function listDirectory(path: string): NamedEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // Where kinds are not known Node asks for each entry by its latin1 name, which may be none that is there.
    return readdirSync(path, 'latin1').map((name) => ({ name }))
  }
}

const beyond_ascii = /[\x80-\xff]/

/** A latin1 name as text, or undefined where its bytes are not UTF-8. A U+FFFD in it stands in the name: unzipping leaves such. */
export function textOfName(raw_name: string): string | undefined {
  if (!beyond_ascii.test(raw_name)) return raw_name
  const bytes = Buffer.from(raw_name, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** As the directory itself says; undefined where it does not (readdir(3): DT_UNKNOWN). */
export function kindOf(entry: NamedEntry): EntryKind | undefined {
  if (!isTold(entry)) return undefined
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isFIFO()) return 'fifo'
  return entry.isSocket() ? 'socket' : 'device'
}

/** Another class of Node's own holds what it found by asking, for which see above. */
function isTold(entry: NamedEntry): entry is Dirent {
  return entry.constructor === Dirent
}

/**
 * Paths, relative to the root, of the directories in one; `kind` is undefined where only a look at it tells whether it is one. None
 * where it is gone or cannot be read.
 */
export function directoriesIn(root: string, path: string): { path: string; kind: 'directory' | undefined }[] {
  try {
    return listDirectory(join(root, path)).flatMap((entry) => {
      const kind = kindOf(entry)
      const name = kind === 'directory' || kind === undefined ? textOfName(entry.name) : undefined
      return name === undefined ? [] : [{ path: pathIn(path, name), kind: kind && ('directory' as const) }]
    })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

/** '' is the root, and the parent of what lies in it. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function pathIn(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

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
