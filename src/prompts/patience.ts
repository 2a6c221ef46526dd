import { type Clock, minute_ms } from '../base/time.ts'

/** What goes on in this life of the daemon has at least this long, whatever the wall clock says about the lives before. */
const least_ms = minute_ms

/**
 * How long something that began at a time of the wall clock, perhaps in an earlier life of the daemon, may still take. From
 * here on the monotonic clock counts: a wall clock that is set neither cuts the wait to nothing nor makes it endless.
 */
export class Patience {
  readonly #clock: Clock
  readonly #end_ms: number

  constructor(clock: Clock, began_ms: number, most_ms: number) {
    const passed_ms = Math.max(0, clock.now_ms() - began_ms)
    this.#clock = clock
    this.#end_ms = clock.monotonic_ms() + Math.max(most_ms - passed_ms, Math.min(most_ms, least_ms))
  }

  left_ms(): number {
    return Math.max(0, this.#end_ms - this.#clock.monotonic_ms())
  }

  isOver(): boolean {
    return this.left_ms() <= 0
  }
}
