import { codeOf, messageOf } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import type { IgnoreRules } from '../scan/ignore.ts'
import { inotifyLimit, raisedLimit } from './inotify-limits.ts'

/** What keeps a watcher from hearing everything: hundreds of errors of the same kind become one line. */
export function createWatchTrouble() {
  const kinds = new Map<string, { message: string; count: number }>()
  // Read while there are free descriptors; `text` may come when there are none.
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
    /** The line for people, or undefined. `needed` is how many inotify watches the folder takes. */
    text(needed: () => number): string | undefined {
      if (kinds.size === 0) return undefined
      const watches = needed()
      return [...kinds].map(([code, { message }]) => describe(code, message, watches)).join('; ')
    },
    /** Watches that could not be had. */
    missing: () => kinds.get('ENOSPC')?.count ?? 0,
  }
}

/** inotify(7): ENOSPC is the number of watches, EMFILE that of instances or of open files. */
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
  /** This directory and all below; where no directory is there any more, what was below it. */
  | { kind: 'directory'; path: string }
  | { kind: 'folder' }
  /** Events were or may have been lost: only a scan tells what changed. */
  | { kind: 'doubtful'; reason: string }

/** The kernel's queue (16,384 events by default) overflows in silence while who reads it is busy. */
export const burst_reason = 'so many changes at once that the kernel may have dropped some'
export const root_removed = 'the folder was removed or replaced: it is not watched any more'

/** The directory itself; '' is the root. */
export function hintAt(directory: string): Hint {
  return directory === '' ? { kind: 'folder' } : { kind: 'directory', path: directory }
}

/** Options that every watcher starts with. */
export interface StartingWatcher {
  rules: IgnoreRules
  /** So many events at once are a burst: the kernel may have dropped some. */
  burst_events: number
  on_hint: (hint: Hint) => void
  /** Gives up the start, which takes seconds for tens of thousands of files. */
  signal?: AbortSignal
  clock?: Clock
}

export interface FolderWatcher {
  close(): Promise<void>
  /** Inotify watches held. */
  watched(): number
  /** One line on what is not heard, or undefined. */
  trouble(): string | undefined
  /** It must be started anew: its root was replaced, it ended by itself, or its paths are not right any more. */
  isStale(): boolean
}
