import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { FSWatcher } from 'chokidar'
import { isBelow } from '../../base/files/path-below.ts'
import { codeOf } from '../../base/run/errors.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import { directoriesIn, parentOf } from '../scan/directory-names.ts'
import type { IgnoreRules } from '../scan/ignore.ts'
import { ignore_file_name } from '../scan/ignore-file.ts'
import {
  atCallInTurn,
  burst_reason,
  type Hint,
  heardEvent,
  hintAt,
  onFlood,
} from './watch-trouble.ts'

export interface WatchListener {
  hint(hint: Hint): void
  /** The .sluiceignore of this directory was created, changed or removed. */
  rulesChanged(directory: string): void
  /** Another entry than chokidar watches is at this path: only a new chokidar sees it. */
  replaced(path: string): void
  rootRemoved(): void
  failed(error: unknown): void
}

/** A new path is checked after this. Until then chokidar may drop its second event. */
const settle_ms = second_ms
/** A start without a new watch for so long is over: chokidar waits for a listing without end. */
const stall_ms = 3 * second_ms
/** Maximum paths to check, some megabytes. Beyond it, chokidar restarts. */
const max_paths = 20_000

/** When a path vanishes, chokidar adds paths, even after its close: the program would not end. */
class EndingWatcher extends FSWatcher {
  override add(...given: Parameters<FSWatcher['add']>): FSWatcher {
    return this.closed ? this : super.add(...given)
  }
}

export type ChokidarEvents = ReturnType<typeof createChokidarEvents>

/**
 * The events of chokidar as hints. Its own waiting and joining is off: a settle rule, a scan and
 * another lstat follow the hints. It reads a directory before it watches it, and misses one that
 * replaces another. So a renamed path is checked again after it has settled: an unknown directory
 * is added to chokidar, and for a replaced one, chokidar must restart.
 */
export function createChokidarEvents(
  root: string,
  rules: IgnoreRules,
  listener: WatchListener,
  burst_events: number,
) {
  const closed = new AbortController()
  /** Inode and birth time of each watched directory. */
  const directories = new Map<string, string>()
  /** New since the start, and not checked yet. */
  const new_directories = new Set<string>()
  let unchecked = new Set<string>()
  let is_checking = false
  let is_started = false
  let is_whole = false

  const chokidar = new EndingWatcher({
    // Entries found at the start show which directories are watched.
    ignoreInitial: false,
    awaitWriteFinish: false,
    atomic: false,
    followSymlinks: false,
    // A scan reports unreadable paths one by one.
    ignorePermissionErrors: true,
    ignored: isLeftOut,
  })
  const mayHaveLost = () => listener.hint({ kind: 'doubtful', reason: burst_reason })
  onFlood(mayHaveLost, closed.signal)
  chokidar.on('raw', heardEvent)
  chokidar.on(
    'raw',
    atCallInTurn(() => burst_events, mayHaveLost),
  )
  chokidar.on('raw', hearRaw)
  chokidar.on('all', hear)
  chokidar.on('error', (error) => listener.failed(error))

  /** Number of inotify watches. The root counts as an entry of its parent. */
  const watches = (): number =>
    Object.values(chokidar.getWatched()).reduce((sum, names) => sum + names.length, 0)

  /**
   * chokidar asks twice, first without `stats`, which decide the rules. If the root vanishes, it
   * goes on in the parent: the whole of /mnt would be watched for one share.
   */
  function isLeftOut(absolute: string, stats: Stats | undefined): boolean {
    if (!isBelow(absolute, root)) return true
    const path = pathOf(absolute)
    if (stats === undefined || path === '') return false
    if (stats.isDirectory()) return rules.verdict(path, 'directory').ignored
    if (!stats.isFile()) return true
    return basename(path) !== ignore_file_name && rules.verdict(path, 'file').ignored
  }

  function hear(event: string, absolute: string, stats: Stats | undefined): void {
    const path = pathOf(absolute)
    if (event === 'addDir' && stats !== undefined) directories.set(path, identityOf(stats))
    if (event === 'addDir') check(path)
    if (event === 'addDir' && is_started) new_directories.add(path)
    if (event === 'unlinkDir') directories.delete(path)
    // Entries at the start are nothing new.
    if (!is_started && (event === 'add' || event === 'addDir')) return
    if (event === 'unlinkDir' && path === '') listener.rootRemoved()
    else if (path === '') listener.hint({ kind: 'folder' })
    else if (event === 'addDir' || event === 'unlinkDir') listener.hint({ kind: 'directory', path })
    else if (basename(path) === ignore_file_name) listener.rulesChanged(parentOf(path))
    else listener.hint({ kind: 'path', path })
  }

  /** Names that are not UTF-8 arrive garbled, and chokidar does not report them. */
  function hearRaw(event: string, name: string | null, details: unknown): void {
    const absolute = watchedPath(details)
    if (absolute === undefined) return
    const path = pathOf(absolute)
    if (name?.includes('\uFFFD')) listener.hint(hintAt(path))
    if (event !== 'rename') return
    if (name) check(join(path, name))
    // A directory reports itself by its own name, too.
    if (!name || name === basename(absolute)) check(path)
  }

  function check(path: string): void {
    if (unchecked.size <= max_paths) unchecked.add(path)
    if (!is_checking) void checkAll()
  }

  async function checkAll(): Promise<void> {
    is_checking = true
    while (unchecked.size > 0 && !closed.signal.aborted) {
      await system_clock.sleep(settle_ms, closed.signal)
      const paths = unchecked
      unchecked = new Set()
      if (paths.size > max_paths) listener.replaced('')
      else {
        for (const path of paths) {
          if (!closed.signal.aborted) await compare(path)
        }
      }
    }
    is_checking = false
  }

  async function compare(path: string): Promise<void> {
    const is_new = new_directories.delete(path)
    const stats = await statsOf(join(root, path))
    if (stats === undefined || isLeftOut(join(root, path), stats)) return
    const known = directories.get(path)
    const is_other = stats.isDirectory() ? known !== identityOf(stats) : true
    // The keeper checks whether the root is another one.
    if (known !== undefined && path !== '' && is_other) listener.replaced(path)
    else if (stats.isDirectory() && known === undefined) take(path)
    else if (stats.isDirectory()) {
      // chokidar misses a file made between its listing of a new directory and its watch.
      if (is_new) listener.hint({ kind: 'directory', path })
      for (const { path: below } of directoriesIn(root, path)) {
        if (!directories.has(below)) await compare(below)
      }
    }
  }

  /** Unwatches first, because a file may be watched in its place. */
  function take(directory: string): void {
    if (closed.signal.aborted) return
    const absolute = join(root, directory)
    chokidar.unwatch(absolute).add(absolute)
  }

  const pathOf = (absolute: string): string => relative(root, resolve(root, absolute))

  return {
    watches,
    /** Resolves when all is watched, or when chokidar stalls, as at an unreadable listing. */
    async start(signal: AbortSignal): Promise<void> {
      const ready = new AbortController()
      const over = AbortSignal.any([ready.signal, signal])
      chokidar.once('ready', () => {
        is_whole = true
        ready.abort()
        // `start` has given up waiting: changes before this point may have no hint.
        if (is_started) listener.hint({ kind: 'folder' })
      })
      chokidar.add(root)
      let before = -1
      while (!over.aborted && watches() !== before) {
        before = watches()
        await system_clock.sleep(stall_ms, over)
      }
      is_started = true
    },
    isWhole: () => is_whole,
    async close(): Promise<void> {
      closed.abort()
      await chokidar.close()
    },
  }
}

function watchedPath(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details))
    return undefined
  return typeof details.watchedPath === 'string' ? details.watchedPath : undefined
}

/** With birth time, because the inode of a deleted directory is reused at once. */
function identityOf({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
