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
