import { atLocalMinute_ms, localMinuteOfDay } from '../base/time.ts'

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

const day_minutes = 1_440

/** What a timetable says about one moment. */
export function bandwidthAt(spans: readonly BandwidthSpan[], at_ms: number): BandwidthNow {
  const minute = localMinuteOfDay(at_ms)
  const bytes_per_s = rateAt(spans, minute)
  const changes = spans
    .flatMap(({ from_minute, to_minute }) => [from_minute, to_minute])
    // The end of the day is where the next one begins.
    .map((bound) => minute + 1 + ((bound - minute - 1 + day_minutes) % day_minutes))
    .filter((bound) => rateAt(spans, bound % day_minutes) !== bytes_per_s)
  return { bytes_per_s, until_ms: changes.length === 0 ? undefined : atLocalMinute_ms(at_ms, Math.min(...changes)) }
}

function rateAt(spans: readonly BandwidthSpan[], minute: number): number | undefined {
  return spans.find(({ from_minute, to_minute }) => from_minute <= minute && minute < to_minute)?.bytes_per_s
}
