import { readFileSync } from 'node:fs'

/** What a Linux without this file has, or with one that nobody can read. */
const usual_most_queued = 16_384

/** Something that watches by inotify, in the thread of this module. */
export interface QueueReader {
  /** Of each event, whatever it is about. */
  heard(): void
  leave(): void
}

const on_flood = new Set<() => void>()
let in_this_turn = 0
let flood_events: number | undefined

/**
 * libuv has one inotify instance for all watchers of an event loop, so they share one queue of the kernel. What does not fit is dropped,
 * which libuv tells nobody (inotify(7), IN_Q_OVERFLOW): whosever events filled it, every watcher may have lost some, and each is told.
 * A queue that ran over is read in one turn of the loop.
 */
export function readEventQueue(tell: () => void): QueueReader {
  // A name of its own: one function may be told twice.
  const told = () => tell()
  on_flood.add(told)
  return { heard, leave: () => void on_flood.delete(told) }
}

function heard(): void {
  if (in_this_turn === 0) {
    setImmediate(() => {
      in_this_turn = 0
    })
  }
  in_this_turn += 1
  flood_events ??= Math.ceil(mostQueued() / 2)
  if (in_this_turn === flood_events) for (const tell of [...on_flood]) tell()
}

/** Half of it counts as a flood: events of directories that are watched no more fill the queue and are told to nobody. */
function mostQueued(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || usual_most_queued
  } catch {
    return usual_most_queued
  }
}
