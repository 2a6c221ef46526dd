import { z } from 'zod'
import { type BandwidthSpan, day_minutes } from './bandwidth-text.ts'
import { amountText, off, reading } from './fields.ts'
import { parseRate_bytes, rateFault } from './units.ts'

const min_bytes_per_s = 10_000
const unlimited = Number.POSITIVE_INFINITY
const span_pattern = /^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/

const wrong_rate = 'must be a size per second, 10kB/s or more, such as 2MB/s, or off'
const wrong =
  'must be off, a size per second such as 2MB/s, or times of the day with one each: { "08:00-18:00": 2MB/s }'

const rate = amountText(wrong_rate).transform(
  reading(parseRate_bytes, rateFault, (bytes_per_s) => bytes_per_s >= min_bytes_per_s, wrong_rate),
)

const span = z.string().regex(span_pattern, 'must be times of the day, such as 08:00-18:00')

const timetable = z
  .record(span, z.union([off.transform(() => unlimited), rate], wrong_rate), wrong)
  .transform((entries) =>
    Object.entries(entries).flatMap(([text, bytes_per_s]) => spansOf(text, bytes_per_s)),
  )
  .refine((spans) => !overlap(spans), 'must not have two rates for the same time')
  .transform((spans) => spans.filter(({ bytes_per_s }) => bytes_per_s !== unlimited))

export const bandwidth = z
  .union(
    [
      off.transform((): BandwidthSpan[] => []),
      rate.transform((bytes_per_s) => spansOf('00:00-24:00', bytes_per_s)),
      timetable,
    ],
    wrong,
  )
  .transform((spans): readonly BandwidthSpan[] => spans)
  .prefault('off')
  .describe(
    'The bandwidth of all uploads together: a size per second, or times of the day (in the zone of this machine) ' +
      'with one each, such as { "08:00-18:00": 2MB/s, "22:00-06:00": off }. At all other times there is no limit. ' +
      'Default off: files should not wait while the line is idle.',
  )

function spansOf(text: string, bytes_per_s: number): BandwidthSpan[] {
  const [from_minute, to_minute] = text.split('-').map(minuteOf) as [number, number]
  if (from_minute < to_minute) return [{ from_minute, to_minute, bytes_per_s }]
  const over_midnight = [
    { from_minute, to_minute: day_minutes, bytes_per_s },
    { from_minute: 0, to_minute, bytes_per_s },
  ]
  return over_midnight.filter((span) => span.from_minute < span.to_minute)
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return hours * 60 + minutes
}

function overlap(spans: readonly BandwidthSpan[]): boolean {
  const sorted = [...spans].sort((one, other) => one.from_minute - other.from_minute)
  return sorted.some((span, at) => at > 0 && span.from_minute < sorted[at - 1]!.to_minute)
}
