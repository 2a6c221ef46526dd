import type { FSWatcher } from 'chokidar'
import { startChokidar, type WatchListener } from './watch-events.ts'
import { type Hint, hintAt, root_removed } from './watch-hint.ts'
import { createWatchTrouble } from './watch-trouble.ts'
import type { FolderWatcher, StartingWatcher } from './watcher.ts'

/** Watches by one inotify watch for each file and directory. `root` has no links in it and no slash at its end. */
export async function watchByChokidar(root: string, options: StartingWatcher): Promise<FolderWatcher> {
  const { rules, signal } = options
  const stop = new AbortController()
  /** There are directories that the present chokidar does not hear. */
  let is_incomplete = false
  let trouble = createWatchTrouble()
  let current: FSWatcher | undefined
  let starting: Promise<void> | undefined
  let removed = false

  const needed = () => (current === undefined ? 0 : countWatches(current))
  const describeTrouble = () => (removed ? root_removed : trouble.text(needed))

  function hint(hint: Hint): void {
    if (!stop.signal.aborted) options.on_hint(hint)
  }

  function tellTrouble(): void {
    const reason = describeTrouble()
    if (reason !== undefined) hint({ kind: 'doubtful', reason })
  }

  const listener: WatchListener = {
    hint,
    rootRemoved() {
      removed = true
      tellTrouble()
    },
    failed(error) {
      // During a start the line would name half of what is needed: it comes when all is counted.
      if (trouble.note(error) && starting === undefined) tellTrouble()
    },
    rulesChanged(directory) {
      rules.forget(directory)
      enter(directory)
    },
    fileReplaced: enter,
  }

  function enter(directory: string): void {
    is_incomplete = true
    hint(hintAt(directory))
    starting ??= startAgain()
  }

  /**
   * chokidar does not enter what was ignored or a file when it started, so it takes a new one. The old one is closed before: all
   * in this process share the watch of a path, and so one on what is gone.
   */
  async function startAgain(): Promise<void> {
    do {
      const is_first = current === undefined
      is_incomplete = false
      // Closed in the middle of what it does it would begin watches that nobody ends.
      await new Promise((resolve) => setImmediate(resolve))
      await current?.close()
      trouble = createWatchTrouble()
      current = startChokidar(root, rules, listener, options.burst_events)
      await readyOrStopped(current, stop.signal)
      // What happened meanwhile was told to nobody.
      if (!is_first) hint({ kind: 'folder' })
    } while (is_incomplete && !stop.signal.aborted)
    starting = undefined
    tellTrouble()
  }

  const forward = () => stop.abort()
  signal?.addEventListener('abort', forward)
  if (signal?.aborted) stop.abort()
  starting = startAgain()
  await starting

  return {
    watched: () => needed() - trouble.missing(),
    trouble: describeTrouble,
    isStale: () => removed,
    async close() {
      signal?.removeEventListener('abort', forward)
      stop.abort()
      await starting
      await current?.close()
    },
  }
}

function readyOrStopped(watcher: FSWatcher, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop.removeEventListener('abort', done)
      resolve()
    }
    watcher.once('ready', done)
    stop.addEventListener('abort', done)
    if (stop.aborted) done()
  })
}

/** The root stands among the entries of its parent. */
function countWatches(watcher: FSWatcher): number {
  return Object.values(watcher.getWatched()).reduce((sum, names) => sum + names.length, 0)
}
