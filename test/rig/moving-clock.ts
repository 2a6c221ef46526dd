import type { Clock } from '../../src/base/time/time.ts'

/**
 * Real time, `times` as fast, that a test can skip ahead in: for waits that are part of what is tested, beside real files,
 * sockets and threads. Whatever compares times (a service and its client) is given the same one. A limit that guards real work
 * comes sooner, too: a clock that runs is for tests in which nothing large is under way.
 */
export class MovingClock implements Clock {
  readonly #times: number
  readonly #began_wall_ms = Date.now()
  readonly #began_ms = performance.now()
  readonly #sleepers = new Set<() => void>()
  #skipped_ms = 0

  constructor({ times = 1 }: { times?: number } = {}) {
    this.#times = times
  }

  now_ms(): number {
    return Math.floor(this.#began_wall_ms + this.monotonic_ms())
  }

  monotonic_ms(): number {
    return (performance.now() - this.#began_ms) * this.#times + this.#skipped_ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    const due_ms = this.monotonic_ms() + ms
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout
      const end = () => {
        clearTimeout(timer)
        this.#sleepers.delete(look)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const look = () => {
        const left_ms = due_ms - this.monotonic_ms()
        if (left_ms <= 0) return end()
        clearTimeout(timer)
        timer = setTimeout(look, Math.min(left_ms / this.#times, longest_timer_ms))
      }
      signal?.addEventListener('abort', end)
      this.#sleepers.add(look)
      // As with a timer of 0 ms, the event loop turns once at the least.
      timer = setTimeout(look, Math.max(0, Math.min(ms / this.#times, longest_timer_ms)))
    })
  }

  /** Moves both times on; what comes due on the way wakes at once. */
  skip(ms: number): void {
    this.#skipped_ms += ms
    for (const look of [...this.#sleepers]) look()
  }
}

/** setTimeout overflows beyond this. */
const longest_timer_ms = 2_147_483_647
