import type { Pulses } from '../../base/run/pulse.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { cronTimes } from '../../base/time/cron.ts'
import { startTicker } from '../../base/time/ticker.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { PromptLedger } from '../../ledger/prompt-work.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { whatIsDue } from './schedule.ts'

export interface SchedulerParts {
  ledger: Pick<PromptLedger, 'prompts'> & { record(facts: readonly RunFact[]): Promise<void> }
  clock: Clock
  prompts: readonly PromptSettings[]
  on_fault: (what: string, error: unknown) => void
  pulses?: Pulses
}

/** A clock that was set, or a machine that woke up, is noticed after this long even when no tick comes. */
const longest_rest_ms = minute_ms

/**
 * Turns times that have come into runs (`run_due`) in the ledger, until the signal aborts. A prompt that the ledger does not
 * know yet waits for it (`prompts_configured`). What fails for one prompt is reported and tried again a minute later.
 */
export function startScheduler(parts: SchedulerParts, signal: AbortSignal): Worker {
  const { ledger, clock, on_fault, pulses } = parts
  const prompts = parts.prompts.map((prompt) => ({
    prompt,
    times: cronTimes(prompt.schedule.cron, prompt.schedule.timezone),
  }))

  async function step(): Promise<{ wait_ms: number }> {
    const states = new Map((await ledger.prompts()).map((state) => [state.name, state]))
    let rest_ms = longest_rest_ms
    for (const { prompt, times } of prompts) {
      const state = states.get(prompt.name)
      if (signal.aborted || !state?.configured) continue
      try {
        const now_ms = clock.now_ms()
        const { facts, next_ms } = whatIsDue({ prompt, times, state, now_ms })
        if (facts.length > 0) await ledger.record(facts)
        if (next_ms !== undefined) rest_ms = Math.min(rest_ms, next_ms - now_ms)
      } catch (error) {
        on_fault(`the schedule of the prompt ${prompt.name}`, error)
      }
    }
    return { wait_ms: Math.max(rest_ms, 1) }
  }

  const worker = runWorker({
    name: 'scheduler',
    step,
    clock,
    signal,
    ...(pulses ? { pulses } : {}),
    on_error: (error) => on_fault('the scheduler', error),
  })
  if (!signal.aborted) {
    const ticker = startTicker(() => worker.wake())
    signal.addEventListener('abort', () => ticker.stop(), { once: true })
  }
  return worker
}
