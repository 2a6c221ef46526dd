/** Results of a scan that decide when the next one is due. */
export interface ScanFindings {
  /** A watcher reports the changes in all of the folder, in part of it, or in none of it. */
  covered: 'all' | 'part' | 'none'
  /** Number of new, changed or deleted files. */
  changed: number
  /** Number of those that a watcher should have reported long ago. */
  missed: number
}

/** `last_ms`: the interval before this scan; undefined for the first one. */
type PacedScan = ScanFindings & { took_ms: number; last_ms: number | undefined }

/** Constants under `watching`, and the folder's setting `rescan_interval_ms`. */
export interface PaceLimits {
  readonly rescan_interval_ms: number
  /** Wait between a scan and the next requested one. */
  readonly scan_rest_ms: number
  readonly min_scan_ms: number
  readonly max_scan_ms: number
  readonly scan_load_percent: number
  readonly missed_scan_ms: number
}

/** A miss weighs more than a change: a watched folder should need no scan at all. */
const faster = { by_miss: 4, by_change: 2 }
const slower = { watched: 2, unwatched: 1.5 }

/** Pause after this scan, before jitter, within the limits. */
export function nextScan_ms(scan: PacedScan, limits: PaceLimits): number {
  const { covered, changed, missed, took_ms, last_ms } = scan
  const { rescan_interval_ms: max_ms, missed_scan_ms } = limits
  const rest_ms = took_ms * (100 / limits.scan_load_percent - 1)
  if (covered === 'all') {
    const before_ms = last_ms ?? max_ms
    const wanted_ms = missed > 0 ? before_ms / faster.by_miss : before_ms * slower.watched
    return within(wanted_ms, Math.max(missed_scan_ms, rest_ms), max_ms)
  }
  if (covered === 'part') return within(missed_scan_ms, rest_ms, max_ms)
  const before_ms = last_ms ?? limits.min_scan_ms
  const wanted_ms = changed > 0 ? before_ms / faster.by_change : before_ms * slower.unwatched
  const longest_ms = Math.max(rest_ms, Math.min(max_ms, limits.max_scan_ms))
  return within(
    last_ms === undefined ? before_ms : wanted_ms,
    Math.max(limits.min_scan_ms, rest_ms),
    longest_ms,
  )
}

/** The maximum wins: a `rescan_interval_ms` of ten seconds in the config applies. */
function within(wanted_ms: number, min_ms: number, max_ms: number): number {
  return Math.min(max_ms, Math.max(min_ms, wanted_ms))
}
