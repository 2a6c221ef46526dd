import { type BigIntStats, type FSWatcher, lstatSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { sharesBelow } from '../root/mounts.ts'
import { directoriesIn, pathIn, textOfName } from '../scan/directory-names.ts'
import type { IgnoreRules } from '../scan/ignore.ts'
import { PathTree } from './path-tree.ts'

/** Receives the relative path at which, or in which, something happened; '' is the root. */
type OnTouched = (path: string) => void

export interface TreeOptions {
  rules: IgnoreRules
  /** Device of the root. Directories on other devices are mounts, which are not entered. */
  device: bigint
  /** st_nlink counts subdirectories: with two links a directory has none and need not be read. */
  counts_links: boolean
  /** Shared with the owner of the tree. */
  takeTurns: () => Promise<void>
  on_touched: OnTouched
  /** A watch was refused or failed. */
  on_error: (error: unknown) => void
}

/** ENOENT, ENOTDIR: gone, and its parent reports it. EACCES: a scan reports unreadable paths. */
const passed_over = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP']

interface Watched {
  watcher: FSWatcher
  inode: bigint
  /** Inode and birth time, because the inode of a deleted directory is reused at once. */
  identity: string
  /** It reported its deletion or a rename: its watch may be gone, whatever is there now. */
  doubted: boolean
  /** Number of the last sweep that found it. */
  sweep: number
}

/**
 * One inotify watch for each directory that is not ignored. A directory is watched before it is
 * read: later entries are reported, earlier ones are entered with it.
 */
export class WatchedTree {
  readonly #root: string
  readonly #options: TreeOptions
  readonly #watched = new PathTree<Watched>()
  #sweep = 0
  #closed = false

  constructor(root: string, options: TreeOptions) {
    this.#root = root
    this.#options = options
  }

  get size(): number {
    return this.#watched.size
  }

  /** True if this very directory is watched under this path. */
  isWatched(path: string, stats: BigIntStats): boolean {
    const known = this.#watched.get(path)
    return known !== undefined && isSame(known, stats)
  }

  /**
   * True if the root is still the directory that was entered. A removed root has reported itself;
   * but so do an entry with its name, and a root that was moved away and back.
   */
  isRootWatched(): boolean {
    const known = this.#watched.get('')
    const stats = statsOf(this.#root)
    if (known === undefined || stats === undefined || known.inode !== stats.ino) return false
    return !known.doubted || (stats.birthtimeNs > 0n && known.identity === identityOf(stats))
  }

  /** Watches the directory and all below. Watches stay, unless another directory is there now. */
  async enter(path: string): Promise<void> {
    const waiting = [path]
    while (waiting.length > 0) {
      await this.#options.takeTurns()
      if (this.#closed) return
      const directory = waiting.pop()!
      const stats = await this.#watch(directory)
      if (stats !== undefined) for (const below of this.#directoriesIn(directory, stats)) waiting.push(below)
    }
  }

  /** Walks the tree after lost events: enters new directories, leaves gone or ignored ones. */
  async sweep(): Promise<void> {
    this.#sweep += 1
    await this.enter('')
    // Directories below one that was not found were not found either.
    const not_met = [...this.#watched.entries()].filter(([, { sweep }]) => sweep !== this.#sweep)
    for (const [path] of not_met) await this.leave(path)
  }

  /** Leaves a path that is gone, moved or ignored, with all below. True if any was watched. */
  async leave(path: string): Promise<boolean> {
    const left = this.#watched.takeBranch(path)
    await this.#stop(left)
    return left.length > 0
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.leave('')
  }

  async #stop(left: readonly Watched[]): Promise<void> {
    for (const { watcher } of left) {
      await this.#options.takeTurns()
      watcher.close()
    }
  }

  /** undefined: not to be entered. */
  async #watch(path: string): Promise<BigIntStats | undefined> {
    if (path !== '' && sharesBelow(this.#root).isPlace(path)) {
      await this.leave(path)
      return undefined
    }
    const known = this.#watched.get(path)
    const absolute = join(this.#root, path)
    const watcher = known?.watcher ?? this.#start(path, absolute)
    // Only a stat after the watch began shows what is watched: links and mounts are not entered.
    const stats = watcher && statsOf(absolute)
    const is_ours = stats?.isDirectory() && stats.dev === this.#options.device
    if (!watcher || !stats || !is_ours) {
      if (known) await this.leave(path)
      else watcher?.close()
      return undefined
    }
    if (known && !isSame(known, stats)) {
      await this.leave(path)
      return this.#closed ? undefined : this.#watch(path)
    }
    const [identity, sweep] = [identityOf(stats), this.#sweep]
    this.#watched.set(path, { watcher, inode: stats.ino, identity, doubted: false, sweep })
    return stats
  }

  #start(path: string, absolute: string): FSWatcher | undefined {
    const { on_touched, on_error } = this.#options
    const own_name = basename(absolute)
    try {
      const watcher = watch(absolute, { persistent: false, encoding: 'latin1' })
      watcher.on('change', (event, raw_name) => {
        // If an entry's name is not UTF-8, only its directory can be reported.
        const name = raw_name === null ? undefined : textOfName(String(raw_name))
        const known = this.#watched.get(path)
        // A directory reports itself by its own name, like an entry of that name in it.
        if (event === 'rename' && name === own_name && known?.watcher === watcher) known.doubted = true
        on_touched(name === undefined ? path : pathIn(path, name))
      })
      watcher.on('error', on_error)
      return watcher
    } catch (error) {
      if (!passed_over.includes(codeOf(error) ?? '')) on_error(error)
      return undefined
    }
  }

  #directoriesIn(path: string, stats: BigIntStats): string[] {
    if (this.#options.counts_links && stats.nlink === 2n) return []
    return directoriesIn(this.#root, path)
      .filter(({ path: directory, kind }) => kind ?? statsOf(join(this.#root, directory))?.isDirectory())
      .map(({ path: directory }) => directory)
      .filter((directory) => !this.#options.rules.verdict(directory, 'directory').ignored)
  }
}

function isSame({ identity, doubted }: Watched, stats: BigIntStats): boolean {
  return !doubted && identity === identityOf(stats)
}

function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`
}

export function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

const long_ms = 5

/** For long work with synchronous calls: other work of the event loop has its turns in between. */
export function createTurns(): () => Promise<void> {
  let began_ms = system_clock.monotonic_ms()
  return async () => {
    if (system_clock.monotonic_ms() - began_ms < long_ms) return
    await new Promise((resolve) => setImmediate(resolve))
    began_ms = system_clock.monotonic_ms()
  }
}
