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
import { atCallInTurn, burst_reason, type Hint, heardEvent, hintAt, onFlood } from './watch-trouble.ts'

export interface WatchListener {
  hint(hint: Hint): void
  /** The .sluiceignore of this directory was created, changed or removed. */
  rulesChanged(directory: string): void
  /** Another entry than chokidar watches is at this path: only a new chokidar sees it. */
  replaced(path: string): void
  rootRemoved(): void
  failed(error: unknown): void
}

/** chokidar drops a path's second event within 100 ms, and rereads a directory within a second. */
const settle_ms = second_ms
/** After so long without a new watch, chokidar waits for a listing that does not end. */
const stall_ms = 3 * second_ms
/** Some megabytes of paths. */
const most_paths = 20_000

/** When a path vanishes, chokidar adds paths, even after its close: the program would not end. */
class EndingWatcher extends FSWatcher {
  override add(...given: Parameters<FSWatcher['add']>): FSWatcher {
    return this.closed ? this : super.add(...given)
  }
}

/**
 * chokidar, by its public API, with its events as hints. A settle rule, a scan and another lstat
 * follow the hints, so its own waiting and joining is off. chokidar reads a directory before it
 * watches it, and misses a directory that replaces another. So a renamed path is checked once more
 * after it has settled. An unknown directory is added to chokidar; for a replaced one, chokidar
 * must restart.
 */
export class ChokidarEvents {
  readonly #root: string
  readonly #rules: IgnoreRules
  readonly #listener: WatchListener
  readonly #chokidar: FSWatcher
  readonly #closed = new AbortController()
  /** Inode and birth time of each watched directory. */
  readonly #directories = new Map<string, string>()
  /** New since the start, and not checked yet. */
  readonly #new_directories = new Set<string>()
  #unchecked = new Set<string>()
  #is_checking = false
  #is_started = false
  #is_whole = false

  constructor(root: string, rules: IgnoreRules, listener: WatchListener, burst_events: number) {
    this.#root = root
    this.#rules = rules
    this.#listener = listener
    this.#chokidar = new EndingWatcher({
      // Entries found at the start show which directories are watched.
      ignoreInitial: false,
      awaitWriteFinish: false,
      atomic: false,
      followSymlinks: false,
      // A scan reports unreadable paths one by one.
      ignorePermissionErrors: true,
      ignored: (path, stats) => this.#isLeftOut(path, stats),
    })
    const mayHaveLost = () => listener.hint({ kind: 'doubtful', reason: burst_reason })
    onFlood(mayHaveLost, this.#closed.signal)
    this.#chokidar.on('raw', heardEvent)
    this.#chokidar.on(
      'raw',
      atCallInTurn(() => burst_events, mayHaveLost),
    )
    this.#chokidar.on('raw', (event, name, details) => this.#hearRaw(event, name, details))
    this.#chokidar.on('all', (event, path, stats) => this.#hear(event, path, stats))
    this.#chokidar.on('error', (error) => listener.failed(error))
  }

  /** Resolves when all is watched, or when chokidar stalls, as at an unreadable listing. */
  async start(signal: AbortSignal): Promise<void> {
    const ready = new AbortController()
    const over = AbortSignal.any([ready.signal, signal])
    this.#chokidar.once('ready', () => {
      this.#is_whole = true
      ready.abort()
      // `start` has given up waiting: changes before this point may have no hint.
      if (this.#is_started) this.#listener.hint({ kind: 'folder' })
    })
    this.#chokidar.add(this.#root)
    let before = -1
    while (!over.aborted && this.watches() !== before) {
      before = this.watches()
      await system_clock.sleep(stall_ms, over)
    }
    this.#is_started = true
  }

  isWhole(): boolean {
    return this.#is_whole
  }

  /** The root counts as an entry of its parent. */
  watches(): number {
    return Object.values(this.#chokidar.getWatched()).reduce((sum, names) => sum + names.length, 0)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#chokidar.close()
  }

  /**
   * chokidar asks twice, first without `stats`, which decide the rules. If the root vanishes, it
   * goes on in the parent: the whole of /mnt would be watched for one share.
   */
  #isLeftOut(absolute: string, stats: Stats | undefined): boolean {
    if (!isBelow(absolute, this.#root)) return true
    const path = this.#relative(absolute)
    if (stats === undefined || path === '') return false
    if (stats.isDirectory()) return this.#rules.verdict(path, 'directory').ignored
    if (!stats.isFile()) return true
    return basename(path) !== ignore_file_name && this.#rules.verdict(path, 'file').ignored
  }

  #hear(event: string, absolute: string, stats: Stats | undefined): void {
    const path = this.#relative(absolute)
    if (event === 'addDir' && stats !== undefined) this.#directories.set(path, identityOf(stats))
    if (event === 'addDir') this.#check(path)
    if (event === 'addDir' && this.#is_started) this.#new_directories.add(path)
    if (event === 'unlinkDir') this.#directories.delete(path)
    // Entries at the start are nothing new.
    if (!this.#is_started && (event === 'add' || event === 'addDir')) return
    if (event === 'unlinkDir' && path === '') this.#listener.rootRemoved()
    else if (path === '') this.#listener.hint({ kind: 'folder' })
    else if (event === 'addDir' || event === 'unlinkDir') this.#listener.hint({ kind: 'directory', path })
    else if (basename(path) === ignore_file_name) this.#listener.rulesChanged(parentOf(path))
    else this.#listener.hint({ kind: 'path', path })
  }

  /** Names that are not UTF-8 arrive garbled, and chokidar does not report them. */
  #hearRaw(event: string, name: string | null, details: unknown): void {
    const absolute = watchedPath(details)
    if (absolute === undefined) return
    const path = this.#relative(absolute)
    if (name?.includes('\uFFFD')) this.#listener.hint(hintAt(path))
    if (event !== 'rename') return
    if (name) this.#check(join(path, name))
    // A directory reports itself by its own name, too.
    if (!name || name === basename(absolute)) this.#check(path)
  }

  #check(path: string): void {
    if (this.#unchecked.size <= most_paths) this.#unchecked.add(path)
    if (!this.#is_checking) void this.#checkAll()
  }

  async #checkAll(): Promise<void> {
    const { signal } = this.#closed
    this.#is_checking = true
    while (this.#unchecked.size > 0 && !signal.aborted) {
      await system_clock.sleep(settle_ms, signal)
      const paths = this.#unchecked
      this.#unchecked = new Set()
      if (paths.size > most_paths) this.#listener.replaced('')
      else for (const path of paths) if (!signal.aborted) await this.#compare(path)
    }
    this.#is_checking = false
  }

  async #compare(path: string): Promise<void> {
    const is_new = this.#new_directories.delete(path)
    const stats = await statsOf(join(this.#root, path))
    if (stats === undefined || this.#isLeftOut(join(this.#root, path), stats)) return
    const known = this.#directories.get(path)
    const is_other = stats.isDirectory() ? known !== identityOf(stats) : true
    // The keeper checks whether the root is another one.
    if (known !== undefined && path !== '' && is_other) this.#listener.replaced(path)
    else if (stats.isDirectory() && known === undefined) this.#take(path)
    else if (stats.isDirectory()) {
      // chokidar misses a file made between its listing of a new directory and its watch.
      if (is_new) this.#listener.hint({ kind: 'directory', path })
      for (const { path: below } of directoriesIn(this.#root, path))
        if (!this.#directories.has(below)) await this.#compare(below)
    }
  }

  /** Unwatches first, because a file may be watched in its place. */
  #take(directory: string): void {
    if (this.#closed.signal.aborted) return
    const absolute = join(this.#root, directory)
    this.#chokidar.unwatch(absolute).add(absolute)
  }

  #relative(absolute: string): string {
    return relative(this.#root, resolve(this.#root, absolute))
  }
}

/** The path in a raw event of chokidar. */
function watchedPath(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return undefined
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
