import type { FaultNote } from './fault-note.ts'

/**
 * One run of a prompt: it came due at a time, is asked in one turn or several, and ends as a report on disk. UNIQUE (prompt,
 * due_ms), so that nothing makes a second run of the same time.
 *
 * - `due`: its time has come. The reporter waits until the folders have been looked at and what they hold is final.
 * - `planned`: what is asked, over which assets, stands in the ledger; the next turn has not gone out.
 * - `asking`: we are about to send the turn, or sent it and do not know the answer (a crash, a time-out). It is looked for on
 *   the service, never sent again blindly.
 * - `asked`: the service has the turn (`chat_id`, `message_id`) and is answering.
 * - `answered`: every turn has its answer; the report is to be written.
 * - `written`: the report lies under its name. Only this tells: from here on its assets are not fresh for the prompt any more.
 * - `skipped`: nothing was asked, and nothing will be (`why`). Tells nothing.
 * - `failed`: a person must look (`error`). Tells nothing: its assets are fresh for the next run.
 */
export type RunState = 'due' | 'planned' | 'asking' | 'asked' | 'answered' | 'written' | 'skipped' | 'failed'

/** `schedule`: on time. `catch_up`: its time was missed and is made up. `person`: asked for by hand. */
export type RunCause = 'schedule' | 'catch_up' | 'person'

export function isFinal(state: RunState): boolean {
  return state === 'written' || state === 'skipped' || state === 'failed'
}

/** One asset that a run tells about, as it was when the run was planned. */
export interface RunAsset {
  content: number
  asset_id: string
  md5: string
  size: number
  /** Folder and path of one of its files that the prompt's scope matches: `finance/2026/a.pdf`. */
  name: string
  /** The order in which it arrived; 0 where it is told for another reason than its arrival. */
  seq: number
  arrived_ms: number
  /** The turn, from 0, whose scope holds it. */
  turn: number
}

/** A content that is told as refused, once per prompt. */
export interface RunRefusal {
  content: number
  md5: string
  size: number
  name: string
  why: string
}

/** One question and its answer. */
export interface RunTurn {
  /** The exact request body (JSON): from its intent on what was sent, before that what is going to be. */
  body: string
  intended_ms: number | undefined
  chat_id: string | undefined
  /** While the turn is not asked: of the message that was lost (`turn_lost`), where there is one. */
  message_id: string | undefined
  asked_ms: number | undefined
  answer: string | undefined
  answered_ms: number | undefined
  /** How often the turn was sent again because it was found nowhere, or because the service ended it with an error. */
  asked_again: number
}

/** What is fixed before anything goes out. */
export interface RunPlan {
  /** Request bodies, one a turn; at least one. */
  bodies: readonly string[]
  /** The chat that the first turn goes on with; absent: a new one. */
  chat_id?: string | undefined
  assets: readonly RunAsset[]
  refusals: readonly RunRefusal[]
  /** What the report says about how complete it is (prompts/plan/coverage.ts), as JSON. */
  coverage: string
  /** What is asked otherwise than the config says: an id dropped, a shorter list. */
  notes?: readonly string[]
}

/** A prompt as the ledger must know it. */
export interface PromptFact {
  name: string
  project_id: string
  /** Cron expression and time zone; when it changes, times of the old schedule are not made up. */
  schedule: string
  first_run: 'from_now' | 'all'
}

/** Told about runs by the scheduler and the reporter. `run` is the ledger's id. */
export type RunFact =
  /** All of the config: prompts that are not named are kept and rest. A prompt seen for the first time begins now. */
  | { type: 'prompts_configured'; prompts: readonly PromptFact[] }
  /** A rebuilt ledger learns from the manifests beside the reports what the prompt was told. */
  | {
      type: 'told_restored'
      prompt: string
      run_due_ms: number
      /** Since when the prompt was asked. */
      began_ms: number
      told: readonly { md5: string; size: number }[]
    }
  /** Nothing where the prompt has a run of this time. Moves the prompt's `checked_ms` to due_ms. `by_hand` runs do not. */
  | { type: 'run_due'; prompt: string; due_ms: number; cause: RunCause }
  /** A time that is not run at all: `why` stands in the history. Moves `checked_ms` like run_due. */
  | { type: 'run_passed_over'; prompt: string; due_ms: number; why: string }
  /** The clock was set back by far: due times are looked for from this time on. */
  | { type: 'schedule_reset'; prompt: string; checked_ms: number }
  | { type: 'run_skipped'; run: number; why: string }
  /** Also replaces an earlier plan of which nothing was sent. */
  | { type: 'run_planned'; run: number; plan: RunPlan }
  /** `body` is what goes out: it stands in the ledger before. */
  | { type: 'turn_intended'; run: number; body: string }
  /** The request surely did not reach the service, or was turned away: planned again. */
  | { type: 'turn_unsent'; run: number; not_before_ms: number; error: FaultNote }
  /** Found nowhere, or ended by the service with an error: planned again, and noted. */
  | { type: 'turn_lost'; run: number; why: string }
  /** `note`: it was not simply answered, but found. */
  | { type: 'turn_asked'; run: number; chat_id: string; message_id: string; note?: string }
  /** The last turn's answer makes the run `answered`, any other one `planned` for the next turn. */
  | { type: 'turn_answered'; run: number; answer: string }
  | { type: 'run_written'; run: number; report_path: string; targets: readonly string[] }
  | { type: 'run_failed'; run: number; error: FaultNote }
  /** A fault of the machine or the service that passes; the state stays. */
  | { type: 'run_set_back'; run: number; not_before_ms: number; error: FaultNote }
