import { day_ms, hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'

const duration_units: Record<string, number> = {
  ms: 1,
  s: second_ms,
  m: minute_ms,
  h: hour_ms,
  d: day_ms,
  w: 7 * day_ms,
}

/** Decimal units as disks are sold, binary units with an `i` (IEC 80000-13). */
const size_units: Record<string, number> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
}

export const duration_pattern = /^\d+(\.\d+)? ?(ms|s|m|h|d|w)$/
export const size_pattern = /^\d+(\.\d+)? ?(B|[kKMGT]B|[KMGT]iB)$/

/** `20m` becomes 1,200,000 ms. The text must match `duration_pattern`. */
export function parseDuration_ms(text: string): number {
  return parseAmount(text, duration_units)
}

/** `4GiB` becomes 4,294,967,296 bytes. The text must match `size_pattern`. */
export function parseSize_bytes(text: string): number {
  return parseAmount(text, size_units)
}

function parseAmount(text: string, units: Record<string, number>): number {
  const amount = Number.parseFloat(text)
  const unit = text.replace(/^[\d.]+ ?/, '')
  return Math.round(amount * units[unit]!)
}

/** The shortest text for exactly this duration: 7,776,000,000 becomes `90d`. */
export function durationText(ms: number): string {
  const [unit, size] = largestDivisor(ms, {
    ms: 1,
    s: second_ms,
    m: minute_ms,
    h: hour_ms,
    d: day_ms,
  })
  return `${ms / size}${unit}`
}

/** The shortest text for exactly this size: 4,294,967,296 becomes `4GiB`. */
export function sizeText(bytes: number): string {
  const [unit, size] = largestDivisor(bytes, size_units)
  return `${bytes / size}${unit}`
}

function largestDivisor(value: number, units: Record<string, number>): [string, number] {
  let largest: [string, number] = Object.entries(units)[0]!
  for (const [unit, size] of Object.entries(units)) {
    if (value !== 0 && value % size === 0 && size > largest[1]) largest = [unit, size]
  }
  return largest
}
