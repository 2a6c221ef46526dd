/** A range of a day in local time. The end is exclusive; no range crosses midnight. */
export interface BandwidthSpan {
  readonly from_minute: number
  readonly to_minute: number
  readonly bytes_per_s: number
}

export const day_minutes = 1_440

const sizes = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const

/** Text of the ranges, as a user would write it in the file. */
export function bandwidthText(spans: readonly BandwidthSpan[]): string | Record<string, string> {
  if (spans.length === 0) return 'off'
  const [first] = spans
  if (spans.length === 1 && first!.to_minute - first!.from_minute === day_minutes)
    return rateText(first!.bytes_per_s)
  return Object.fromEntries(
    spans.map(({ from_minute, to_minute, bytes_per_s }) => [
      `${timeText(from_minute)}-${timeText(to_minute)}`,
      rateText(bytes_per_s),
    ]),
  )
}

function rateText(bytes_per_s: number): string {
  const [unit, bytes] = sizes.find(([, bytes]) => bytes_per_s % bytes === 0) ?? ['B', 1]
  return `${bytes_per_s / bytes}${unit}/s`
}

function timeText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}
