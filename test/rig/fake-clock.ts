import type { Clock } from '../../src/base/time/time.ts'

interface Sleeper {
  due_ms: number
  wake: () => void
}

/** How much real time `runUntil` may take before it gives up: a test that waits for what never comes should say so soon. */
const patience_ms = 30_000

/**
 * A clock that stands still until the test moves it. Sleeps end in the order of their due times, those due at the same
 * moment in the order they began; between two of them the event loop turns once, so that what a sleeper does next (a new
 * sleep included) happens at the right time.
 */
export class FakeClock implements Clock {
  #monotonic_ms = 0
  #wall_offset_ms: number
  #sleepers: Sleeper[] = []

  /** 2026-01-01T00:00:00Z unless told: a round figure that reads well in a failure. */
  constructor(start_ms = Date.UTC(2026, 0, 1)) {
    this.#wall_offset_ms = start_ms
  }

  now_ms(): number {
    return this.#monotonic_ms + this.#wall_offset_ms
  }

  monotonic_ms(): number {
    return this.#monotonic_ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper: Sleeper = { due_ms: this.#monotonic_ms + Math.max(0, ms), wake: end }
      const sleepers = this.#sleepers
      function end(): void {
        const at = sleepers.indexOf(sleeper)
        if (at >= 0) sleepers.splice(at, 1)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      signal?.addEventListener('abort', end)
      sleepers.push(sleeper)
      // As with a real timer of 0 ms, nobody has to move the clock for it.
      if (ms <= 0) setImmediate(end)
    })
  }

  /** How many sleeps have neither ended nor been aborted. */
  pending(): number {
    return this.#sleepers.length
  }

  /** Due times of the pending sleeps, as milliseconds from now, soonest first. */
  pending_ms(): number[] {
    return this.#sleepers.map((sleeper) => sleeper.due_ms - this.#monotonic_ms).sort((a, b) => a - b)
  }

  /** Moves both times on by `ms` and ends every sleep that comes due on the way, at its own moment. */
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

  /** Moves the wall clock alone, as an administrator or NTP does. Nothing wakes. */
  jumpWall(ms: number): void {
    this.#wall_offset_ms += ms
  }

  /**
   * Lets real work (files, sockets, threads) go on and ends the sleeps one by one until `fact` holds. Throws when it still
   * does not hold after half a real minute.
   */
  async runUntil(fact: () => boolean | Promise<boolean>, what = fact.toString()): Promise<void> {
    const began = performance.now()
    for (let round = 0; !(await fact()); round++) {
      if (performance.now() - began > patience_ms) {
        throw new Error(`not so after ${patience_ms} ms: ${what}; ${this.pending()} sleeps pending`)
      }
      // Real work gets some turns before time moves, else time-outs would overtake the answers they wait for.
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

/** One turn of the event loop: every promise that can go on has gone on. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
