import { accessSync, lstatSync } from 'node:fs'
import { codeOf } from '../../base/run/errors.ts'
import { isoTime } from '../../base/time/time.ts'
import { type EntryKind, entryKind, isGone } from '../../disk/scan/directory-names.ts'

interface OnDisk {
  kind: EntryKind | 'missing' | 'unreadable'
  size: number | null
  modified: string | null
}

/** What stands at one absolute path; a link there is not followed. */
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

/** The answer of `call`; where the system refuses, that of `otherwise` to its code (`ENOENT`). */
export function attempt<Answer, Other>(call: () => Answer, otherwise: (code: string) => Other): Answer | Other {
  try {
    return call()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return otherwise(code)
  }
}

/** Why this user may not read it, or run or pass through it (`right`, of node:fs), as the code of the system. */
export function accessFault(path: string, right: number): string | undefined {
  return attempt(
    () => accessSync(path, right) as undefined,
    (code) => code,
  )
}
