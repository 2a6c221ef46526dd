import { second_ms } from './time.ts'

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')

/** One a zone: making a formatter costs a hundred times what it answers in. Only zones that exist get in, some 600. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(zone, formatter)
  }
  return formatter
}

/** True for a name of the IANA database (`Europe/Berlin`, `UTC`); an offset such as `+01:00` is none: it knows no summer time. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    formatterOf(zone)
    return true
  } catch {
    return false
  }
}

/** What the clocks of the zone show ahead of UTC at that moment, in milliseconds; negative in the west. Throws RangeError for no zone. */
export function zoneOffset_ms(at_ms: number, zone: string): number {
  const whole_ms = Math.floor(at_ms / second_ms) * second_ms
  const shown: Record<string, number> = {}
  for (const { type, value } of formatterOf(zone).formatToParts(whole_ms)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole_ms
}

/**
 * The local time with its offset, ISO 8601: `2026-11-23T08:00+01:00`. Seconds stand there when they are not zero, milliseconds
 * likewise, so that two moments never have the same text.
 */
export function localTime(at_ms: number, zone: string): string {
  const offset_ms = zoneOffset_ms(at_ms, zone)
  const shown = new Date(at_ms + offset_ms).toISOString().replace(/(:00)?\.000Z$|Z$/, '')
  const offset_minutes = Math.round(Math.abs(offset_ms) / 60_000)
  return `${shown}${offset_ms < 0 ? '-' : '+'}${pad(Math.floor(offset_minutes / 60))}:${pad(offset_minutes % 60)}`
}

/** The local calendar day: `2026-11-23`. */
export function localDate(at_ms: number, zone: string): string {
  return localTime(at_ms, zone).slice(0, 10)
}
