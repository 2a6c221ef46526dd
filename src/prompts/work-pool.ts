import { codeOf, type FaultNote, messageOf } from '../base/run/errors.ts'
import type { Heartbeat } from '../base/run/heartbeat.ts'
import { createFaultRest, longest_rest_ms, restUntilDue, runWorker } from '../base/run/worker.ts'
import type { Claimed } from '../ledger/ledger.ts'
import type { RunTools } from './run-tools.ts'

export type WorkPool = ReturnType<typeof startPool>

export interface PoolOptions<Item> {
  name: string
  at_once: number
  /** Key of an item; the same at each claim. */
  keyOf(item: Item): string
  /** Claims at most `limit` items. `wait_ms`: nothing may be claimed for so long. */
  claim(limit: number): Promise<Claimed<Item> | { wait_ms: number }>
  /** Does one bounded piece of work, which ends in facts. */
  work(item: Item, heartbeat: Heartbeat): Promise<void>
  release(item: Item): void
  /** Defers an item whose work failed; other items are not affected. */
  defer(item: Item, error: FaultNote): Promise<void>
}

/** Works on items of the ledger until the soft signal aborts. Running items then still end. */
export function startPool<Item>(
  options: PoolOptions<Item>,
  {
    clock,
    report,
    heartbeats,
    soft,
    hard,
  }: Pick<RunTools, 'clock' | 'report' | 'heartbeats' | 'soft' | 'hard'>,
) {
  const under_way = new Set<Promise<void>>()
  const fault_rest = createFaultRest(clock)

  async function workOn(item: Item): Promise<void> {
    const heartbeat = heartbeats.begin(`${options.name} ${options.keyOf(item)}`)
    try {
      if (!soft.aborted) await workOrDefer(item, heartbeat)
      fault_rest.succeeded()
    } catch (error) {
      if (!hard.aborted) report.fault(options.name, error)
      fault_rest.failed()
    } finally {
      heartbeat.end()
      options.release(item)
    }
  }

  async function workOrDefer(item: Item, heartbeat: Heartbeat): Promise<void> {
    try {
      await options.work(item, heartbeat)
    } catch (error) {
      if (hard.aborted) return
      report.fault(options.name, error)
      await options.defer(item, {
        code: codeOf(error) ?? 'internal.unexpected',
        message: messageOf(error),
      })
    }
  }

  async function step(): Promise<{ wait_ms: number }> {
    const rest_ms = fault_rest.left_ms()
    // The pause follows a fault. Items that end wake this worker; without it, it would loop.
    if (rest_ms > 0) await clock.sleep(rest_ms, soft)
    const free_places = options.at_once - under_way.size
    if (free_places === 0 || soft.aborted) return { wait_ms: longest_rest_ms }
    const claimed = await options.claim(free_places)
    if ('wait_ms' in claimed) return claimed
    for (const item of claimed.work) {
      const work = workOn(item).finally(() => {
        under_way.delete(work)
        worker.wake()
      })
      under_way.add(work)
    }
    if (claimed.work.length > 0) return { wait_ms: 0 }
    return restUntilDue(claimed.next_due_ms, clock)
  }

  const worker = runWorker({
    name: options.name,
    step,
    clock,
    heartbeats,
    signal: soft,
    on_error: (error) => report.fault(options.name, error),
  })
  return {
    worker,
    inFlight: () => under_way.size,
    drained: async () => void (await Promise.all(under_way)),
  }
}
