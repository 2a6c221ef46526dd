import type { Clock } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { PageStore } from './access/page-store.ts'
import type { Asking } from './reads/asking.ts'

/** A line for the log of the daemon. `error`: what was thrown. */
export interface PageNote {
  level: 'info' | 'warn' | 'error'
  message: string
  fields?: Record<string, unknown>
}

export type PageLog = (note: PageNote) => void

/** The tools of every screen. A change of the configuration makes a new page with new ones. */
export interface PageTools {
  config: Config
  store: PageStore
  clock: Clock
  log: PageLog
  asking: Asking
  /** Path before each link, such as `/sluice`, or an empty text. */
  base_path: string
}
