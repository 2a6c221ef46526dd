import { backoff_ms, type Clock, minute_ms, second_ms } from '../time/time.ts'
import { type Pulse, type Pulses, unwatched } from './pulse.ts'

export type Worker = ReturnType<typeof runWorker>

export interface WorkerOptions {
  name: string
  /**
   * One bounded piece of work. Answers how long to wait for a wake before the next: 0 when there is more to do. Its pulse is
   * for what may take long: a beat for each part of it, `during` for what answers for itself.
   */
  step: (signal: AbortSignal, pulse: Pulse) => Promise<{ wait_ms: number }>
  clock: Clock
  signal: AbortSignal
  /** Rest between two steps that no wake cuts short: a storm of wakes becomes one step. */
  pace_ms?: number
  /** A step that throws is reported here and tried again, later and later: one fault never stops a worker for good. */
  on_error: (error: unknown) => void
  /** A watchdog checks here whether a step hangs. */
  pulses?: Pulses
}

/** Runs `step` again and again until the signal aborts. */
export function runWorker(options: WorkerOptions) {
  const { name, step, clock, signal, on_error, pace_ms = 0, pulses = unwatched } = options
  let woken = false
  let interrupt = new AbortController()

  const stop = () => interrupt.abort()
  signal.addEventListener('abort', stop)

  async function rest(ms: number): Promise<void> {
    if (woken || ms <= 0 || signal.aborted) return
    interrupt = new AbortController()
    await clock.sleep(ms, interrupt.signal)
  }

  async function loop(): Promise<void> {
    let errors_in_a_row = 0
    while (!signal.aborted) {
      woken = false
      let wait_ms: number
      const pulse = pulses.begin(name)
      try {
        wait_ms = (await step(signal, pulse)).wait_ms
        errors_in_a_row = 0
      } catch (error) {
        if (signal.aborted) break
        on_error(error)
        wait_ms = backoff_ms(errors_in_a_row++, after_fault)
        woken = false
      } finally {
        pulse.end()
      }
      const rest_from_ms = clock.monotonic_ms()
      if (pace_ms > 0) await clock.sleep(pace_ms, signal)
      // The pace may have taken longer than it should, on a busy machine or across a clock that jumped.
      await rest(wait_ms - (clock.monotonic_ms() - rest_from_ms))
    }
    signal.removeEventListener('abort', stop)
  }

  return {
    name,
    /** A flag, not a message: twice is once. The worker asks the ledger again; the ledger stays the truth. */
    wake() {
      woken = true
      // A reason of our own: without one each wake makes a DOMException with its stack, for nobody.
      interrupt.abort('woken')
    },
    /** Resolves when the worker has ended after its signal; never rejects. */
    ended: loop(),
  }
}

/**
 * Waits until all of it has ended, and then throws the first error: no part goes on after its claim
 * was released.
 */
export async function allEnded<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

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
