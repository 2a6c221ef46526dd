import { type Clock, second_ms } from './time.ts'

/** The slowest line that is worth waiting for. */
export const slowest_bytes_per_s = 16_384

export interface AnswerPace {
  /** Some more of it came. */
  came(bytes: number): void
  /** Must be called. */
  end(): void
}

/**
 * Bounds the whole of a body, not the silence between two pieces of it: one that drips would hold its call for ever. It has `first_ms`,
 * and what its bytes take on the slowest line; then `onTooSlow` is called, once.
 */
export function limitPace(clock: Clock, first_ms: number, onTooSlow: () => void): AnswerPace {
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

  // Most bodies come with their head, and are over by then: to watch one costs more than to read it.
  setImmediate(() => {
    if (!is_over) void watch()
  })
  return {
    came(bytes) {
      came_bytes += bytes
    },
    end() {
      is_over = true
      // A reason of our own: without one each answer makes a DOMException with its stack, for nobody.
      ended?.abort('ended')
    },
  }
}
