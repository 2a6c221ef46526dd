import type { FSWatcher } from 'chokidar'
import type { IgnoreRules } from './ignore.ts'
import { realRoot } from './inside.ts'
import { rootStatus } from './mount.ts'
import { offline } from './offline.ts'
import type { Hint, WatchListener } from './watch-events.ts'
import { createWatchTrouble } from './watch-trouble.ts'

export type { Hint } from './watch-events.ts'

export interface WatchOptions {
  root: string
  rules: IgnoreRules
  on_hint: (hint: Hint) => void
  /** Gives up the start, which takes seconds for tens of thousands of files. */
  signal?: AbortSignal
}

export interface FolderWatcher {
  close(): Promise<void>
  /** Inotify watches held: one for each file and directory that is not ignored. */
  watched(): number
  /** One line on what is not heard, or undefined. */
  trouble(): string | undefined
}

/**
 * Watches a folder for hints; resolves when all of it is watched, so that a scan begun then leaves no gap. Errors of the watching
 * itself become one `doubtful` hint for each kind, and `trouble`. A folder that goes away is not watched again when it returns:
 * start anew. Error: `disk.offline`.
 */
export async function watchFolder(options: WatchOptions): Promise<FolderWatcher> {
  const { rules, signal } = options
  const status = rootStatus(options.root)
  if (status.kind === 'offline') throw offline(options.root, status.detail)
  // chokidar follows no links, and so not one at the root either.
  const root = withoutSlash(realRoot(options.root))
  // A single pass watches nothing.
  const { startChokidar } = await import('./watch-events.ts')

  const stop = new AbortController()
  /** Directories that the present chokidar does not hear. */
  const not_entered = new Set<string>()
  let trouble = createWatchTrouble()
  let current: FSWatcher | undefined
  let starting: Promise<void> | undefined
  let removed = false

  const needed = () => (current === undefined ? 0 : countWatches(current))
  const describeTrouble = () => (removed ? root_removed : trouble.text(needed()))

  function hint(hint: Hint): void {
    if (!stop.signal.aborted) options.on_hint(hint)
  }

  function hintDirectory(path: string): void {
    hint(path === '' ? { kind: 'folder' } : { kind: 'directory', path })
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
      current = startChokidar(root, rules, listener)
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
    async close() {
      signal?.removeEventListener('abort', forward)
      stop.abort()
      await starting
      await current?.close()
    },
  }
}

const root_removed = 'the folder was removed or replaced: it is not watched any more'

function withoutSlash(path: string): string {
  return path === '/' ? path : path.slice(0, -1)
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
