import { readFileSync } from 'node:fs'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import { maxOpenFiles } from '../../base/run/process.ts'
import type { Clock } from '../../base/time/time.ts'
import type { IgnoreRules } from '../scan/ignore.ts'

/** A kernel limit for all programs of one user together (inotify(7)). `name`: as in sysctl(8). */
export interface InotifyLimit {
  name: string
  /** Infinity if it cannot be read. */
  value: number
}

/** The limit that is reached first. A container may have a lower one (namespaces, ucounts). */
export function inotifyLimit(of: 'watches' | 'instances'): InotifyLimit {
  const names = [`fs.inotify.max_user_${of}`, `user.max_inotify_${of}`]
  const limits = names.map((name) => ({ name, value: readLimit(name) }))
  return limits.reduce((a, b) => (b.value < a.value ? b : a))
}

/** A round number that allows `needed` more than the exhausted limit. */
export function raisedLimit(value: number, needed: number): number {
  return 2 ** Math.ceil(Math.log2(value + needed))
}

/** The last values: without a free descriptor, a process cannot read them when it needs them. */
const known = new Map<string, number>()

function readLimit(name: string): number {
  try {
    known.set(name, Number(readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8')))
  } catch {
    // Not Linux, or /proc is hidden: then this limit is not the one to report.
  }
  return known.get(name) ?? Number.POSITIVE_INFINITY
}

/** The kernel's default, for systems where the file is missing or unreadable. */
const usual_max_queued = 16_384

const on_flood = new Set<() => void>()

/**
 * All watchers of an event loop share one inotify instance of libuv, and so one kernel queue. The
 * kernel drops events beyond it, and libuv reports nothing (inotify(7), IN_Q_OVERFLOW). So each
 * watcher gets a call, until its signal aborts. A full queue is read in one turn of the loop.
 */
export function onFlood(notify: () => void, signal: AbortSignal): void {
  // A separate function, because the same one may be added twice.
  const listener = () => notify()
  on_flood.add(listener)
  signal.addEventListener('abort', () => on_flood.delete(listener))
}

let flood_events: number | undefined

/** Watchers in this thread call it for every event from inotify. A flood calls all listeners. */
export const heardEvent = atCallInTurn(
  () => (flood_events ??= Math.ceil(mostQueued() / 2)),
  () => {
    for (const notify of [...on_flood]) notify()
  },
)

/** Makes a function that calls `notify` at its `max`th call in one turn of the event loop. */
export function atCallInTurn(max: () => number, notify: () => void): () => void {
  let in_this_turn = 0
  return () => {
    if (in_this_turn === 0) {
      setImmediate(() => {
        in_this_turn = 0
      })
    }
    in_this_turn += 1
    if (in_this_turn === max()) notify()
  }
}

/** Size of the queue. Half of it is a flood: events of unwatched directories fill it unreported. */
function mostQueued(): number {
  try {
    return (
      Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || usual_max_queued
    )
  } catch {
    return usual_max_queued
  }
}

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
    const limit = Number.isFinite(value)
      ? `, and ${name} is ${value} for all programs of this user together`
      : ''
    return `not all of the folder is watched: it needs ${needed} inotify watches${limit}; ${raise(name, value, needed)}`
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    const { name, value } = inotifyLimit('instances')
    const limit = Number.isFinite(value) ? ` (${value} for all programs of this user together)` : ''
    return (
      `not all of the folder is watched: either ${name}${limit} or the limit of open files (${maxOpenFiles() ?? 'not known'}) is reached; ` +
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

export const burst_reason = 'so many changes at once that the kernel may have dropped some'
export const root_removed = 'the folder was removed or replaced: it is not watched any more'

export function hintAt(directory: string): Hint {
  return directory === '' ? { kind: 'folder' } : { kind: 'directory', path: directory }
}

export interface StartingWatcher {
  rules: IgnoreRules
  /** Number of events at once that makes a burst: the kernel may have dropped some. */
  burst_events: number
  on_hint: (hint: Hint) => void
  /** Aborts the start, which takes seconds for tens of thousands of files. Later, it ends hints. */
  signal?: AbortSignal
  clock?: Clock
}

export interface FolderWatcher {
  close(): Promise<void>
  /** Inotify watches held. */
  watched(): number
  /** One line about missed events; undefined if there are none. */
  trouble(): string | undefined
  /** True if it must be replaced: its root was removed or replaced, or it cannot go on. */
  isStale(): boolean
}
