import { codeOf, messageOf } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import type { IgnoreRules } from '../scan/ignore.ts'
import { inotifyLimit, raisedLimit } from './inotify-limits.ts'

/** Collects why a watcher misses events: hundreds of errors of one kind become one line. */
export function createWatchTrouble() {
  const kinds = new Map<string, { message: string; count: number }>()
  // Reads them while descriptors are free; `text` may run when none is.
  inotifyLimit('watches')
  inotifyLimit('instances')
  return {
    /** True for the first error of its kind. */
    note(error: unknown): boolean {
      const code = codeOf(error) ?? 'error'
      const kind = kinds.get(code)
      if (kind) kind.count += 1
      else kinds.set(code, { message: messageOf(error), count: 1 })
      return kind === undefined
    },
    /** One line for the operator; undefined if all is well. `needed`: watches for the folder. */
    text(needed: () => number): string | undefined {
      if (kinds.size === 0) return undefined
      const watches = needed()
      return [...kinds].map(([code, { message }]) => describe(code, message, watches)).join('; ')
    },
    /** Watches that the kernel refused. */
    missing: () => kinds.get('ENOSPC')?.count ?? 0,
  }
}

/** inotify(7): ENOSPC is about the number of watches, EMFILE about instances or open files. */
function describe(code: string, message: string, needed: number): string {
  if (code === 'ENOSPC') {
    const { name, value } = inotifyLimit('watches')
    const limit = Number.isFinite(value) ? `, and ${name} is ${value} for all programs of this user together` : ''
    return `not all of the folder is watched: it needs ${needed} inotify watches${limit}; ${raise(name, value, needed)}`
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    const { name, value } = inotifyLimit('instances')
    const limit = Number.isFinite(value) ? ` (${value} for all programs of this user together)` : ''
    return (
      `not all of the folder is watched (${code}): either ${name}${limit} or the limit of open files is reached; ` +
      `${raise(name, value, 1)}, or the other: ulimit -n, LimitNOFILE= of the unit`
    )
  }
  return `not all of the folder is watched: ${message}`
}

function raise(name: string, value: number, needed: number): string {
  return Number.isFinite(value)
    ? `raise it: sysctl -w ${name}=${raisedLimit(value, needed)}`
    : `raise ${name} by sysctl -w`
}

/** A place to check, not what happened there. Paths are relative to the root. */
export type Hint =
  | { kind: 'path'; path: string }
  /** This directory and all below. If it is gone: all that was below it. */
  | { kind: 'directory'; path: string }
  | { kind: 'folder' }
  /** Events were or may have been lost: only a scan finds what changed. */
  | { kind: 'doubtful'; reason: string }

/** The kernel's queue (16,384 events by default) overflows silently while its reader is busy. */
export const burst_reason = 'so many changes at once that the kernel may have dropped some'
export const root_removed = 'the folder was removed or replaced: it is not watched any more'

/** A hint for the directory itself; '' is the root. */
export function hintAt(directory: string): Hint {
  return directory === '' ? { kind: 'folder' } : { kind: 'directory', path: directory }
}

/** Options that every watcher starts with. */
export interface StartingWatcher {
  rules: IgnoreRules
  /** Number of events at once that makes a burst: the kernel may have dropped some. */
  burst_events: number
  on_hint: (hint: Hint) => void
  /** Aborts the start, which takes seconds for tens of thousands of files. */
  signal?: AbortSignal
  clock?: Clock
}

export interface FolderWatcher {
  close(): Promise<void>
  /** Inotify watches held. */
  watched(): number
  /** One line about missed events; undefined if there are none. */
  trouble(): string | undefined
  /** It must restart: its root was replaced, it ended by itself, or its paths are wrong by now. */
  isStale(): boolean
}
