import type { Clock } from '../base/time.ts'
import type { IgnoreRules } from './ignore.ts'
import type { Hint } from './watch-trouble.ts'

/** What every watcher is started with. */
export interface StartingWatcher {
  rules: IgnoreRules
  /** So many events at once are a burst: the kernel may have dropped some. */
  burst_events: number
  on_hint: (hint: Hint) => void
  /** Gives up the start, which takes seconds for tens of thousands of files. */
  signal?: AbortSignal
  clock?: Clock
}

export interface FolderWatcher {
  close(): Promise<void>
  /** Inotify watches held. */
  watched(): number
  /** One line on what is not heard, or undefined. */
  trouble(): string | undefined
  /** It must be started anew: its root was replaced, it ended by itself, or its paths are not right any more. */
  isStale(): boolean
}
