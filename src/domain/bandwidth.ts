import { localMinuteOfDay, minute_ms } from '../base/time/time.ts'

/** From one minute of the day (local time) to another, exclusive and never over midnight, uploads take no more than this. */
export interface BandwidthSpan {
  readonly from_minute: number
  readonly to_minute: number
  readonly bytes_per_s: number
}

export interface BandwidthNow {
  /** Undefined: at this time all of the line. */
  bytes_per_s: number | undefined
  /** When it will be another; undefined where it is the same all day. */
  until_ms: number | undefined
}

/** What is to change on a day may fall into an hour that this day does not have: then it changes a day later. */
const farthest_minutes = 49 * 60

/** What a timetable says about one moment. */
export function bandwidthAt(spans: readonly BandwidthSpan[], at_ms: number): BandwidthNow {
  const bytes_per_s = bytesPerSecondAt(spans, at_ms)
  return { bytes_per_s, until_ms: nextChange_ms(spans, at_ms, bytes_per_s) }
}

export function bytesPerSecondAt(spans: readonly BandwidthSpan[], at_ms: number): number | undefined {
  return rateAt(spans, localMinuteOfDay(at_ms))
}

/** Through every minute to come: when the clocks are changed, a time of the day comes twice or not at all. */
function nextChange_ms(
  spans: readonly BandwidthSpan[],
  at_ms: number,
  bytes_per_s: number | undefined,
): number | undefined {
  if (spans.length === 0) return undefined
  const minute_began_ms = at_ms - (at_ms % minute_ms)
  for (let minutes = 1; minutes <= farthest_minutes; minutes += 1) {
    const then_ms = minute_began_ms + minutes * minute_ms
    if (bytesPerSecondAt(spans, then_ms) !== bytes_per_s) return then_ms
  }
  return undefined
}

function rateAt(spans: readonly BandwidthSpan[], minute: number): number | undefined {
  return spans.find(({ from_minute, to_minute }) => from_minute <= minute && minute < to_minute)?.bytes_per_s
}
