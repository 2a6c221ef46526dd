import { backoff_ms, type Clock, minute_ms, second_ms } from './time.ts'

/**
 * After a fault of this machine (a full disk, a thread that ended): a try costs little, and files
 * wait for the end of the fault, so the rest stays short.
 */
export const after_fault = { first_ms: 500, most_ms: 15 * second_ms }

/** How long a worker with much under way rests after a fault: longer with each one in a row. */
export class FaultRest {
  readonly #clock: Pick<Clock, 'monotonic_ms'>
  #in_a_row = 0
  #until_ms = 0

  constructor(clock: Pick<Clock, 'monotonic_ms'>) {
    this.#clock = clock
  }

  /**
   * Work that was begun before a rest and fails during it shows the same fault, and counts once.
   */
  failed(): void {
    if (this.left_ms() <= 0) this.#until_ms = this.#clock.monotonic_ms() + backoff_ms(this.#in_a_row++, after_fault)
  }

  succeeded(): void {
    this.#in_a_row = 0
  }

  left_ms(): number {
    return this.#until_ms - this.#clock.monotonic_ms()
  }
}

/** A wake comes with every fact that makes work; this is for a wake that was lost. */
export const longest_rest_ms = minute_ms

/** How long a worker with nothing to do rests: until the next item is due, at least a moment, at most a minute. */
export function restUntilDue(next_due_ms: number | undefined, clock: Clock): { wait_ms: number } {
  const due_ms = next_due_ms === undefined ? longest_rest_ms : next_due_ms - clock.now_ms()
  return { wait_ms: Math.min(Math.max(due_ms, 1), longest_rest_ms) }
}
