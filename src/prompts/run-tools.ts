import type { Pulses } from '../base/run/pulse.ts'
import { backoff_ms, type Clock, day_ms, isoTime, minute_ms, second_ms } from '../base/time/time.ts'
import type { FaultNote } from '../domain/fact.ts'
import type { RunFact } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import { type Failure, failureText } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { AskingLimits, PromptSettings } from './prompt-settings.ts'

/** What every step of a run is handed. */
export interface RunTools {
  ledger: Ledger
  remote: Remote
  circuit: Circuit
  clock: Clock
  report: PromptReport
  pulses: Pulses
  prompts: ReadonlyMap<string, PromptSettings>
  asking: AskingLimits
  /** Wait for nothing any more; what is under way may end. */
  soft: AbortSignal
  /** Drop what is under way, and record nothing for it. */
  hard: AbortSignal
}

/** A fault that passes (a full disk, a service that is down) passes within minutes or needs a person, who may be asleep. */
const retry = { first_ms: 5 * second_ms, most_ms: 15 * minute_ms }
/**
 * What is still not right after a day is told as a failure; the run tells nothing then, so its files stay fresh. The number of
 * tries beside it is for a clock that was set forward: a single fault after it ends no run.
 */
const give_up_ms = day_ms
const tries_least = 5

/** A run as people know it: `weekly-digest of 2026-11-23T07:00:00.000Z`. */
export function nameOf({ prompt, due_ms }: Pick<RunWork, 'prompt' | 'due_ms'>): string {
  return `${prompt} of ${isoTime(due_ms)}`
}

export function noteOf(failure: Failure): FaultNote {
  const code = failure.code || (failure.status === undefined ? failure.about : `http.${failure.status}`)
  return { code, message: failureText(failure) }
}

/** A chat or a message that is not there (yet); a project out of reach, which is answered with 404 as well, is another matter. */
export function isNotFound({ about, status }: Failure): boolean {
  return about === 'later' && (status === 404 || status === 410)
}

/** The run keeps its state and is tried again later; after a day it fails with the reason. */
export function setBack({ run, began_ms, attempts }: RunWork, error: FaultNote, { clock }: RunTools): RunFact {
  const now_ms = clock.now_ms()
  if (isTooLate(began_ms, attempts, now_ms)) return givenUp(run, error)
  return { type: 'run_set_back', run, not_before_ms: now_ms + backoff_ms(attempts, retry), error }
}

/** The same for a turn that surely made nothing; `retry_after_ms`: what the service asked for, at the least. */
export function setBackUnsent(work: RunWork, failure: Failure, { clock }: RunTools): RunFact {
  const { run, began_ms, attempts } = work
  const now_ms = clock.now_ms()
  const error = noteOf(failure)
  if (isTooLate(began_ms, attempts, now_ms)) return givenUp(run, error)
  const wait_ms = Math.max(failure.retry_after_ms ?? 0, backoff_ms(attempts, retry))
  return { type: 'turn_unsent', run, not_before_ms: now_ms + wait_ms, error }
}

/** A call that only reads failed: nothing where the service is at fault, which rests then; else the run is set back. */
export async function afterFailure(failure: Failure, work: RunWork, tools: RunTools): Promise<RunFact[]> {
  if (tools.hard.aborted) return []
  if ((await tools.circuit.failed(failure, work.project_id, 'api')) === 'hold') return []
  return [setBack(work, noteOf(failure), tools)]
}

function isTooLate(began_ms: number, attempts: number, now_ms: number): boolean {
  return attempts >= tries_least && now_ms - began_ms > give_up_ms
}

function givenUp(run: number, { code, message }: FaultNote): RunFact {
  return { type: 'run_failed', run, error: { code, message: `given up after a day of tries: ${message}` } }
}

/** What is wrong with the service beyond any one run, as far as a run must know it. One for the whole daemon. */
interface Circuit {
  /** How many calls may be begun now: 0 while everything rests, 1 as a probe whose end must be told. */
  allowance(hosts: readonly ['api']): { limit: number; wait_ms: number; except_projects: string[] }
  /** `hold`: the service, the account or the project is at fault, and the run keeps its state. */
  failed(failure: Failure, project_id: string, host: 'api'): Promise<'hold' | 'count'>
  succeeded(project_id: string, host: 'api'): Promise<void>
  /** The probe found nothing to ask. */
  unused(): void
}

/** What prompts tell people as it happens; `run` names the prompt and the due time. Nothing is decided by it. */
export interface PromptReport {
  asked(run: string): void
  answered(run: string): void
  written(run: string, path: string): void
  skipped(reason: string, run: string): void
  /** A person must look. */
  failed(reason: string, run: string): void
  delivered(run: string, target: string): void
  /** Set back, to be tried again by itself. */
  later(reason: string, run: string): void
  fault(where: string, error: unknown): void
}
