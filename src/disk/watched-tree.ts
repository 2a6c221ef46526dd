import { type BigIntStats, type FSWatcher, lstatSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '../base/errors.ts'
import { kindOf, listDirectory, type NamedEntry, textOfName } from './directory-names.ts'
import type { IgnoreRules } from './ignore.ts'

/** Something happened to `path`, or in it; '' is the root. Relative. */
export type OnTouched = (path: string) => void

export interface TreeOptions {
  rules: IgnoreRules
  /** Of the root; directories of others are mounts, which are not entered. */
  device: bigint
  /** A directory counts its subdirectories in st_nlink: with two links it has none, and need not be read to know that. */
  counts_links: boolean
  on_touched: OnTouched
  /** A watch could not be had, or failed. */
  on_error: (error: unknown) => void
}

/** Between two turns of the event loop: some milliseconds. */
const entered_at_once = 200
/** ENOENT, ENOTDIR: gone meanwhile, and its parent tells of it. EACCES: a scan names what cannot be read. */
const passed_over = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP']

interface Watched {
  watcher: FSWatcher
  /** Inode and time of birth: the number of a directory that is gone is given to the next one at once. */
  identity: string
  /** It told of itself that it is gone or has another name: then its watch may be, too, whatever stands there now. */
  doubted: boolean
  /** The last sweep that met it. */
  sweep: number
}

/**
 * One inotify watch for each directory of a tree that is not ignored. A directory is watched before it is read: what is made in it
 * afterwards is told, what was made before is entered with it.
 */
export class WatchedTree {
  readonly #root: string
  readonly #options: TreeOptions
  readonly #watched = new Map<string, Watched>()
  #sweep = 0
  #closed = false

  constructor(root: string, options: TreeOptions) {
    this.#root = root
    this.#options = options
  }

  get size(): number {
    return this.#watched.size
  }

  /** Whether this very directory is watched under this path. */
  isWatched(path: string, stats: BigIntStats): boolean {
    const known = this.#watched.get(path)
    return known !== undefined && isSame(known, stats)
  }

  /** Watches the directory and those below; what is watched already stays, unless another directory stands there by now. */
  async enter(path: string): Promise<void> {
    const waiting = [path]
    for (let entered = 1; waiting.length > 0; entered += 1) {
      if (this.#closed) return
      const directory = waiting.pop()!
      const stats = this.#watch(directory)
      if (stats !== undefined) waiting.push(...this.#directoriesIn(directory, stats))
      if (entered % entered_at_once === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The whole tree again, after events were lost: new directories are entered, those that are gone or ignored by now are let go. */
  async sweep(): Promise<void> {
    this.#sweep += 1
    await this.enter('')
    for (const [path, { sweep }] of this.#watched) if (sweep !== this.#sweep) this.#letGo(path)
  }

  /** It is gone, was moved, or is ignored by now; and all below. True when it was watched. */
  leave(path: string): boolean {
    if (!this.#watched.has(path)) return false
    const below = path === '' ? '' : `${path}/`
    for (const other of this.#watched.keys()) if (other === path || other.startsWith(below)) this.#letGo(other)
    return true
  }

  close(): void {
    this.#closed = true
    for (const path of [...this.#watched.keys()]) this.#letGo(path)
  }

  /** Undefined: it is not to be entered. */
  #watch(path: string): BigIntStats | undefined {
    const known = this.#watched.get(path)
    const absolute = join(this.#root, path)
    const watcher = known?.watcher ?? this.#start(path, absolute)
    // What was watched by this name is known only after it is watched: links and mounts are not entered.
    const stats = watcher && statsOf(absolute)
    const is_ours = stats?.isDirectory() && stats.dev === this.#options.device
    if (!watcher || !stats || !is_ours) {
      if (known) this.leave(path)
      else watcher?.close()
      return undefined
    }
    if (known && !isSame(known, stats)) {
      this.leave(path)
      return this.#watch(path)
    }
    this.#watched.set(path, { watcher, identity: identityOf(stats), doubted: false, sweep: this.#sweep })
    return stats
  }

  #start(path: string, absolute: string): FSWatcher | undefined {
    const { on_touched, on_error } = this.#options
    const own_name = basename(absolute)
    try {
      const watcher = watch(absolute, { persistent: false, encoding: 'latin1' })
      watcher.on('change', (event, raw_name) => {
        // Of an entry whose name is no text only its directory can be told.
        const name = raw_name === null ? undefined : textOfName(String(raw_name))
        const known = this.#watched.get(path)
        // So it tells of itself, and of what is in it under the same name.
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
    const directories: string[] = []
    for (const entry of entriesOf(join(this.#root, path))) {
      const kind = kindOf(entry)
      if (kind !== 'directory' && kind !== undefined) continue
      const name = textOfName(entry.name)
      if (name === undefined) continue
      const directory = pathIn(path, name)
      if (kind === undefined && !statsOf(join(this.#root, directory))?.isDirectory()) continue
      if (!this.#options.rules.verdict(directory, 'directory').ignored) directories.push(directory)
    }
    return directories
  }

  #letGo(path: string): void {
    this.#watched.get(path)?.watcher.close()
    this.#watched.delete(path)
  }
}

function isSame({ identity, doubted }: Watched, stats: BigIntStats): boolean {
  return !doubted && identity === identityOf(stats)
}

function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`
}

function pathIn(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

export function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

function entriesOf(path: string): readonly NamedEntry[] {
  try {
    return listDirectory(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}
