import type { Clock } from './time.ts'

/** Watches a transfer that may take hours as long as it moves: a limit on silence instead of one on the whole. */
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
    /** From now on silence may last this long, in milliseconds; infinity: for ever, as before the first call. */
    allowSilence(silence_ms: number): void {
      last_ms = clock.monotonic_ms()
      allowed_ms = silence_ms
      if (!watching) void watch()
    },
    progressed(): void {
      last_ms = clock.monotonic_ms()
    },
    stalled: () => is_stalled,
    /** Must be called: it ends the watch and lets go of the caller's signal. */
    end(): void {
      ended.abort('ended')
      outer?.removeEventListener('abort', onOuter)
    },
  }
}
