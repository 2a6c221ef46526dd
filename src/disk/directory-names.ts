import { Dirent, readdirSync } from 'node:fs'
import type { EntryKind } from './entry.ts'

/** What stands in a directory; no look at the entry yet. There may be hundreds of thousands: nothing is made of them that is not needed. */
export interface NamedEntry {
  /** One character for each byte (latin1): exact for every name, and their order is byte order. */
  readonly name: string
}

/** The entries of a directory in byte order of their names. Errors are those of readdir(3). */
export function readDirectory(path: string): readonly NamedEntry[] {
  return listed(path).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listed(path: string): NamedEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // Where kinds are not known Node asks for each entry by its latin1 name, which may be none that is there.
    return readdirSync(path, 'latin1').map((name) => ({ name }))
  }
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
