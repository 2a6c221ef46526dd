import { isBelow } from '../../base/files/path-below.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Environment } from '../../config/environment.ts'
import type { UsableConfig } from '../../config/resolve/usable.ts'
import type { LedgerView } from '../../ledger/views/view.ts'

/** Every check, by group, in the order in which they are shown; docs/operating.md has a line for each (a test compares). */
export const check_groups = {
  Configuration: ['config', 'token', 'secret_files', 'time_zones'],
  Service: ['ca', 'api_host', 'project', 'blob_host', 'clock'],
  Folders: ['folder', 'rights', 'widening', 'filesystem', 'watching', 'inotify'],
  State: ['user', 'state_dir', 'space', 'ledger', 'removals', 'unit'],
  Deliveries: ['mail', 'webhook', 'command'],
  Machine: ['node', 'sqlite', 'md5', 'open_files'],
} as const

export type CheckId = (typeof check_groups)[keyof typeof check_groups][number]
export type Level = 'ok' | 'warning' | 'fault'

/** What was looked at, and how it stands. `about` is the one thing, a folder or a host; `hint` says what to do. */
export interface Check {
  id: CheckId
  level: Level
  about: string
  message: string
  hint?: string
}

/** Findings about one thing, by their level. */
export type Findings = Record<Level, (message: string, hint?: string) => Check>

export function findings(id: CheckId, about: string): Findings {
  const of = (level: Level) => (message: string, hint?: string) => {
    return { id, level, about, message, ...(hint === undefined ? {} : { hint }) }
  }
  return { ok: of('ok'), warning: of('warning'), fault: of('fault') }
}

/** The answer of `work`, or `late()` when it has none within the limit; `work` is then told by its signal and left behind. */
export async function withinTime<Answer>(
  clock: Clock,
  limit_ms: number,
  work: (signal: AbortSignal) => Promise<Answer>,
  late: () => Answer,
): Promise<Answer> {
  const [stop, done] = [new AbortController(), new AbortController()]
  const limit = clock.sleep(limit_ms, done.signal).then(() => late())
  try {
    return await Promise.race([work(stop.signal), limit])
  } finally {
    done.abort()
    stop.abort()
  }
}

/** How many names a line holds; more say nothing new. */
const max_named = 5

export function named(names: readonly string[], total = names.length): string {
  const first = names.slice(0, max_named)
  const rest = total - first.length
  return rest > 0 ? `${first.join(', ')} and ${rest} more` : first.join(', ')
}

/** What checks are handed. */
export interface DoctorTools {
  config: UsableConfig
  clock: Clock
  limits: DoctorLimits
  proxy: Environment['proxy']
  uid: number | undefined
  /** Undefined where nothing was kept yet, or where it cannot be read: `ledger` says why. */
  ledger: LedgerView | undefined
  /** Gives no answer: not to be touched. */
  isUnresponsive(path: string): boolean
}

export type DoctorLimits = typeof usual_limits

export const usual_limits = {
  /** For one host, one path, one check. */
  answer_ms: 10_000,
  /** For walking one folder; its last scan stands in then. */
  walk_ms: 10_000,
  /** For reading the whole ledger. */
  ledger_ms: 30_000,
}

/** Whether it is one of these places, or below one. */
export function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => isBelow(path, place))
}
