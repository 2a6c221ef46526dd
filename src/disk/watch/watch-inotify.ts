import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import { sharesBelow } from '../root/mounts.ts'
import type { OnlineRoot } from '../root/root.ts'
import { parentOf } from '../scan/directory-names.ts'
import { ignore_file_name } from '../scan/ignore-file.ts'
import {
  burst_reason,
  createWatchTrouble,
  type FolderWatcher,
  type Hint,
  heardEvent,
  hintAt,
  onFlood,
  root_removed,
  type StartingWatcher,
} from './watch-trouble.ts'
import { createTurns, statsOf, WatchedTree } from './watched-tree.ts'

/**
 * Uses one inotify watch for each directory. `root` has no links and no slash at its end. Error:
 * `disk.not_watched` if the limit is reached.
 */
export async function watchByInotify(root: string, options: StartingWatcher, at: OnlineRoot): Promise<FolderWatcher> {
  const watcher = new InotifyWatcher(root, options, at)
  await watcher.start()
  return watcher
}

/** Joins the events of one save into one hint. Users do not notice the delay. */
const gather_ms = 20
/** Events per path: each write makes one. At 1,000 burst events, half the kernel's queue. */
const events_a_path = 8
const counting_links = ['ext4', 'xfs', 'tmpfs']

class InotifyWatcher implements FolderWatcher {
  readonly #root: string
  readonly #options: StartingWatcher
  readonly #tree: WatchedTree
  readonly #takeTurns = createTurns()
  readonly #ended = new AbortController()
  readonly #trouble = createWatchTrouble()
  /** Reported paths that are not checked yet; no more than a burst. */
  #touched = new Set<string>()
  #events = 0
  /** The queue that all watchers share may have overflowed. */
  #is_flooded = false
  #following: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #starting = true
  /** Why it must restart; undefined: it need not. */
  #stale: string | undefined

  constructor(root: string, options: StartingWatcher, at: OnlineRoot) {
    this.#root = root
    this.#options = options
    this.#tree = new WatchedTree(root, {
      rules: options.rules,
      device: at.device,
      counts_links: counting_links.includes(at.filesystem),
      takeTurns: this.#takeTurns,
      on_touched: (path) => {
        heardEvent()
        this.#heard(path)
      },
      on_error: (error) => this.#failed(error),
    })
    onFlood(() => {
      this.#is_flooded = true
      this.#goOn()
    }, this.#ended.signal)
    options.signal?.addEventListener('abort', this.#end)
    if (options.signal?.aborted) this.#end()
  }

  async start(): Promise<void> {
    await this.#tree.enter('')
    this.#starting = false
    const trouble = this.trouble()
    if (trouble === undefined) return
    await this.close()
    throw notWatched(this.#root, trouble)
  }

  watched(): number {
    return this.#tree.size
  }

  trouble(): string | undefined {
    return this.#stale ?? this.#trouble.text(() => this.#tree.size + this.#trouble.missing())
  }

  isStale(): boolean {
    return this.#stale !== undefined
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#end)
    this.#end()
    await this.#following
    await this.#closing
  }

  readonly #end = () => {
    this.#ended.abort()
    this.#closing ??= this.#tree.close()
  }

  #hint(hint: Hint): void {
    if (!this.#ended.signal.aborted) this.#options.on_hint(hint)
  }

  #endsBy(reason: string): void {
    if (this.#stale === reason) return
    this.#stale = reason
    this.#hint({ kind: 'doubtful', reason })
  }

  #failed(error: unknown): void {
    // `start` reports all trouble at once.
    if (this.#trouble.note(error) && !this.#starting) this.#hint({ kind: 'doubtful', reason: this.trouble()! })
  }

  #heard(path: string): void {
    this.#events += 1
    if (this.#touched.size < this.#options.burst_events) this.#touched.add(path)
    this.#goOn()
  }

  #goOn(): void {
    this.#following ??= this.#follow().catch((error) => this.#endsBy(`the native watching ended: ${messageOf(error)}`))
  }

  async #follow(): Promise<void> {
    while (this.#touched.size > 0 || this.#is_flooded) {
      await system_clock.sleep(gather_ms, this.#ended.signal)
      if (this.#ended.signal.aborted) return
      const touched = this.#touched
      const { burst_events } = this.#options
      const is_burst = this.#is_flooded || touched.size >= burst_events || this.#events >= burst_events * events_a_path
      this.#touched = new Set()
      this.#events = 0
      this.#is_flooded = false
      if (is_burst) await this.#takeBurst(touched)
      else await this.#takeAll(touched)
    }
    this.#following = undefined
  }

  async #takeAll(touched: ReadonlySet<string>): Promise<void> {
    for (const path of touched) {
      await this.#takeTurns()
      if (this.#ended.signal.aborted) return
      await this.#take(path)
    }
  }

  /** A scan finds the changes, but new directories must be watched before it. */
  async #takeBurst(touched: ReadonlySet<string>): Promise<void> {
    for (const path of touched) if (basename(path) === ignore_file_name) this.#options.rules.forget(parentOf(path))
    this.#checkRoot()
    await this.#tree.sweep()
    this.#hint({ kind: 'doubtful', reason: burst_reason })
  }

  async #take(path: string): Promise<void> {
    // A directory reports itself by its own name. For the root, no parent reports it.
    if (path === '' || path === basename(this.#root)) this.#checkRoot()
    if (path === '') this.#hint({ kind: 'folder' })
    else if (basename(path) === ignore_file_name) await this.#rulesChanged(parentOf(path))
    else await this.#look(path)
  }

  async #look(path: string): Promise<void> {
    if (sharesBelow(this.#root).covers(path)) return
    const stats = statsOf(join(this.#root, path))
    if (stats?.isDirectory()) {
      await this.#lookAtDirectory(path, stats)
      return
    }
    const was_directory = await this.#tree.leave(path)
    if (stats === undefined || was_directory) this.#gone(path)
    else if (!this.#isIgnored(path, 'file')) this.#hint({ kind: 'path', path })
  }

  async #lookAtDirectory(path: string, stats: BigIntStats): Promise<void> {
    // Permissions can decide whether it is ignored, and a moved directory brings its own rules.
    this.#options.rules.forget(path)
    if (this.#isIgnored(path, 'directory')) {
      await this.#tree.leave(path)
      return
    }
    if (!this.#tree.isWatched(path, stats)) {
      await this.#tree.enter(path)
      // A file may have been here.
      this.#hint({ kind: 'path', path })
    }
    this.#hint({ kind: 'directory', path })
  }

  /** It may have been a directory, reported once without its contents: the hint covers both. */
  #gone(path: string): void {
    if (!this.#isIgnored(path, 'file') || !this.#isIgnored(path, 'directory')) this.#hint({ kind: 'directory', path })
  }

  async #rulesChanged(directory: string): Promise<void> {
    this.#options.rules.forget(directory)
    await this.#tree.sweep()
    this.#hint(hintAt(directory))
  }

  #checkRoot(): void {
    if (!this.#tree.isRootWatched()) this.#endsBy(root_removed)
  }

  #isIgnored(path: string, kind: 'file' | 'directory'): boolean {
    return this.#options.rules.verdict(path, kind).ignored
  }
}

function notWatched(root: string, trouble: string): SluiceError {
  return new SluiceError({
    code: 'disk.not_watched',
    message: `${root} cannot be watched natively: ${trouble}`,
    hint: 'the kernel allows too few inotify watches: `sluice doctor` has the line for sysctl',
  })
}
