/** The only access to time. `now_ms` is Unix ms; `monotonic_ms`, for durations, never jumps. */
export interface Clock {
  now_ms(): number
  monotonic_ms(): number
  /** Resolves after `ms`, or at once on abort. Never rejects: the caller checks its signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Above this (2^31 - 1), setTimeout fires at once. Longer sleeps are cut; their callers loop. */
const longest_timer_ms = 2_147_483_647

export const system_clock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
  // Not node:timers/promises: it makes an error with a stack for each sleep that is cut short,
  // three for every file sent.
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

/** Calls `act` after `ms`, if something else has kept the process alive until then. */
export function ifStillAlive(ms: number, act: () => void): void {
  setTimeout(act, ms).unref()
}

/** Waits for the promise or the signal, whichever comes first. */
export async function unlessAborted(
  waited: Promise<unknown> | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  let stop = () => {}
  const is_over = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([waited, is_over])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The answer of the work; undefined after `max_ms`, or if the signal aborts first. */
export async function within<Answer>(
  work: Promise<Answer>,
  max_ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const finished = new AbortController()
  const is_over = signal ? AbortSignal.any([finished.signal, signal]) : finished.signal
  try {
    return await Promise.race([work, clock.sleep(max_ms, is_over).then(() => undefined)])
  } finally {
    finished.abort()
  }
}

/** CLOCK_MONOTONIC, μs, the same in all processes of this machine: for the service manager. */
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

/** ISO 8601 in UTC: the usual form of a time in output and on the wire. */
export function isoTime(at_ms: number): string {
  return new Date(at_ms).toISOString()
}

/** The same in JSON, where null stands for an unknown time. */
export function isoTimeOrNull(at_ms: number | undefined): string | null {
  return at_ms === undefined ? null : isoTime(at_ms)
}

/**
 * Exponential back-off with full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter").
 * At least a tenth of its ceiling, so that no retry is immediate. `attempt` counts from 0.
 */
export function backoff_ms(
  attempt: number,
  limits: { first_ms: number; max_ms: number },
  random = Math.random,
): number {
  const ceiling = Math.min(limits.max_ms, limits.first_ms * 2 ** Math.min(attempt, 30))
  return Math.round(ceiling * (0.1 + 0.9 * random()))
}

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')

/** One per zone: making one costs 100 times as much as using it. At most some 600 zones exist. */
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

/** True for an IANA name (`Europe/Berlin`, `UTC`). Not for an offset: it has no summer time. */
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
  for (const { type, value } of formatterOf(zone).formatToParts(whole_ms))
    shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole_ms
}

/** Local time, such as `2026-11-23T08:00+01:00`. Two moments never have the same text. */
export function localTime(at_ms: number, zone: string): string {
  const offset_ms = zoneOffset_ms(at_ms, zone)
  const shown = new Date(at_ms + offset_ms).toISOString().replace(/(:00)?\.000Z$|Z$/, '')
  const offset_minutes = Math.round(Math.abs(offset_ms) / 60_000)
  return `${shown}${offset_ms < 0 ? '-' : '+'}${pad(Math.floor(offset_minutes / 60))}:${pad(offset_minutes % 60)}`
}

/**
 * A time for users, in the zone of this machine: `17:24` on the day of `now_ms`, else
 * `2026-11-23 17:24`.
 */
export function clockText(at_ms: number, now_ms?: number): string {
  const zone = ownZone()
  const text = wallText(at_ms, zone)
  const is_today = now_ms !== undefined && text.startsWith(localDate(now_ms, zone))
  return is_today ? text.slice(11) : text
}

/** The zone of this machine. */
function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** A time for users, as a clock in the zone shows it: `2026-11-23 08:00`. */
export function wallText(at_ms: number, zone: string): string {
  return localTime(at_ms, zone).slice(0, 16).replace('T', ' ')
}

/** A time for users anywhere: `2026-11-23 08:00 Europe/Berlin`. */
export function zonedText(at_ms: number, zone = ownZone()): string {
  return `${wallText(at_ms, zone)} ${zone}`
}

/** A time of a prompt on this machine, whose zone is named only where it is another one. */
export function promptTimeText(at_ms: number, zone: string): string {
  return zone === ownZone() ? wallText(at_ms, zone) : zonedText(at_ms, zone)
}

/** The local calendar day: `2026-11-23`. */
export function localDate(at_ms: number, zone: string): string {
  return localTime(at_ms, zone).slice(0, 10)
}
