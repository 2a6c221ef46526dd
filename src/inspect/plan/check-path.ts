import { accessSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'
import { isoTime } from '../../base/time/time.ts'
import { type EntryKind, entryKind, isGone } from '../../disk/scan/directory-names.ts'
import { placeholdersOf } from '../../domain/placeholder.ts'

interface OnDisk {
  kind: EntryKind | 'missing' | 'unreadable'
  size: number | null
  modified: string | null
}

/** Checks one absolute path; a link itself is not followed. */
export function checkPath(place: string): OnDisk {
  try {
    const stat = lstatSync(place, { bigint: true })
    const modified = isoTime(Number(stat.mtimeNs / 1_000_000n))
    return { kind: entryKind(stat.mode), size: Number(stat.size), modified }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return { kind: isGone(error) ? 'missing' : 'unreadable', size: null, modified: null }
  }
}

/** True if a placeholder of a sync client stands for this missing file: it counts as there. */
export function hasPlaceholder(root: string, path: string): boolean {
  return placeholdersOf(path).some((place) => checkPath(join(root, place)).kind === 'file')
}

/** Returns the answer of `call`. If the system refuses it, `otherwise` gets the code (`ENOENT`). */
export function attempt<Answer, Other>(
  call: () => Answer,
  otherwise: (code: string) => Other,
): Answer | Other {
  try {
    return call()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return otherwise(code)
  }
}

/** Checks a right of this user (`constants.R_OK`). Returns the error code; undefined if granted. */
export function accessFault(path: string, right: number): string | undefined {
  return attempt(
    () => accessSync(path, right) as undefined,
    (code) => code,
  )
}
