import { isBelow } from '../../base/files/path-below.ts'
import { scrubText } from '../../base/text/scrub.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Environment } from '../../config/environment.ts'
import type { UsableConfig } from '../../config/resolve/usable.ts'
import type { LedgerView } from '../../ledger/views/view.ts'

/**
 * All checks by group, in the order of the output. docs/operating.md has a line for each (a test
 * compares).
 */
export const check_groups = {
  Configuration: ['config', 'token', 'secret_files', 'time_zones'],
  Service: ['ca', 'api_host', 'project', 'blob_host', 'clock'],
  Folders: ['folder', 'rights', 'widening', 'filesystem', 'watching', 'inotify'],
  State: ['user', 'state_dir', 'space', 'ledger', 'removals', 'unit'],
  Deliveries: ['mail', 'webhook', 'command', 'page'],
  Machine: ['node', 'sqlite', 'md5', 'open_files', 'scans'],
} as const

export type CheckId = (typeof check_groups)[keyof typeof check_groups][number]
export type Level = 'ok' | 'warning' | 'fault'

/** The result of one check. `about` is the folder, host or file; `hint` is the remedy. */
export interface Check {
  id: CheckId
  level: Level
  about: string
  message: string
  hint?: string | undefined
}

/**
 * Makes results about one thing, by level. They quote values of variables and options, and a user
 * may have put the token in place of a path.
 */
export type Findings = Record<Level, (message: string, hint?: string) => Check>

export function findings(id: CheckId, about: string): Findings {
  const of = (level: Level) => (message: string, hint?: string) => {
    return {
      id,
      level,
      about: scrubText(about),
      message: scrubText(message),
      hint: hint && scrubText(hint),
    }
  }
  return { ok: of('ok'), warning: of('warning'), fault: of('fault') }
}

/**
 * Returns the answer of `work`, or of `late` after the limit. Then `work` is aborted, not awaited.
 */
export async function withinTime<Answer>(
  clock: Clock,
  limit_ms: number,
  work: (signal: AbortSignal) => Promise<Answer>,
  late: () => Answer,
): Promise<Answer> {
  const stop = new AbortController()
  const done = new AbortController()
  const limit = clock.sleep(limit_ms, done.signal).then(() => late())
  try {
    return await Promise.race([work(stop.signal), limit])
  } finally {
    done.abort()
    stop.abort()
  }
}

/** Names that a message lists; it counts the others. */
const max_named = 5

export function named(names: readonly string[], total = names.length): string {
  const first = names.slice(0, max_named)
  const rest = total - first.length
  return rest > 0 ? `${first.join(', ')} and ${rest} more` : first.join(', ')
}

/** Dependencies of all checks. */
export interface DoctorTools {
  config: UsableConfig
  clock: Clock
  limits: DoctorLimits
  proxy: Environment['proxy']
  uid: number | undefined
  /** Undefined without a readable ledger; the check `ledger` says why. */
  ledger: LedgerView | undefined
  /** True for a path on an unresponsive mount, which must not be accessed. */
  isUnresponsive(path: string): boolean
}

export type DoctorLimits = typeof usual_limits

export const usual_limits = {
  /** Limit for the answer of one host or path. */
  answer_ms: 10_000,
  /** Limit for scanning one folder; after it, the last scan of the daemon is used, if any. */
  walk_ms: 10_000,
  /** Limit for reading the ledger. */
  ledger_ms: 30_000,
}

/** True if the path is one of these places, or below one. */
export function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => isBelow(path, place))
}
