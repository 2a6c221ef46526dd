import { readFileSync } from 'node:fs'

/** A limit of the kernel on what all programs of one user have together (inotify(7)), and what sysctl(8) calls it. */
export interface InotifyLimit {
  name: string
  /** Infinity where there is none to be read. */
  value: number
}

/** The limit that is reached first; a container can have a lower one of its own (namespaces, ucounts). */
export function inotifyLimit(of: 'watches' | 'instances'): InotifyLimit {
  const names = [`fs.inotify.max_user_${of}`, `user.max_inotify_${of}`]
  const limits = names.map((name) => ({ name, value: readLimit(name) }))
  return limits.reduce((a, b) => (b.value < a.value ? b : a))
}

/** A round number with room for `needed` besides what has used the limit up. */
export function raisedLimit(value: number, needed: number): number {
  return 2 ** Math.ceil(Math.log2(value + needed))
}

/**
 * The values read last: a process without a free descriptor cannot read them when it needs them
 * most.
 */
const known = new Map<string, number>()

function readLimit(name: string): number {
  try {
    known.set(name, Number(readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8')))
  } catch {
    // Not Linux, or /proc is hidden: then this limit is not the one to name.
  }
  return known.get(name) ?? Number.POSITIVE_INFINITY
}

/** What a Linux without this file has, or with one that nobody can read. */
const usual_most_queued = 16_384

const on_flood = new Set<() => void>()

/**
 * libuv has one inotify instance for all watchers of an event loop, so they share one queue of the kernel. What does not fit is dropped,
 * which libuv tells nobody (inotify(7), IN_Q_OVERFLOW): whosever events filled it, every watcher may have lost some, and each is told,
 * until its signal aborts. A queue that ran over is read in one turn of the loop.
 */
export function onFlood(tell: () => void, signal: AbortSignal): void {
  // A name of its own: one function may be told twice.
  const told = () => tell()
  on_flood.add(told)
  signal.addEventListener('abort', () => on_flood.delete(told))
}

let flood_events: number | undefined

/** Of each event that a watcher in this thread hears by inotify, whatever it is about. */
export const heardEvent = atCallInTurn(
  () => (flood_events ??= Math.ceil(mostQueued() / 2)),
  () => {
    for (const tell of [...on_flood]) tell()
  },
)

/** A function that tells when it is called for so many times in one turn of the event loop. */
export function atCallInTurn(most: () => number, tell: () => void): () => void {
  let in_this_turn = 0
  return () => {
    if (in_this_turn === 0) {
      setImmediate(() => {
        in_this_turn = 0
      })
    }
    in_this_turn += 1
    if (in_this_turn === most()) tell()
  }
}

/** Half of it counts as a flood: events of directories that are watched no more fill the queue and are told to nobody. */
function mostQueued(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || usual_most_queued
  } catch {
    return usual_most_queued
  }
}
