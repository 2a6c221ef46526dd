/** What a scan says of how soon the next one is needed. */
export interface ScanFindings {
  /** `all`: every change is told by a watcher. `part`: it does not cover the whole folder. `none`: nothing is watched. */
  covered: 'all' | 'part' | 'none'
  /** Files that it found new, changed or gone. */
  changed: number
  /** Of them, those that a watcher should have told long ago. */
  missed: number
}

/** `last_ms`: the interval before this scan; undefined for the first one. */
export type PacedScan = ScanFindings & { took_ms: number; last_ms: number | undefined }

/** Fields of the section `watching`, and the folder's own interval. */
export interface PaceLimits {
  readonly rescan_interval_ms: number
  readonly scan_least_ms: number
  readonly scan_most_ms: number
  readonly scan_load_percent: number
  readonly missed_scan_ms: number
}

/** A miss weighs more than a change: a folder that is watched should need no scan at all. */
const faster = { by_miss: 4, by_change: 2 }
const slower = { watched: 2, unwatched: 1.5 }

/** How long after this scan the next one is due, before jitter. Within the limits, whatever was found. */
export function nextScan_ms(scan: PacedScan, limits: PaceLimits): number {
  const { covered, changed, missed, took_ms, last_ms } = scan
  const { rescan_interval_ms: most_ms, missed_scan_ms } = limits
  const rest_ms = took_ms * (100 / limits.scan_load_percent - 1)
  if (covered === 'all') {
    const before_ms = last_ms ?? most_ms
    const wanted_ms = missed > 0 ? before_ms / faster.by_miss : before_ms * slower.watched
    return within(wanted_ms, Math.max(missed_scan_ms, rest_ms), most_ms)
  }
  if (covered === 'part') return within(missed_scan_ms, rest_ms, most_ms)
  const before_ms = last_ms ?? limits.scan_least_ms
  const wanted_ms = changed > 0 ? before_ms / faster.by_change : before_ms * slower.unwatched
  const longest_ms = Math.max(rest_ms, Math.min(most_ms, limits.scan_most_ms))
  return within(last_ms === undefined ? before_ms : wanted_ms, Math.max(limits.scan_least_ms, rest_ms), longest_ms)
}

/** The upper bound wins: who asks for a scan every ten seconds gets it. */
function within(wanted_ms: number, least_ms: number, most_ms: number): number {
  return Math.min(most_ms, Math.max(least_ms, wanted_ms))
}
