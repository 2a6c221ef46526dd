import { cronTimes } from '../base/cron.ts'
import { isoTime } from '../base/time.ts'
import { localTime } from '../base/zone-time.ts'
import type { RunState } from '../domain/run.ts'
import type { DeliveryView, PromptsView, RunSummary } from '../ledger/view-prompts.ts'

/** One prompt of the config, as JSON. Times are ISO 8601 UTC, those called local in the zone of the prompt; null: none. */
export interface PromptStatus {
  name: string
  cron: string
  timezone: string
  next: string | null
  next_local: string | null
  /** The newest, whatever became of it. */
  last_run: PromptRunStatus | null
  /** Deliveries of its reports that failed: tried again (`wanted`), or given up (`failed`). Oldest first. */
  undelivered: UndeliveredStatus[]
}

export interface PromptRunStatus {
  run: number
  due: string
  due_local: string
  state: RunState
  /** Why it was skipped or failed, or what set it back last. */
  why: string | null
  ended: string | null
  assets: number
  report: string | null
}

export interface UndeliveredStatus {
  run: number
  target: string
  state: 'wanted' | 'failed'
  attempts: number
  since: string
  next_try: string | null
  error: { code: string; message: string } | null
}

interface Prompt {
  readonly name: string
  readonly schedule: { readonly cron: string; readonly timezone: string }
}

/** `view` is undefined where nothing was ever kept: then no prompt has run. */
export function promptStatuses(
  view: PromptsView | undefined,
  prompts: readonly Prompt[],
  now_ms: number,
): PromptStatus[] {
  const failing = (view?.undelivered() ?? []).filter(({ state, attempts }) => state === 'failed' || attempts > 0)
  return prompts.map(({ name, schedule: { cron, timezone } }) => {
    const last = view?.runs(name, 1)[0]
    const next_ms = cronTimes(cron, timezone).next(now_ms)
    return {
      name,
      cron,
      timezone,
      next: next_ms === undefined ? null : isoTime(next_ms),
      next_local: next_ms === undefined ? null : localTime(next_ms, timezone),
      last_run: last ? runStatus(last, timezone) : null,
      undelivered: failing.filter(({ prompt }) => prompt === name).map(undeliveredStatus),
    }
  })
}

function runStatus(run: RunSummary, timezone: string): PromptRunStatus {
  const { due_ms, state, why, error, ended_ms, assets, report_path } = run
  return {
    run: run.run,
    due: isoTime(due_ms),
    due_local: localTime(due_ms, timezone),
    state,
    why: why ?? error?.message ?? null,
    ended: ended_ms === undefined ? null : isoTime(ended_ms),
    assets,
    report: report_path ?? null,
  }
}

function undeliveredStatus(delivery: DeliveryView): UndeliveredStatus {
  const { run, target, state, attempts, wanted_ms, not_before_ms, error } = delivery
  return {
    run,
    target,
    state: state === 'failed' ? 'failed' : 'wanted',
    attempts,
    since: isoTime(wanted_ms),
    next_try: state === 'wanted' ? isoTime(not_before_ms) : null,
    error: error ?? null,
  }
}
