import type { FSWatcher } from 'chokidar'
import { startChokidar, type WatchListener } from './watch-events.ts'
import { type Hint, hintAt, root_removed } from './watch-hint.ts'
import { createWatchTrouble } from './watch-trouble.ts'
import type { FolderWatcher, StartingWatcher } from './watcher.ts'

/** Watches by one inotify watch for each file and directory. `root` has no links in it and no slash at its end. */
export async function watchByChokidar(root: string, options: StartingWatcher): Promise<FolderWatcher> {
  const { rules, signal } = options
  const stop = new AbortController()
  /** Directories that the present chokidar does not hear. */
  const not_entered = new Set<string>()
  let trouble = createWatchTrouble()
  let current: FSWatcher | undefined
  let starting: Promise<void> | undefined
  let removed = false

  const needed = () => (current === undefined ? 0 : countWatches(current))
  const describeTrouble = () => (removed ? root_removed : trouble.text(needed))

  function hint(hint: Hint): void {
    if (!stop.signal.aborted) options.on_hint(hint)
  }

  function hintDirectory(path: string): void {
    hint(hintAt(path))
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
    not_entered.add(directory)
    hintDirectory(directory)
    starting ??= startAgain()
  }

  /** chokidar does not enter what was ignored or a file when it started, so it takes a new one; the old one hears on meanwhile. */
  async function startAgain(): Promise<void> {
    do {
      const directories = [...not_entered]
      not_entered.clear()
      const old = current
      trouble = createWatchTrouble()
      current = startChokidar(root, rules, listener, options.burst_events)
      await readyOrStopped(current, stop.signal)
      await old?.close()
      // What has become visible was not watched until now.
      for (const directory of directories) hintDirectory(directory)
    } while (not_entered.size > 0 && !stop.signal.aborted)
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
