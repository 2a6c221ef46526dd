import { backoff_ms, type Clock, minute_ms, second_ms } from '../time/time.ts'
import { type Heartbeat, type Heartbeats, unwatched } from './heartbeat.ts'

export type Worker = ReturnType<typeof runWorker>

export interface WorkerOptions {
  name: string
  /** One bounded piece of work. Answers how long to wait for a wake, 0 if there is more to do. */
  step: (signal: AbortSignal, heartbeat: Heartbeat) => Promise<{ wait_ms: number }>
  clock: Clock
  signal: AbortSignal
  /** Rest after each step that no wake shortens: many wakes become one step. */
  pace_ms?: number
  /** Receives a step's error. The step repeats after a rest that grows: no fault ends a worker. */
  on_error: (error: unknown) => void
  /** A watchdog checks these, so slow parts of a step call `beat`, or wait in `during`. */
  heartbeats?: Heartbeats | undefined
}

/** Runs `step` again and again until the signal aborts. */
export function runWorker(options: WorkerOptions) {
  const { name, step, clock, signal, on_error, pace_ms = 0, heartbeats = unwatched } = options
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
      const heartbeat = heartbeats.begin(name)
      try {
        wait_ms = (await step(signal, heartbeat)).wait_ms
        errors_in_a_row = 0
      } catch (error) {
        if (signal.aborted) break
        on_error(error)
        wait_ms = backoff_ms(errors_in_a_row++, after_fault)
        woken = false
      } finally {
        heartbeat.end()
      }
      const rest_from_ms = clock.monotonic_ms()
      if (pace_ms > 0) await clock.sleep(pace_ms, signal)
      // The pace may have taken longer than planned, on a busy machine or after a clock jump.
      await rest(wait_ms - (clock.monotonic_ms() - rest_from_ms))
    }
    signal.removeEventListener('abort', stop)
  }

  return {
    name,
    /** Ends the rest, or skips the next one. Two wakes are one: a step reads the ledger again. */
    wake() {
      woken = true
      // With a reason: without one, each wake makes a DOMException with an unused stack.
      interrupt.abort('woken')
    },
    /** Resolves when the worker has ended after its signal; never rejects. */
    ended: loop(),
  }
}

/** Throws the first error after all work has ended: no part outlives the release of its claim. */
export async function allEnded<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** After a fault of this machine (full disk, ended thread): tries cost little, and files wait. */
export const after_fault = { first_ms: 500, max_ms: 15 * second_ms }

/** The rest after a fault, for a worker with parallel work. It grows with each fault in a row. */
export function createFaultRest(clock: Pick<Clock, 'monotonic_ms'>) {
  let in_a_row = 0
  let until_ms = 0
  const left_ms = () => until_ms - clock.monotonic_ms()
  return {
    left_ms,
    /** Counts a fault. Work that began before a rest and fails during it counts no second time. */
    failed(): void {
      if (left_ms() <= 0) until_ms = clock.monotonic_ms() + backoff_ms(in_a_row++, after_fault)
    },
    succeeded(): void {
      in_a_row = 0
    },
  }
}

/** Maximum rest, in case a wake was lost: every fact that makes work wakes its worker. */
export const longest_rest_ms = minute_ms

/** The rest of an idle worker: until the next item is due, from 1 ms to a minute. */
export function restUntilDue(next_due_ms: number | undefined, clock: Clock): { wait_ms: number } {
  const due_ms = next_due_ms === undefined ? longest_rest_ms : next_due_ms - clock.now_ms()
  return { wait_ms: Math.min(Math.max(due_ms, 1), longest_rest_ms) }
}
