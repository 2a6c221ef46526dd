import { type Clock, second_ms } from '../time/time.ts'

/** The slowest line that is worth waiting for. */
export const slowest_bytes_per_s = 16_384

/**
 * Limits the whole time of a body: with a limit on silence alone, a slow drip would hold its call
 * for ever. A body has `first_ms`, plus the time of its bytes on the slowest line. Then `onTooSlow`
 * is called once.
 *
 * @internal
 */
export function limitPace(clock: Clock, first_ms: number, onTooSlow: () => void) {
  const began_ms = clock.monotonic_ms()
  let came_bytes = 0
  let is_over = false
  let ended: AbortController | undefined

  async function watch(): Promise<void> {
    ended = new AbortController()
    while (!is_over) {
      const allowed_ms = first_ms + (came_bytes / slowest_bytes_per_s) * second_ms
      const left_ms = began_ms + allowed_ms - clock.monotonic_ms()
      if (left_ms <= 0) return onTooSlow()
      await clock.sleep(left_ms, ended.signal)
    }
  }

  // Most bodies come with their head and are complete: watching one costs more than reading it.
  setImmediate(() => {
    if (!is_over) void watch()
  })
  return {
    /** Adds bytes that came. */
    came(bytes: number): void {
      came_bytes += bytes
    },
    /** Must be called. */
    end(): void {
      is_over = true
      // With a reason: without one, each answer makes a DOMException with an unused stack.
      ended?.abort('ended')
    },
  }
}

/** Watches a transfer that may take hours: limits its silence, not its whole time. */
export function watchProgress(clock: Clock, outer?: AbortSignal) {
  const abort = new AbortController()
  const ended = new AbortController()
  let allowed_ms = Number.POSITIVE_INFINITY
  let last_ms = 0
  let watching = false
  let is_stalled = false

  const onOuter = () => abort.abort()
  outer?.addEventListener('abort', onOuter)
  if (outer?.aborted) onOuter()

  async function watch(): Promise<void> {
    watching = true
    while (!ended.signal.aborted && allowed_ms !== Number.POSITIVE_INFINITY) {
      const left_ms = last_ms + allowed_ms - clock.monotonic_ms()
      if (left_ms <= 0) {
        is_stalled = true
        abort.abort()
        break
      }
      await clock.sleep(left_ms, ended.signal)
    }
    watching = false
  }

  return {
    /** Aborts when nothing moved for too long, or when the caller's signal aborts. */
    signal: abort.signal,
    /** Limits silence from now on; Infinity: no limit, as before the first call. */
    allowSilence(silence_ms: number): void {
      last_ms = clock.monotonic_ms()
      allowed_ms = silence_ms
      if (!watching) void watch()
    },
    progressed(): void {
      last_ms = clock.monotonic_ms()
    },
    stalled: () => is_stalled,
    /** Must be called: ends the watch and releases the caller's signal. */
    end(): void {
      ended.abort('ended')
      outer?.removeEventListener('abort', onOuter)
    },
  }
}
