import { readFileSync } from 'node:fs'

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
const usual_most_queued = 16_384

const on_flood = new Set<() => void>()

/**
 * libuv has one inotify instance for all watchers of an event loop, so they share one kernel queue.
 * The kernel drops events beyond it, and libuv reports nothing (inotify(7), IN_Q_OVERFLOW). Every
 * watcher may have lost some, so each gets a call until its signal aborts. A full queue is read in
 * one turn of the loop.
 */
export function onFlood(tell: () => void, signal: AbortSignal): void {
  // A separate function, because the same one may be added twice.
  const told = () => tell()
  on_flood.add(told)
  signal.addEventListener('abort', () => on_flood.delete(told))
}

let flood_events: number | undefined

/** Counts every event that watchers in this thread get from inotify. */
export const heardEvent = atCallInTurn(
  () => (flood_events ??= Math.ceil(mostQueued() / 2)),
  () => {
    for (const tell of [...on_flood]) tell()
  },
)

/** Calls back at a given number of calls in one turn of the event loop. */
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

/** Size of the queue. Half of it is a flood: events of unwatched directories fill it unreported. */
function mostQueued(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || usual_most_queued
  } catch {
    return usual_most_queued
  }
}
