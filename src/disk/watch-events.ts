import type { Stats } from 'node:fs'
import { basename, resolve } from 'node:path'
import { FSWatcher } from 'chokidar'
import { readEventQueue } from './event-queue.ts'
import type { IgnoreRules } from './ignore.ts'
import { ignore_file_name } from './ignore-file.ts'
import { sharesBelow } from './shares-below.ts'
import { closeGaps, endFailedLists, passOver } from './watch-gaps.ts'
import type { Hint } from './watch-hint.ts'
import { burst_reason, hintAt, parentOf } from './watch-hint.ts'
import { mendSwaps, watchedPath } from './watch-swaps.ts'

export interface WatchListener {
  hint(hint: Hint): void
  /** The .sluiceignore of this directory came, changed or went. */
  rulesChanged(directory: string): void
  rootRemoved(): void
  failed(error: unknown): void
}

/**
 * Starts chokidar and turns its events into hints. A settle rule, a scan and another lstat stand behind the hints, so its own
 * ways of waiting for files and of joining events are off.
 */
export function startChokidar(
  root: string,
  rules: IgnoreRules,
  listener: WatchListener,
  burst_events: number,
): FSWatcher {
  const isLeft = (path: string) => sharesBelow(root).covers(relativeTo(root, path))
  const watcher = new FSWatcher({
    ignoreInitial: true,
    awaitWriteFinish: false,
    atomic: false,
    followSymlinks: false,
    // A scan names what cannot be read, path by path.
    ignorePermissionErrors: true,
    ignored: (path, stats) => isLeft(path) || isIgnored(rules, relativeTo(root, path), stats),
  })
  endFailedLists(watcher)
  passOver(watcher, isLeft)
  closeGaps(watcher, (directory) => rules.verdict(relativeTo(root, directory), 'directory').ignored)
  mendSwaps(watcher, {
    isLeft,
    isIgnored: (path, stats) => isIgnored(rules, relativeTo(root, path), stats),
    on_too_many: () => listener.hint({ kind: 'folder' }),
  })
  watcher.add(root)
  // Where a watched path vanishes chokidar calls this by itself to wait for it in the parent, even after close: the whole of /mnt
  // would be watched for one share, and a stopped program would not end.
  watcher.add = () => watcher
  watcher.on('all', (event, absolute) => {
    const path = relativeTo(root, absolute)
    if (event === 'unlinkDir' && path === '') listener.rootRemoved()
    else if (path === '') listener.hint({ kind: 'folder' })
    else if (event === 'addDir' || event === 'unlinkDir') listener.hint({ kind: 'directory', path })
    else if (basename(path) === ignore_file_name) listener.rulesChanged(parentOf(path))
    else listener.hint({ kind: 'path', path })
  })
  const mayHaveLost = () => listener.hint({ kind: 'doubtful', reason: burst_reason })
  const queue = readEventQueue(mayHaveLost)
  const close = watcher.close.bind(watcher)
  watcher.close = () => {
    queue.leave()
    return close()
  }
  watcher.on('raw', queue.heard)
  watcher.on('raw', hearRaw(root, listener, burst_events))
  watcher.on('error', (error) => listener.failed(error))
  return watcher
}

/** chokidar asks twice, first without `stats`; only then is it known which rules apply. */
function isIgnored(rules: IgnoreRules, path: string, stats: Stats | undefined): boolean {
  if (stats === undefined || path === '') return false
  if (stats.isDirectory()) return rules.verdict(path, 'directory').ignored
  if (!stats.isFile()) return true
  return basename(path) !== ignore_file_name && rules.verdict(path, 'file').ignored
}

/** Raw events tell of two things that chokidar does not: floods, and names that are not UTF-8, which arrive garbled. */
function hearRaw(
  root: string,
  listener: WatchListener,
  burst_events: number,
): (event: string, name: string, details: unknown) => void {
  let in_this_turn = 0
  return (_event, name, details) => {
    if (in_this_turn === 0) {
      setImmediate(() => {
        in_this_turn = 0
      })
    }
    in_this_turn += 1
    if (in_this_turn === burst_events) {
      listener.hint({ kind: 'doubtful', reason: burst_reason })
    }
    const watched = watchedPath(details)
    if (watched !== undefined && name?.includes('\uFFFD')) {
      listener.hint(hintAt(relativeTo(root, watched)))
    }
  }
}

function relativeTo(root: string, path: string): string {
  const absolute = resolve(root, path)
  if (absolute === root) return ''
  return absolute.slice(root === '/' ? 1 : root.length + 1)
}
