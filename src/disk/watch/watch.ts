import { realRoot } from '../root/inside.ts'
import { offline, rootStatus } from '../root/root.ts'
import type { FolderWatcher, StartingWatcher } from './watch-trouble.ts'

export type { FolderWatcher, Hint } from './watch-trouble.ts'

export interface WatchOptions extends StartingWatcher {
  root: string
  /** See choose-watcher.ts. */
  watcher: 'chokidar' | 'native'
}

/**
 * Watches a folder for hints. Resolves when all of it is watched, so that a scan that begins then
 * leaves no gap. Each kind of watch error becomes one `doubtful` hint, and `trouble`. A folder that
 * goes offline needs a new watcher when it returns. Errors: `disk.offline`, `disk.not_watched`.
 */
export async function watchFolder({
  root,
  watcher,
  ...options
}: WatchOptions): Promise<FolderWatcher> {
  // Loaded on demand: a single pass watches nothing, and most folders need one of the two.
  const start =
    watcher === 'native'
      ? (await import('./watch-inotify.ts')).watchByInotify
      : (await import('./watch-chokidar.ts')).watchByChokidar
  const status = rootStatus(root)
  if (status.kind === 'offline') throw offline(root, status.detail)
  // Watchers follow no links, so one at the root is resolved here.
  return start(withoutSlash(realRoot(root)), options, status)
}

function withoutSlash(path: string): string {
  return path === '/' ? path : path.slice(0, -1)
}
