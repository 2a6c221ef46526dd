import { type Clock, second_ms } from '../base/time.ts'
import { isFinal } from '../domain/run.ts'
import type { PromptsView, RunView } from '../ledger/view-prompts.ts'

/** Deliveries that were not even tried by then wait for something else; the report is there in any case. */
const deliveries_most_ms = 30 * second_ms
const look_ms = 200

/**
 * Watches a run until it is final; of a written one every delivery has then been tried, or half a minute is over. Undefined when
 * nobody waits any more. `check`: asked now and then, throws where nobody works on the run any more.
 */
export async function awaitRun(options: {
  view: PromptsView
  run: number
  clock: Clock
  signal: AbortSignal
  check: () => Promise<unknown>
}): Promise<RunView | undefined> {
  const { view, run: number, clock, signal, check } = options
  let written_since_ms: number | undefined
  for (let looks = 1; !signal.aborted; looks++) {
    const run = view.run(number)
    if (run && isFinal(run.state)) {
      written_since_ms ??= clock.monotonic_ms()
      const untried = run.deliveries.some(({ state, attempts }) => state === 'wanted' && attempts === 0)
      if (!untried || clock.monotonic_ms() - written_since_ms > deliveries_most_ms) return run
    }
    if (looks % 20 === 0) await check()
    await clock.sleep(look_ms, signal)
  }
  return undefined
}
