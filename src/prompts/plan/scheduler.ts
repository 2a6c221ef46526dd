import type { Heartbeats } from '../../base/run/heartbeat.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { cronTimes, type WakeAt } from '../../base/time/cron.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { promptThing } from '../../ledger/refused-facts.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { whatIsDue } from './schedule.ts'

export interface SchedulerParts {
  ledger: Pick<Ledger, 'prompts' | 'rests'> & { record(facts: readonly RunFact[]): Promise<void> }
  clock: Clock
  prompts: readonly PromptSettings[]
  wakeAt: WakeAt
  on_fault: (what: string, error: unknown) => void
  heartbeats?: Heartbeats
  /** Interval between steps without a wake; absent: `longest_rest_ms`. */
  rest_ms?: number
}

/** Backup for `wakeAt`: after sleep or a set clock, the wake for a past time may never come. */
const longest_rest_ms = minute_ms

/**
 * Turns due times into runs (`run_due`) in the ledger, until the signal aborts. Each prompt has one
 * wake, at its next time. A prompt waits until the ledger knows it (`prompts_configured`). The
 * fault of one prompt is reported, and retried a minute later.
 */
export function startScheduler(parts: SchedulerParts, signal: AbortSignal): Worker {
  const { ledger, clock, wakeAt, on_fault, heartbeats, rest_ms = longest_rest_ms } = parts
  const prompts = parts.prompts.map((prompt) => ({
    prompt,
    times: cronTimes(prompt.schedule.cron, prompt.schedule.timezone),
  }))
  const wakes = new Map<PromptSettings, ReturnType<WakeAt>>()
  const wake = () => worker.wake()

  async function step(): Promise<{ wait_ms: number }> {
    const states = new Map((await ledger.prompts()).map((state) => [state.name, state]))
    for (const { prompt, times } of prompts) {
      const state = states.get(prompt.name)
      if (signal.aborted || !state?.configured || ledger.rests(promptThing(prompt.name))) continue
      try {
        const { facts, next_ms } = whatIsDue({ prompt, times, state, now_ms: clock.now_ms() })
        wakes.get(prompt)?.stop()
        if (next_ms !== undefined) wakes.set(prompt, wakeAt(next_ms, wake))
        if (facts.length > 0) await ledger.record(facts)
      } catch (error) {
        on_fault(`the schedule of the prompt ${prompt.name}`, error)
      }
    }
    return { wait_ms: rest_ms }
  }

  const worker = runWorker({
    name: 'scheduler',
    step,
    clock,
    signal,
    heartbeats,
    on_error: (error) => on_fault('the scheduler', error),
  })
  const stopWakes = () => {
    for (const { stop } of wakes.values()) stop()
  }
  signal.addEventListener('abort', stopWakes, { once: true })
  return worker
}
