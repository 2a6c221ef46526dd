import { isUtf8 } from 'node:buffer'
import { constants, Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'

/** A directory entry without a stat. There may be hundreds of thousands, so it is kept small. */
export interface NamedEntry {
  /** One character per byte (latin1): exact for every name, and their order is byte order. */
  readonly name: string
}

/** The entries of a directory in byte order of their names. Errors are those of readdir(3). */
export function readDirectory(path: string): readonly NamedEntry[] {
  return listDirectory(path).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listDirectory(path: string): NamedEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // If the directory reports no kinds, Node stats entries by latin1 names, which may not exist.
    return readdirSync(path, 'latin1').map((name) => ({ name }))
  }
}

const beyond_ascii = /[\x80-\xff]/

/** A latin1 name as text; undefined if it is not UTF-8. Valid names may hold U+FFFD (unzip). */
export function textOfName(raw_name: string): string | undefined {
  if (!beyond_ascii.test(raw_name)) return raw_name
  const bytes = Buffer.from(raw_name, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** The kind that the directory reports; undefined if none (readdir(3): DT_UNKNOWN). */
export function kindOf(entry: NamedEntry): EntryKind | undefined {
  if (!isReported(entry)) return undefined
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isFIFO()) return 'fifo'
  return entry.isSocket() ? 'socket' : 'device'
}

/** Node uses another class for kinds from its own stat, which may be wrong (see above). */
function isReported(entry: NamedEntry): entry is Dirent {
  return entry.constructor === Dirent
}

/** Paths from the root. If `kind` is undefined, a stat must decide. Empty if it cannot be read. */
export function directoriesIn(
  root: string,
  path: string,
): { path: string; kind: 'directory' | undefined }[] {
  try {
    return listDirectory(join(root, path)).flatMap((entry) => {
      const kind = kindOf(entry)
      const name = kind === 'directory' || kind === undefined ? textOfName(entry.name) : undefined
      return name === undefined
        ? []
        : [{ path: pathIn(path, name), kind: kind && ('directory' as const) }]
    })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

/** '' is the root, and the parent of its entries. */
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

/** The kind in `st_mode` (inode(7)). Unknown kinds count as devices, which are not opened. */
export function entryKind(mode: bigint): EntryKind {
  return kinds.get(Number(mode) & constants.S_IFMT) ?? 'device'
}

/** True if the path is gone, or a part of it is no directory: it is missing, not unreadable. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** A latin1 name for output: `\xNN` for bytes that are no printable ASCII, `\\` for a backslash. */
export function escapeName(raw_name: string): string {
  return raw_name.replace(/[^ -~]|\\/g, (byte) =>
    byte === '\\' ? '\\\\' : `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/**
 * True if a latin1 name is not UTF-8 and the text means it: as Sluice shows it (`\xNN`, in any
 * case), or as Node reads it from a command line, with U+FFFD for its bytes.
 */
export function isOddNamed(raw_name: string, text: string): boolean {
  if (textOfName(raw_name) !== undefined) return false
  const shown = escapeName(raw_name)
  return (
    shown.toLowerCase() === text.toLowerCase() ||
    Buffer.from(raw_name, 'latin1').toString('utf8') === text
  )
}
