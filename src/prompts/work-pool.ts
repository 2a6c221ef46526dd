import type { Pulse } from '../base/pulse.ts'
import { longest_rest_ms, restUntilDue } from '../base/rest.ts'
import { backoff_ms, minute_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Claimed } from '../ledger/ledger.ts'
import type { RunTools } from './run-tools.ts'

export interface WorkPool {
  worker: Worker
  inFlight(): number
  /** Resolves when what was begun has ended. */
  drained(): Promise<void>
}

export interface PoolOptions<Item> {
  name: string
  at_once: number
  /** The same for the same item at each claim. */
  keyOf(item: Item): string
  /** Asked for so many at the most; `wait_ms`: everything rests for so long. */
  claim(limit: number): Promise<Claimed<Item> | { wait_ms: number }>
  /** One bounded piece of work, which ends in facts. */
  work(item: Item, pulse: Pulse): Promise<void>
  /** The claim goes back; nothing where a fact has ended it. */
  release(item: Item): Promise<void>
  /** Sets an item back that could not be worked on, alone. */
  setBack(item: Item, error: unknown): Promise<void>
}

/** Where nothing can be recorded (a full disk, a thread that died): later and later, not again and again. */
const after_fault = { first_ms: 500, most_ms: minute_ms }

/** Works on what the ledger hands out, so much of it at once, until the soft signal; what was begun ends by itself. */
export function startPool<Item>(
  options: PoolOptions<Item>,
  {
    clock,
    report,
    pulses,
    in_hand,
    soft,
    hard,
  }: Pick<RunTools, 'clock' | 'report' | 'pulses' | 'in_hand' | 'soft' | 'hard'>,
): WorkPool {
  const under_way = new Map<string, Promise<void>>()
  const nameOf = (item: Item) => `${options.name} ${options.keyOf(item)}`
  let faults_in_a_row = 0
  let rest_until_ms = 0

  async function workOn(item: Item): Promise<void> {
    const pulse = pulses.begin(`${options.name} ${options.keyOf(item)}`)
    try {
      if (!soft.aborted) await workOrSetBack(item, pulse)
      await options.release(item)
      faults_in_a_row = 0
    } catch (error) {
      if (!hard.aborted) report.fault(options.name, error)
      rest_until_ms = clock.monotonic_ms() + backoff_ms(faults_in_a_row++, after_fault)
    } finally {
      pulse.end()
      under_way.delete(nameOf(item))
      in_hand.delete(nameOf(item))
      worker.wake()
    }
  }

  async function workOrSetBack(item: Item, pulse: Pulse): Promise<void> {
    try {
      await options.work(item, pulse)
    } catch (error) {
      if (hard.aborted) return
      report.fault(options.name, error)
      await options.setBack(item, error)
    }
  }

  async function step(): Promise<{ wait_ms: number }> {
    const rest_ms = rest_until_ms - clock.monotonic_ms()
    // Items that end wake this worker; without this it would spin.
    if (rest_ms > 0) await clock.sleep(rest_ms, soft)
    const room = options.at_once - under_way.size
    if (room === 0 || soft.aborted) return { wait_ms: longest_rest_ms }
    const claimed = await options.claim(room)
    if ('wait_ms' in claimed) return claimed
    const begun = claimed.work.filter((item) => !in_hand.has(nameOf(item)))
    for (const item of begun) {
      in_hand.add(nameOf(item))
      under_way.set(nameOf(item), workOn(item))
    }
    if (begun.length > 0) return { wait_ms: 0 }
    return restUntilDue(claimed.next_due_ms, clock)
  }

  const worker = runWorker({
    name: options.name,
    step,
    clock,
    pulses,
    signal: soft,
    on_error: (error) => report.fault(options.name, error),
  })
  return {
    worker,
    inFlight: () => under_way.size,
    drained: async () => void (await Promise.all(under_way.values())),
  }
}
