import { system_clock } from '../base/time.ts'

const long_ms = 5

/** For work with synchronous calls that may take seconds in all: between its pieces the others of this event loop have their turns. */
export class LoopTurn {
  #began_ms = system_clock.monotonic_ms()

  isLong(): boolean {
    return system_clock.monotonic_ms() - this.#began_ms >= long_ms
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#began_ms = system_clock.monotonic_ms()
  }
}
