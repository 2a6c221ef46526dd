import { counted, formatCount } from '../base/text/format.ts'
import { hour_ms, second_ms } from '../base/time/time.ts'

export const reading_units = ['page', 'slide', 'sheet', 'attachment', 'part'] as const

/** How much of a file the service could read, as it says of the asset. */
export interface Reading {
  of: number
  /** At most `of`. */
  seen: number
  /** Absent if Sluice does not know the service's unit. */
  unit?: (typeof reading_units)[number]
  /** The service's words about what is missing or in doubt. */
  why?: string
}

/** `unknown`: then nothing is said about it, neither whole nor in part. */
export type AmountRead = 'whole' | 'in_part' | 'nothing' | 'unknown'

export function amountRead(reading: Reading | undefined): AmountRead {
  if (reading === undefined) return 'unknown'
  if (reading.seen === 0) return 'nothing'
  if (reading.unit === undefined) return 'unknown'
  return reading.seen < reading.of ? 'in_part' : 'whole'
}

/**
 * What is missing or in doubt, for example `1 of 10 pages read: pages 2–10 are pictures`. Undefined
 * if there is nothing to say.
 */
export function readingText(reading: Reading | undefined): string | undefined {
  const amount = amountRead(reading)
  if (reading === undefined || amount === 'unknown') return undefined
  const { of, seen, unit, why } = reading
  if (amount === 'whole')
    return why === undefined ? undefined : `the service adds to what it read: ${why}`
  const because = why === undefined ? '' : `: ${why}`
  if (amount === 'nothing') return `the service could read nothing of it${because}`
  return `${formatCount(seen)} of ${counted(of, unit!)} read${because}`
}

/** The local service begins `why` so while it recognises pages of the asset. */
const goes_on = 'recognition goes on'
const min_look_ms = 2 * second_ms

/**
 * When the record of a ready asset is read again, because the service reads it further: soon at
 * first, then less and less often. Undefined if what was read stays as it is.
 */
export function nextLook_ms(
  { why }: Pick<Reading, 'why'>,
  ready_ms: number,
  now_ms: number,
): number | undefined {
  if (!why?.startsWith(goes_on)) return undefined
  return now_ms + Math.min(Math.max((now_ms - ready_ms) / 2, min_look_ms), hour_ms)
}
