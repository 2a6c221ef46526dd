import { cronTimes } from '../base/time/cron.ts'
import { isoTime, localTime } from '../base/time/time.ts'
import type { RunState } from '../domain/run.ts'
import type { DeliveryView, PromptsView, RunSummary } from '../ledger/views/view-prompts.ts'

/**
 * Status of a prompt as JSON. A prompt that left the config is listed while it has an open run or
 * delivery. Times are ISO 8601 in UTC. `…_local` times are in the prompt's zone; in UTC if it left
 * the config. Null: none.
 */
export interface PromptStatus {
  name: string
  /**
   * False if only the ledger has the prompt. A daemon that starts with the present config, or
   * reloads it, ends its open runs.
   */
  configured: boolean
  cron: string | null
  timezone: string | null
  next: string | null
  next_local: string | null
  /** Run with the latest due time, in any state; null without one. */
  last_run: PromptRunStatus | null
  /**
   * Failed deliveries of its reports, oldest first. `wanted`: retried. `failed`: given up. For a
   * prompt that left the config: only the open deliveries (`wanted`), tried or not.
   */
  undelivered: UndeliveredStatus[]
}

export interface PromptRunStatus {
  run: number
  due: string
  due_local: string
  state: RunState
  /** Reason for the skip, the failure or the last deferral; null without one. */
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

/** `view`: undefined if there is no ledger. Then no prompt has run. */
export function promptStatuses(
  view: PromptsView | undefined,
  prompts: readonly Prompt[],
  now_ms: number,
): PromptStatus[] {
  const failing = (view?.undelivered() ?? []).filter(({ state, attempts }) => state === 'failed' || attempts > 0)
  const configured = prompts.map(({ name, schedule: { cron, timezone } }) => {
    const last = view?.runs(name, 1)[0]
    const next_ms = cronTimes(cron, timezone).next(now_ms)
    return {
      name,
      configured: true,
      cron,
      timezone,
      next: next_ms === undefined ? null : isoTime(next_ms),
      next_local: next_ms === undefined ? null : localTime(next_ms, timezone),
      last_run: last ? runStatus(last, timezone) : null,
      undelivered: failing.filter(({ prompt }) => prompt === name).map(undeliveredStatus),
    }
  })
  const names = new Set(prompts.map(({ name }) => name))
  return [...configured, ...(view ? leftBehind(view, names) : [])]
}

/** Prompts that left the config with open runs or deliveries, which users would otherwise miss. */
function leftBehind(view: PromptsView, names: ReadonlySet<string>): PromptStatus[] {
  const waiting = view.undelivered().filter(({ state }) => state === 'wanted')
  return view
    .prompts()
    .filter(({ name }) => !names.has(name))
    .map(({ name, last_run, open_runs }) => ({
      name,
      configured: false,
      cron: null,
      timezone: null,
      next: null,
      next_local: null,
      last_run: last_run && open_runs.length > 0 ? runStatus(last_run, 'UTC') : null,
      undelivered: waiting.filter(({ prompt }) => prompt === name).map(undeliveredStatus),
    }))
    .filter(({ last_run, undelivered }) => last_run !== null || undelivered.length > 0)
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
