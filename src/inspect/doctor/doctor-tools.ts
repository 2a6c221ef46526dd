import { isBelow } from '../../base/path-below.ts'
import type { Clock } from '../../base/time.ts'
import type { Environment } from '../../config/environment.ts'
import type { UsableConfig } from '../../config/usable.ts'
import type { LedgerView } from '../../ledger/view.ts'

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
  isDead(path: string): boolean
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
