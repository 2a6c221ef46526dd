import type { Clock } from '../../src/base/time/time.ts'

interface Sleeper {
  due_ms: number
  wake: () => void
}

/**
 * Real time that `runUntil` takes before it gives up: a test that waits for nothing should fail
 * soon.
 */
const patience_ms = 30_000

/**
 * A time of the machine's monotonic clock for a whole number of milliseconds. Each time has another
 * fraction, so a difference of two has one, too. A day grows by 82 ms.
 */
export function withFraction(at_ms: number): number {
  return at_ms * (1 + 2 ** -20)
}

/**
 * A clock that stands still until the test moves it. Sleeps end in the order of their due times,
 * and in the order of their start if due together. Between two of them the event loop turns once,
 * so that the next step of a sleeper (even a new sleep) happens at the right time.
 */
export class FakeClock implements Clock {
  #monotonic_ms = 0
  #wall_offset_ms: number
  #sleepers: Sleeper[] = []

  /** The default is 2026-01-01T00:00:00Z, a round time that reads well in a failure. */
  constructor(start_ms = Date.UTC(2026, 0, 1)) {
    this.#wall_offset_ms = start_ms
  }

  now_ms(): number {
    return this.#monotonic_ms + this.#wall_offset_ms
  }

  /** With a fraction, like `performance.now()`. It never falls, so no wait seems too short. */
  monotonic_ms(): number {
    return withFraction(this.#monotonic_ms)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        due_ms: this.#monotonic_ms + Math.ceil(Math.max(0, ms)),
        wake: end,
      }
      const sleepers = this.#sleepers
      function end(): void {
        const at = sleepers.indexOf(sleeper)
        if (at >= 0) sleepers.splice(at, 1)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      signal?.addEventListener('abort', end)
      sleepers.push(sleeper)
      // As with a real timer of 0 ms, the sleep ends without a move of the clock.
      if (ms <= 0) setImmediate(end)
    })
  }

  /** Number of sleeps that have neither ended nor been aborted. */
  pending(): number {
    return this.#sleepers.length
  }

  /** Due times of the pending sleeps, as milliseconds from now, soonest first. */
  pending_ms(): number[] {
    return this.#sleepers
      .map((sleeper) => sleeper.due_ms - this.#monotonic_ms)
      .sort((a, b) => a - b)
  }

  /** Moves both clocks by `ms`, and ends every sleep on the way at its own due time. */
  async advance(ms: number): Promise<void> {
    const target_ms = this.#monotonic_ms + ms
    await turn()
    for (;;) {
      const next = this.#next()
      if (!next || next.due_ms > target_ms) break
      this.#monotonic_ms = Math.max(this.#monotonic_ms, next.due_ms)
      next.wake()
      await turn()
    }
    this.#monotonic_ms = Math.max(this.#monotonic_ms, target_ms)
  }

  /** Moves only the wall clock, as an administrator or NTP does. No sleep ends. */
  jumpWall(ms: number): void {
    this.#wall_offset_ms += ms
  }

  /**
   * Lets real work (files, sockets, threads) continue and ends the sleeps one by one until `fact`
   * holds. Throws if it does not hold after half a minute of real time.
   */
  async runUntil(fact: () => boolean | Promise<boolean>, what = fact.toString()): Promise<void> {
    const began = performance.now()
    for (let round = 0; !(await fact()); round++) {
      if (performance.now() - began > patience_ms) {
        throw new Error(`not so after ${patience_ms} ms: ${what}; ${this.pending()} sleeps pending`)
      }
      // Give real work some turns before time moves. Otherwise time-outs would overtake the answers
      // that they wait for.
      const next = this.#next()
      if (next && round % 16 === 15) await this.advance(next.due_ms - this.#monotonic_ms)
      else await new Promise((resolve) => setTimeout(resolve, round < 16 ? 0 : 1))
    }
  }

  #next(): Sleeper | undefined {
    let next: Sleeper | undefined
    for (const sleeper of this.#sleepers) if (!next || sleeper.due_ms < next.due_ms) next = sleeper
    return next
  }
}

/** One turn of the event loop: every ready promise continues. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
