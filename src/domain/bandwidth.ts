import { localMinuteOfDay, minute_ms } from '../base/time/time.ts'

/** Upload rate limit between two local minutes of the day (end exclusive), never over midnight. */
export interface BandwidthSpan {
  readonly from_minute: number
  readonly to_minute: number
  readonly bytes_per_s: number
}

export interface BandwidthNow {
  /** Undefined for no limit at this time. */
  bytes_per_s: number | undefined
  /** Next change, Unix ms; undefined if the rate is the same all day. */
  until_ms: number | undefined
}

/** Minutes to search ahead: if a clock change skips the time of a change, it comes a day later. */
const farthest_minutes = 49 * 60

export function bandwidthAt(spans: readonly BandwidthSpan[], at_ms: number): BandwidthNow {
  return { bytes_per_s: bytesPerSecondAt(spans, at_ms), until_ms: nextChange_ms(spans, at_ms) }
}

export function bytesPerSecondAt(
  spans: readonly BandwidthSpan[],
  at_ms: number,
): number | undefined {
  const minute = localMinuteOfDay(at_ms)
  return spans.find(({ from_minute, to_minute }) => from_minute <= minute && minute < to_minute)
    ?.bytes_per_s
}

/** Checks each minute ahead: at a clock change, a time of day comes twice or not at all. */
function nextChange_ms(spans: readonly BandwidthSpan[], at_ms: number): number | undefined {
  if (spans.length === 0) return undefined
  const bytes_per_s = bytesPerSecondAt(spans, at_ms)
  const minute_began_ms = at_ms - (at_ms % minute_ms)
  for (let minutes = 1; minutes <= farthest_minutes; minutes += 1) {
    const then_ms = minute_began_ms + minutes * minute_ms
    if (bytesPerSecondAt(spans, then_ms) !== bytes_per_s) return then_ms
  }
  return undefined
}
