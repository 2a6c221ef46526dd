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
  /** From `createTurns`; shared with the owner of the tree. */
  takeTurns: () => Promise<void>
  on_touched: OnTouched
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
export function createWatchedTree(root: string, options: TreeOptions) {
  const { rules, device, counts_links, takeTurns, on_touched, on_error } = options
  const watched = new PathTree<Watched>()
  let sweep_number = 0
  let closed = false

  /** Watches the directory and all below. Watches stay, unless another directory is there now. */
  async function enter(path: string): Promise<void> {
    const waiting = [path]
    while (waiting.length > 0) {
      await takeTurns()
      if (closed) return
      const directory = waiting.pop()!
      const stats = await watchDirectory(directory)
      if (stats !== undefined) {
        for (const below of directoriesBelow(directory, stats)) waiting.push(below)
      }
    }
  }

  /** Leaves a path that is gone, moved or ignored, with all below. True if any was watched. */
  async function leave(path: string): Promise<boolean> {
    const left = watched.takeBranch(path)
    for (const { watcher } of left) {
      await takeTurns()
      watcher.close()
    }
    return left.length > 0
  }

  /** Watches one directory and answers its stat; undefined: not to be entered. */
  async function watchDirectory(path: string): Promise<BigIntStats | undefined> {
    if (path !== '' && sharesBelow(root).isPlace(path)) {
      await leave(path)
      return undefined
    }
    const known = watched.get(path)
    const absolute = join(root, path)
    const watcher = known?.watcher ?? startWatch(path, absolute)
    // Only a stat after the watch began shows what is watched: links and mounts are not entered.
    const stats = watcher && statsOf(absolute)
    const is_ours = stats?.isDirectory() && stats.dev === device
    if (!watcher || !stats || !is_ours) {
      if (known) await leave(path)
      else watcher?.close()
      return undefined
    }
    if (known && !isSame(known, stats)) {
      await leave(path)
      return closed ? undefined : watchDirectory(path)
    }
    const identity = identityOf(stats)
    watched.set(path, { watcher, inode: stats.ino, identity, doubted: false, sweep: sweep_number })
    return stats
  }

  function startWatch(path: string, absolute: string): FSWatcher | undefined {
    const own_name = basename(absolute)
    try {
      const watcher = watch(absolute, { persistent: false, encoding: 'latin1' })
      watcher.on('change', (event, raw_name) => {
        // If an entry's name is not UTF-8, only its directory can be reported.
        const name = raw_name === null ? undefined : textOfName(String(raw_name))
        const known = watched.get(path)
        // A directory reports itself by its own name, like an entry of that name in it.
        if (event === 'rename' && name === own_name && known?.watcher === watcher)
          known.doubted = true
        on_touched(name === undefined ? path : pathIn(path, name))
      })
      watcher.on('error', on_error)
      return watcher
    } catch (error) {
      if (!passed_over.includes(codeOf(error) ?? '')) on_error(error)
      return undefined
    }
  }

  function directoriesBelow(path: string, stats: BigIntStats): string[] {
    if (counts_links && stats.nlink === 2n) return []
    return directoriesIn(root, path)
      .filter(({ path: directory, kind }) => kind ?? statsOf(join(root, directory))?.isDirectory())
      .map(({ path: directory }) => directory)
      .filter((directory) => !rules.verdict(directory, 'directory').ignored)
  }

  return {
    enter,
    leave,
    size: () => watched.size,
    /** True if this very directory is watched under this path. */
    isWatched(path: string, stats: BigIntStats): boolean {
      const known = watched.get(path)
      return known !== undefined && isSame(known, stats)
    },
    /**
     * True if the root is still the directory that was entered. A removed root has reported itself;
     * but so do an entry with its name, and a root that was moved away and back.
     */
    isRootWatched(): boolean {
      const known = watched.get('')
      const stats = statsOf(root)
      if (known === undefined || stats === undefined || known.inode !== stats.ino) return false
      return !known.doubted || (stats.birthtimeNs > 0n && known.identity === identityOf(stats))
    },
    /** Walks the tree after lost events: enters new directories, leaves gone or ignored ones. */
    async sweep(): Promise<void> {
      sweep_number += 1
      await enter('')
      // Directories below one that was not found were not found either.
      const not_met = [...watched.entries()].filter(([, { sweep }]) => sweep !== sweep_number)
      for (const [path] of not_met) await leave(path)
    },
    async close(): Promise<void> {
      closed = true
      await leave('')
    },
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
