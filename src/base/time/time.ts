/**
 * The only door to time. Production uses `system_clock`; tests hand in a fake one and move it by hand. `now_ms` is wall-clock
 * time (Unix, milliseconds); `monotonic_ms` never jumps and is for durations only.
 */
export interface Clock {
  now_ms(): number
  monotonic_ms(): number
  /** Resolves after `ms`, or at once when the signal aborts: it never rejects, the caller looks at its signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** setTimeout overflows beyond this (2^31 - 1 ms) and fires at once; longer sleeps are cut, callers loop anyway. */
const longest_timer_ms = 2_147_483_647

export const system_clock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
  // Not that of node:timers/promises: each sleep that is cut short, three for every file sent, would cost an error with its stack.
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(Math.max(0, ms), longest_timer_ms))
      signal?.addEventListener('abort', end, { once: true })
    })
  },
}

/** CLOCK_MONOTONIC in microseconds, as other processes of this machine see it: for messages to the service manager. */
export function kernelMonotonic_us(): bigint {
  return process.hrtime.bigint() / 1_000n
}

/** 0 to 1439, in the zone of this machine. */
export function localMinuteOfDay(at_ms: number): number {
  const time = new Date(at_ms)
  return time.getHours() * 60 + time.getMinutes()
}

export const second_ms = 1_000
export const minute_ms = 60_000
export const hour_ms = 3_600_000
export const day_ms = 86_400_000

/** ISO 8601 UTC, the form of every time that people or the wire see. */
export function isoTime(at_ms: number): string {
  return new Date(at_ms).toISOString()
}

/**
 * Exponential back-off with full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"), never under a tenth of
 * its ceiling so that a retry is never immediate. `attempt` counts from 0.
 */
export function backoff_ms(
  attempt: number,
  limits: { first_ms: number; most_ms: number },
  random = Math.random,
): number {
  const ceiling = Math.min(limits.most_ms, limits.first_ms * 2 ** Math.min(attempt, 30))
  return Math.round(ceiling * (0.1 + 0.9 * random()))
}

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

/** The zone's offset from UTC, ms; negative in the west. Throws RangeError for an unknown zone. */
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
