import type { FaultNote } from '../base/run/errors.ts'
import type { SourceRead } from './source-read.ts'

/**
 * State of one run of a prompt, which asks one turn or several and ends as a report on disk.
 * (prompt, due_ms) is UNIQUE, so no due time gets a second run.
 *
 * - `due`: the reporter waits until the folders are scanned and their contents are final.
 * - `planned`: the ledger has the questions and their assets. The next turn is not sent yet.
 * - `asking`: the reporter is about to send the turn, or sent it and does not know the answer (a
 *   crash, a timeout). It searches the service for the turn, and never sends it again blindly.
 * - `asked`: the service has the turn (`chat_id`, `message_id`) and is answering.
 * - `answered`: every turn has its answer; the report is to be written.
 * - `written`: the report exists. Only this covers assets: they are not fresh any more. It leaves
 *   what the service did not read, and all if the answer was empty (prompts/plan/covered.ts).
 * - `skipped`: nothing was asked, and nothing will be (`why`). It covers nothing.
 * - `failed`: a user must act (`error`). It covers nothing: its assets are fresh for the next run.
 */
export type RunState =
  | 'due'
  | 'planned'
  | 'asking'
  | 'asked'
  | 'answered'
  | 'written'
  | 'skipped'
  | 'failed'

const state_texts: Record<RunState, string> = {
  due: 'waiting for files',
  planned: 'about to ask',
  asking: 'asking',
  asked: 'waiting for the answer',
  answered: 'writing the report',
  written: 'written',
  skipped: 'skipped',
  failed: 'failed',
}

/** The state in words for users. `empty`: a written run got no answer worth the name. */
export function stateText(state: RunState, empty?: string | null): string {
  return typeof empty === 'string' ? 'empty' : state_texts[state]
}

/** `schedule` is on time, `catch_up` makes up a missed time, `user` was requested by hand. */
export type RunCause = 'schedule' | 'catch_up' | 'user'

export function isFinal(state: RunState): boolean {
  return state === 'written' || state === 'skipped' || state === 'failed'
}

/** One asset that a run covers, as it was when the run was planned. */
export interface RunAsset {
  content: number
  asset_id: string
  md5: string
  size: number
  /** Folder and path of one of its files that the prompt's scope matches: `finance/2026/a.pdf`. */
  name: string
  /** Number of its arrival; 0 if it is covered for another reason than its arrival. */
  seq: number
  arrived_ms: number
  /** Index of the turn whose scope holds it. */
  turn: number
  /** Written runs of the prompt that asked about it and got nothing from it. */
  times_unread: number
}

/** A refused content, which each prompt reports once. */
export interface RunRefusal {
  content: number
  md5: string
  size: number
  name: string
  why: string
}

export interface RunTurn {
  /** Exact request body (JSON): as planned, and from `intended_ms` on as sent. */
  body: string
  intended_ms: number | undefined
  chat_id: string | undefined
  /** Id of its message. Before the turn is asked: of its lost message (`turn_lost`), if any. */
  message_id: string | undefined
  asked_ms: number | undefined
  answer: string | undefined
  answered_ms: number | undefined
  /** What the service read for it; absent if it does not say it. */
  sources?: readonly SourceRead[] | undefined
  /** Calls of a model, as the service counts them. */
  calls?: number | undefined
  /** True if its chat was removed from the service once the run had its answers. */
  chat_removed?: true | undefined
  /** How often it was sent again: it was not found, or the service ended it with an error. */
  asked_again: number
}

/** What happened to one path: it held `was` before, and holds `content` since. */
export interface Change {
  folder: string
  path: string
  /** Content that it held before; absent if it held none. */
  was?: number | undefined
  /** Absent: the file is gone. */
  content?: number | undefined
  /** True if a file is at this path now, whatever its bytes. */
  is_there?: boolean
  /** True if `content` is ready and not new to the prompt: no question will be about it. */
  is_known?: boolean | undefined
}

/** Plan of a run, fixed before anything is sent. */
export interface RunPlan {
  /** Request bodies, one per turn; at least one. */
  bodies: readonly string[]
  /** Chat that the only or closing turn continues; absent for a new one. */
  chat_id?: string | undefined
  assets: readonly RunAsset[]
  refusals: readonly RunRefusal[]
  /** Completeness that the report states (prompts/plan/coverage.ts), as JSON. */
  coverage: string
  /** Deviations from the configuration: an id dropped, a shorter list. */
  notes?: readonly string[]
  /** The newest change in its folders that the report names; absent: none. */
  changes_to?: number | undefined
  /** Changed files whose new version is still to come: a later report names them. */
  changed?: readonly Change[]
}

export interface PromptFact {
  name: string
  project_id: string
  /** Cron expression and time zone. After a change, times of the old schedule are not made up. */
  schedule: string
  first_run: 'from_now' | 'all'
  /** Names of the folders in its scope. */
  folders: readonly string[]
}

/** Facts about runs, recorded by the scheduler and the reporter. `run` is the ledger's id. */
export type RunFact =
  /** All configured prompts. Others are kept but inactive. A prompt that is new here begins now. */
  | { type: 'prompts_configured'; prompts: readonly PromptFact[] }
  /** A rebuilt ledger learns from the manifests beside the reports what the prompt has covered. */
  | {
      type: 'covered_restored'
      prompt: string
      run_due_ms: number
      /** Unix ms when the prompt began. */
      began_ms: number
      covered: readonly { md5: string; size: number }[]
      /** Why that run was empty; absent if it was not. */
      empty?: string | undefined
    }
  /**
   * Creates the run, unless this due time has one. Due times up to `due_ms` then count as done
   * (`checked_ms`), unless the cause is `user`.
   */
  | { type: 'run_due'; prompt: string; due_ms: number; cause: RunCause }
  /** A missed due time: its run is recorded as skipped (`why`). Moves `checked_ms` like run_due. */
  | { type: 'run_passed_over'; prompt: string; due_ms: number; why: string }
  /** The clock went back by more than a day. Due times count from `checked_ms` (then now) on. */
  | { type: 'schedule_reset'; prompt: string; checked_ms: number }
  | { type: 'run_skipped'; run: number; why: string }
  /** It also replaces an earlier plan if none of its turns was answered. */
  | { type: 'run_planned'; run: number; plan: RunPlan }
  /** `body` is recorded before it is sent. */
  | { type: 'turn_intended'; run: number; body: string }
  /** The request surely did not reach the service, or was refused: the turn is planned again. */
  | { type: 'turn_unsent'; run: number; not_before_ms: number; error: FaultNote }
  /** Not found, or ended by the service with an error: planned again, with a note. */
  | { type: 'turn_lost'; run: number; why: string }
  /** `note`: no direct answer confirmed it; it was found on the service. */
  | { type: 'turn_asked'; run: number; chat_id: string; message_id: string; note?: string }
  /**
   * The last turn's answer makes the run `answered`, any other one `planned` for the next turn.
   * `note`: the service did not say that the answer is complete. `sources`, `calls`: as in RunTurn.
   */
  | ({ type: 'turn_answered'; run: number; answer: string; note?: string } & Pick<
      RunTurn,
      'sources' | 'calls'
    >)
  /**
   * `left`: asset ids of the files that it does not cover. `empty`: why its answer is no report.
   * Then the last-run mark does not move. `removed_chats`: those of its parts that the service does
   * not have any more.
   */
  | {
      type: 'run_written'
      run: number
      report_path: string
      targets: readonly string[]
      left?: readonly string[]
      empty?: string
      removed_chats?: readonly string[]
    }
  | { type: 'run_failed'; run: number; error: FaultNote }
  /** A temporary fault of the machine or the service; the state stays. */
  | { type: 'run_deferred'; run: number; not_before_ms: number; error: FaultNote }
