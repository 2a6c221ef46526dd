import { cronTimes } from '../base/time/cron.ts'
import { isoTime, isoTimeOrNull, localTime } from '../base/time/time.ts'
import { type Receiver, receiverNamed } from '../domain/delivery.ts'
import type { DeliveryView, PromptsView, RunSummary } from '../ledger/views/view-prompts.ts'

export interface ConfiguredPrompt {
  readonly name: string
  readonly schedule: { readonly cron: string; readonly timezone: string }
  readonly deliver: readonly Receiver[]
}

/**
 * The prompts of the config, then those that left it with open runs or deliveries, which users
 * would otherwise miss. `view`: undefined if there is no ledger. Then no prompt has run.
 */
export function promptStatuses(
  view: PromptsView | undefined,
  prompts: readonly ConfiguredPrompt[],
  now_ms: number,
): PromptStatus[] {
  const undelivered = view?.undelivered() ?? []
  const failing = undelivered.filter(({ state, attempts }) => state === 'failed' || attempts > 0)
  const configured = prompts.map((prompt) =>
    promptStatus(
      prompt.name,
      { prompt, last: view?.runs(prompt.name, 1)[0], undelivered: failing },
      now_ms,
    ),
  )
  const names = new Set(prompts.map(({ name }) => name))
  const waiting = undelivered.filter(({ state }) => state === 'wanted')
  const left = (view?.prompts() ?? [])
    .filter(({ name }) => !names.has(name))
    .map(({ name, last_run, open_runs }) => {
      const last = open_runs.length > 0 ? last_run : undefined
      return promptStatus(name, { prompt: undefined, last, undelivered: waiting }, now_ms)
    })
    .filter(({ last_run, undelivered }) => last_run !== null || undelivered.length > 0)
  return [...configured, ...left]
}

/** The status of a prompt as JSON; see `promptStatus`. */
export type PromptStatus = ReturnType<typeof promptStatus>
export type PromptRunStatus = ReturnType<typeof runStatus>
export type UndeliveredStatus = ReturnType<typeof undeliveredStatus>

/**
 * Times are ISO 8601 in UTC. `…_local` times are in the prompt's zone; in UTC if it left the
 * config. Null: none.
 */
function promptStatus(
  name: string,
  known: {
    prompt: ConfiguredPrompt | undefined
    last: RunSummary | undefined
    undelivered: readonly DeliveryView[]
  },
  now_ms: number,
) {
  const { schedule, deliver = [] } = known.prompt ?? {}
  const { cron = null, timezone = null } = schedule ?? {}
  const next_ms = schedule && cronTimes(schedule.cron, schedule.timezone).next(now_ms)
  const zone = timezone ?? 'UTC'
  return {
    name,
    /**
     * False if only the ledger has the prompt. A daemon that starts with the present config, or
     * reloads it, ends its open runs.
     */
    configured: known.prompt !== undefined,
    cron,
    timezone,
    next: isoTimeOrNull(next_ms),
    next_local: next_ms === undefined ? null : localTime(next_ms, zone),
    /** Run with the latest due time, in any state; null without one. */
    last_run: known.last ? runStatus(known.last, zone) : null,
    /**
     * Failed deliveries of its reports, oldest first. `wanted`: retried. `failed`: given up. For a
     * prompt that left the config: only the open deliveries (`wanted`), tried or not.
     */
    undelivered: known.undelivered
      .filter(({ prompt }) => prompt === name)
      .map((delivery) => undeliveredStatus(delivery, deliver)),
  }
}

function runStatus(run: RunSummary, timezone: string) {
  const { due_ms, state, why, empty, error, ended_ms, assets, files, report_path } = run
  return {
    run: run.run,
    due: isoTime(due_ms),
    due_local: localTime(due_ms, timezone),
    state,
    /** Reason for the skip, the failure, the empty answer or the last deferral; or null. */
    why: why ?? empty ?? error?.message ?? null,
    /** Why the answer of a written run is no report; null for an ordinary one. */
    empty: empty ?? null,
    ended: isoTimeOrNull(ended_ms),
    assets,
    files,
    report: report_path ?? null,
  }
}

function undeliveredStatus(delivery: DeliveryView, receivers: readonly Receiver[]) {
  const { run, target, state, attempts, wanted_ms, not_before_ms, error } = delivery
  return {
    run,
    target,
    /** The same for people, such as `mail to team@example.org`. */
    receiver: receiverNamed(target, receivers),
    state: state === 'failed' ? ('failed' as const) : ('wanted' as const),
    attempts,
    since: isoTime(wanted_ms),
    next_try: state === 'wanted' ? isoTime(not_before_ms) : null,
    error: error ?? null,
  }
}
