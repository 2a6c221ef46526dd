import { type Clock, minute_ms } from '../base/time.ts'
import type { IgnoreRules } from '../disk/ignore.ts'
import { type FolderWatcher as DiskWatcher, type Hint, watchFolder } from '../disk/watch.ts'
import type { FolderSettings } from './folder-settings.ts'
import { MissedEvents } from './missed-events.ts'
import type { SyncReport } from './report.ts'

/** A watcher that cannot start (inotify limit) is tried again after this. */
const retry_ms = 10 * minute_ms

export interface WatchedFolder {
  folder: FolderSettings
  rules: IgnoreRules
  clock: Clock
  report: SyncReport
  on_hint: (hint: Hint) => void
  signal: AbortSignal
}

/**
 * One folder's watcher, made when it is needed, given up when the folder goes away, tried again where it could not start. It knows
 * whether its silence means anything: then what a scan finds is what it missed.
 */
export class FolderWatcher {
  readonly #watched: WatchedFolder
  #watcher: DiskWatcher | undefined
  /** By the monotonic clock. */
  #not_before_ms = Number.NEGATIVE_INFINITY
  /** A scan has ended, and from its beginning on everything was told and followed. */
  #is_trusted = false
  #is_doubted = true
  #missed: MissedEvents | undefined

  constructor(watched: WatchedFolder) {
    this.#watched = watched
  }

  /** `now_ms`: monotonic. */
  async keepOn(now_ms: number): Promise<void> {
    if (this.#watcher || now_ms < this.#not_before_ms) return
    const { folder, rules, report, on_hint, signal } = this.#watched
    try {
      this.#watcher = await watchFolder({ root: folder.path, rules, on_hint, signal })
    } catch (error) {
      if (signal.aborted) return
      this.#not_before_ms = now_ms + retry_ms
      report.fault(`watching ${folder.name}; it is scanned instead`, error)
    }
  }

  /** False where scans have to stand in for it. */
  coversAll(): boolean {
    return this.#watcher !== undefined && this.#watcher.trouble() === undefined
  }

  /** Events may be lost, or were told and not followed: the next scan finds what they were about. */
  doubt(): void {
    this.#is_trusted = false
    this.#is_doubted = true
  }

  /** Counts what should have been told before this scan; undefined where silence means nothing. */
  scanBegins({ all_followed }: { all_followed: boolean }): MissedEvents | undefined {
    const { folder, clock } = this.#watched
    const is_heard = this.#is_trusted && all_followed && this.coversAll()
    this.#is_doubted = !this.coversAll()
    // What is found again and again cannot be recorded: that is no event.
    const known = this.#missed?.found() ?? new Set<string>()
    const options = { root: folder.path, settle_ms: folder.settle_ms, clock, known }
    this.#missed = is_heard ? new MissedEvents(options) : undefined
    return this.#missed
  }

  scanEnded(missed: number): void {
    this.#is_trusted = this.coversAll() && !this.#is_doubted
    if (missed === 0) return
    const { folder, report } = this.#watched
    report.folder(folder.name, `has ${missed} files that the scan found and the watcher missed`, 'warn')
  }

  async stop(): Promise<void> {
    const watcher = this.#watcher
    this.#watcher = undefined
    this.doubt()
    await watcher?.close()
  }
}
