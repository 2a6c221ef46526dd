import type { FaultNote } from '../base/run/errors.ts'
import type { Heartbeats } from '../base/run/heartbeat.ts'
import {
  backoff_ms,
  type Clock,
  day_ms,
  minute_ms,
  second_ms,
  zonedText,
} from '../base/time/time.ts'
import type { RunFact } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import type { Judgement } from '../remote/judge-failure.ts'
import { type Call, type Failure, failureText } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { AskingLimits, PromptSettings } from './prompt-settings.ts'

/** Dependencies of every step of a run. */
export interface RunTools {
  ledger: Ledger
  remote: Remote
  circuit: Circuit
  clock: Clock
  report: PromptReport
  heartbeats: Heartbeats
  prompts: ReadonlyMap<string, PromptSettings>
  asking: AskingLimits
  /** Address of the page, without a trailing slash; undefined: messages have no link to it. */
  page_url: string | undefined
  /** Aborts when the run must wait no longer; a running call may end. */
  soft: AbortSignal
  /** Aborts when running calls must be dropped, without facts. */
  hard: AbortSignal
}

/** A temporary fault passes within minutes, or needs an operator, who may be asleep. */
const retry = { first_ms: 5 * second_ms, max_ms: 15 * minute_ms }
/**
 * A fault that lasts a day ends the run as failed. A failed run covers nothing, so its files stay
 * fresh. `min_tries` protects against a clock set forward: a single fault after that ends no run.
 */
const give_up_ms = day_ms
const min_tries = 5

/** Name of a run for users: the prompt, and its due time. */
export function nameOf({ prompt, due_ms }: Pick<RunWork, 'prompt' | 'due_ms'>): string {
  return `${prompt} of ${zonedText(due_ms)}`
}

export function noteOf(failure: Failure): FaultNote {
  const code =
    failure.code || (failure.status === undefined ? failure.about : `http.${failure.status}`)
  return { code, message: failureText(failure) }
}

/** A missing chat or message. A project out of reach also answers 404, with another `about`. */
export function isNotFound({ about, status }: Failure): boolean {
  return about === 'later' && (status === 404 || status === 410)
}

/** Defers a run, which keeps its state. After a day it fails with the reason. */
export function defer(work: RunWork, error: FaultNote, { clock }: RunTools): RunFact {
  return deferred('run_deferred', work, error, clock.now_ms())
}

/** Defers a turn that surely had no effect, at least by the service's `retry_after_ms`. */
export function deferUnsent(work: RunWork, failure: Failure, { clock }: RunTools): RunFact {
  return deferred('turn_unsent', work, noteOf(failure), clock.now_ms(), failure.retry_after_ms)
}

function deferred(
  type: 'run_deferred' | 'turn_unsent',
  { run, began_ms, attempts }: RunWork,
  error: FaultNote,
  now_ms: number,
  min_wait_ms = 0,
): RunFact {
  if (attempts >= min_tries && now_ms - began_ms > give_up_ms) {
    const message = `given up after a day of tries: ${error.message}`
    return { type: 'run_failed', run, error: { code: error.code, message } }
  }
  return {
    type,
    run,
    not_before_ms: now_ms + Math.max(min_wait_ms, backoff_ms(attempts, retry)),
    error,
  }
}

/** Facts after a failed read: none if the service is at fault or Sluice stops. */
export async function afterFailure(
  failure: Failure,
  work: RunWork,
  tools: RunTools,
): Promise<RunFact[]> {
  if (tools.hard.aborted) return []
  const { fact } = await tools.circuit.failed(failure, work.project_id)
  if (fact === 'untried') return []
  const { code, message } = noteOf(failure)
  if (fact !== 'refused') return [defer(work, { code, message }, tools)]
  const why = `${message}; its files stay fresh for the next run`
  return [{ type: 'run_failed', run: work.run, error: { code, message: why } }]
}

/** State of the service that concerns all runs. The whole daemon shares one. */
interface Circuit {
  /** Calls allowed now: 0 with an open circuit, 1 for a probe whose end must be reported. */
  allowance(
    hosts: readonly ['api'],
    feature: 'questions',
  ): { limit: number; wait_ms: number; except_projects: string[] }
  /** `untried`: the service, the token or the project is at fault, and the run keeps its state. */
  failed(failure: Failure, project_id: string): Promise<Judgement>
  succeeded(call: Call, project_id: string): Promise<void>
  /** Gives the probe back: no call to the service was made. */
  unused(): void
}

/** Events for users; `run` names prompt and due time. Nothing depends on these reports. */
export interface PromptReport {
  asked(run: string): void
  answered(run: string): void
  written(run: string, path: string): void
  skipped(reason: string, run: string): void
  /** The operator must act. */
  failed(reason: string, run: string): void
  delivered(run: string, target: string): void
  /** Deferred; Sluice retries it. */
  later(reason: string, run: string): void
  fault(where: string, error: unknown): void
}
