import { minute_ms } from '../base/time.ts'
import type { IgnoreRules } from '../disk/ignore.ts'
import { type Hint, watchFolder } from '../disk/watch.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { SyncReport } from './report.ts'

/** A watcher that cannot start (inotify limit) is tried again after this. */
const retry_ms = 10 * minute_ms

export interface WatchedFolder {
  folder: FolderSettings
  rules: IgnoreRules
  report: SyncReport
  on_hint: (hint: Hint) => void
  signal: AbortSignal
}

/** One folder's watcher, made when it is needed, given up when the folder goes away, tried again where it could not start. */
export class FolderWatcher {
  readonly #watched: WatchedFolder
  #watcher: { close(): Promise<void>; trouble(): string | undefined } | undefined
  /** By the monotonic clock. */
  #not_before_ms = Number.NEGATIVE_INFINITY

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

  async stop(): Promise<void> {
    const watcher = this.#watcher
    this.#watcher = undefined
    await watcher?.close()
  }
}
