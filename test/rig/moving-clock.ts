import type { Clock } from '../../src/base/time/time.ts'

/**
 * A clock that runs at `times` real time, and that a test can skip ahead. It serves tests of real
 * waits with real files, sockets and threads. Programs that compare times (a service and its
 * client) must share one. Limits that guard real work come sooner, too, so use it only for small
 * work.
 */
export class MovingClock implements Clock {
  readonly #times: number
  #began_wall_ms = Date.now()
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
        this.#sleepers.delete(check)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const check = () => {
        const left_ms = due_ms - this.monotonic_ms()
        if (left_ms <= 0) return end()
        clearTimeout(timer)
        timer = setTimeout(check, Math.min(left_ms / this.#times, longest_timer_ms))
      }
      signal?.addEventListener('abort', end)
      this.#sleepers.add(check)
      // As with a real timer of 0 ms, the event loop turns at least once.
      timer = setTimeout(check, Math.max(0, Math.min(ms / this.#times, longest_timer_ms)))
    })
  }

  /** Moves only the wall clock, as a sleep of the machine does. No sleep of the program ends. */
  jumpWall(ms: number): void {
    this.#began_wall_ms += ms
  }

  /** Moves both clocks, and ends at once every sleep that is due on the way. */
  skip(ms: number): void {
    this.#skipped_ms += ms
    for (const check of [...this.#sleepers]) check()
  }
}

/** setTimeout overflows above this value. */
const longest_timer_ms = 2_147_483_647
