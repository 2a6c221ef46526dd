import { cronTimes } from '../base/cron.ts'
import type { HealthView } from '../ledger/view-health.ts'
import type { HealthFacts } from './health-promises.ts'

/** What health must know of the prompts of the configuration. */
export interface PromptHealthSettings {
  readonly prompts: readonly {
    readonly name: string
    readonly schedule: { readonly cron: string; readonly timezone: string }
    readonly wait_for_files_ms: number
    readonly intelligence: string
  }[]
  readonly asking: { readonly deadline_ms: Readonly<Record<string, number>> }
}

/** Where each prompt of the config stands with its due times. A prompt that no daemon has met yet has none. */
export function promptHealth(
  view: HealthView | undefined,
  { prompts, asking }: PromptHealthSettings,
  now_ms: number,
): HealthFacts['prompts'] {
  const known = new Map((view?.prompts() ?? []).map((prompt) => [prompt.name, prompt]))
  return prompts.flatMap(({ name, schedule, wait_for_files_ms, intelligence }) => {
    const prompt = known.get(name)
    if (!prompt) return []
    const { checked_ms, open_runs, last_ended } = prompt
    // Up to checked_ms each time has its run; after it nobody has dealt with them yet.
    const next_ms = cronTimes(schedule.cron, schedule.timezone).next(checked_ms)
    const dues = [
      ...open_runs.map(({ due_ms }) => due_ms),
      ...(next_ms === undefined || next_ms > now_ms ? [] : [next_ms]),
    ]
    const failed = last_ended?.state === 'failed' ? last_ended : undefined
    return {
      name,
      patience_ms: wait_for_files_ms + (asking.deadline_ms[intelligence] ?? 0),
      unmet_ms: dues.length === 0 ? undefined : Math.min(...dues),
      failed: failed && { run: failed.run, since_ms: failed.ended_ms, why: failed.why ?? 'for an unknown reason' },
    }
  })
}
