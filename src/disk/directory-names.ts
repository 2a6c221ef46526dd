import { Dirent, readdirSync } from 'node:fs'
import type { EntryKind } from './entry.ts'

/** What stands in a directory, as the directory itself says: no look at the entry yet. */
export interface NamedEntry {
  /** One character for each byte (latin1): exact for every name, and their order is byte order. */
  readonly name: string
  /** Undefined where the filesystem does not say (readdir(3): DT_UNKNOWN). */
  readonly kind: EntryKind | undefined
}

/** The entries of a directory in byte order of their names. Errors are those of readdir(3). */
export function readDirectory(path: string): readonly NamedEntry[] {
  return listed(path).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listed(path: string): NamedEntry[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(path, { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // Where kinds are not known Node asks for each entry by its latin1 name, which may be none that is there.
    return readdirSync(path, 'latin1').map((name) => ({ name, kind: undefined }))
  }
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
}

function kindOf(entry: Dirent): EntryKind | undefined {
  if (entry.isFile()) return isTold(entry) ? 'file' : undefined
  if (entry.isDirectory()) return isTold(entry) ? 'directory' : undefined
  if (!isTold(entry)) return undefined
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isFIFO()) return 'fifo'
  return entry.isSocket() ? 'socket' : 'device'
}

/** Another class of Node's own holds what it found by asking, for which see above. */
function isTold(entry: Dirent): boolean {
  return entry.constructor === Dirent
}
