import type { Clock } from '../../base/time/time.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import { nextScan_ms, type PaceLimits, type ScanFindings } from './scan-pace.ts'

/** Decides when a folder's next scan may and must begin, by the monotonic clock. */
export function createScanTimer(clock: Clock, limits: PaceLimits) {
  let last_interval_ms: number | undefined
  let due_ms = Number.NEGATIVE_INFINITY
  let ended_ms = Number.NEGATIVE_INFINITY
  let last_took_ms = 0
  let is_rest_skipped = false

  return {
    /** Time until the interval is over; 0 or less: a scan is due. */
    dueIn_ms: () => due_ms - clock.monotonic_ms(),
    /** Wait before a requested scan. After a doubt scans take at most half of the time. */
    restsFor_ms(why: 'wanted' | 'doubt'): number {
      const rest_ms =
        why === 'wanted' ? limits.scan_rest_ms : Math.max(limits.scan_rest_ms, last_took_ms)
      return ended_ms + rest_ms - clock.monotonic_ms()
    },
    /** Skips the wait before the next scan, also if one is running now, until a scan has ended. */
    noRest(): void {
      is_rest_skipped = true
      ended_ms = Number.NEGATIVE_INFINITY
    },
    began(): void {
      is_rest_skipped = false
    },
    ended(took_ms: number): void {
      if (!is_rest_skipped) ended_ms = clock.monotonic_ms()
      last_took_ms = took_ms
    },
    /** Sets the next due time, with jitter: many folders and machines must not scan at once. */
    finished(found: ScanFindings): void {
      const interval_ms = nextScan_ms(
        { ...found, took_ms: last_took_ms, last_ms: last_interval_ms },
        limits,
      )
      last_interval_ms = interval_ms
      due_ms = clock.monotonic_ms() + interval_ms * (0.9 + 0.2 * Math.random())
    },
  }
}

/** True if a scan is requested for a time after `last_ms` (last scan or check) that has come. */
export function isScanWanted(
  { scan_wanted_ms }: FolderState,
  last_ms: number | undefined,
  now_ms: number,
): boolean {
  if (scan_wanted_ms === undefined || scan_wanted_ms > now_ms) return false
  return scan_wanted_ms > (last_ms ?? Number.NEGATIVE_INFINITY)
}
