import type { Alert } from '../domain/delivery.ts'
import type { Reading } from '../domain/reading.ts'
import type { Change, RunAsset, RunCause, RunRefusal, RunState } from '../domain/run.ts'
import type { RunProgress } from '../domain/run-progress.ts'

/** The part of Ledger for prompts and the files that they may cover. */
export interface PromptLedger {
  prompts(): Promise<PromptState[]>
  /**
   * Files that a prompt may cover: pairs (arrival, present path) of ready contents, by (seq, path).
   * A page may have fewer than `limit` files, or none, and still a next page.
   */
  arrivals(query: ArrivalQuery): Promise<ArrivalPage>
  /** Files in these folders that are not ready and not skipped. */
  unready(query: UnreadyQuery): Promise<UnreadyPage>
  /** What happened in these folders since the last report of the prompt, in that order. */
  changes(query: ChangesQuery): Promise<ChangesPage>
}

export interface PromptState {
  name: string
  project_id: string
  configured: boolean
  /** Unix ms when it was first configured with its present project. */
  began_ms: number
  /** Arrivals up to this number are older than the prompt; 0 with `first_run: all`. */
  began_seq: number
  /** Due times up to this one have their run, or were passed over. */
  checked_ms: number
  /** Due time of the newest written run: the last-run mark. No skip and no failure moves it. */
  last_written_due_ms: number | undefined
  /** Chat of the last turn of the newest run that asked it; undefined before the first. */
  chat_id: string | undefined
  /** JSON list of the skills that its newest written run asked with; undefined before the first. */
  last_skills: string | undefined
  /** Runs that are not final, oldest first. */
  open_runs: { run: number; due_ms: number; state: RunState }[]
  /** True without a run in this ledger. Manifests beside the reports may know what it covered. */
  is_new: boolean
}

export interface RunWork
  extends Pick<RunProgress, 'attempts' | 'notes' | 'coverage' | 'turn' | 'turns' | 'empty'> {
  run: number
  prompt: string
  project_id: string
  due_ms: number
  cause: RunCause
  state: Extract<RunState, 'due' | 'planned' | 'asking' | 'asked' | 'answered'>
  /** Unix ms when the run was created. */
  began_ms: number
  /** Unix ms when its prompt began, in this ledger or an earlier one. */
  prompt_began_ms: number
  assets: RunAsset[]
  refusals: RunRefusal[]
  /** The prompt's last-run mark when the run began, Unix ms; undefined without one. */
  last_written_due_ms: number | undefined
  /** Chat that the only or closing turn continues; undefined for a new one. */
  chat_id: string | undefined
  /**
   * The answer of the prompt's last report that is not empty, for a run in state `answered` about
   * files of which no report covers any.
   */
  last_answer: string | undefined
}

export type DeliveryWork = ReportToDeliver | AlertToDeliver

interface ToDeliver {
  target: string
  attempts: number
  /** Unix ms when it was first wanted. */
  wanted_ms: number
}

export interface ReportToDeliver extends ToDeliver {
  run: number
  alert?: undefined
  report_path: string
  /** The run in state `answered`, as its report was made from it. */
  written: RunWork & { written_ms: number }
}

interface AlertToDeliver extends ToDeliver {
  alert: number
  run?: undefined
  raised: RaisedAlert
}

export interface RaisedAlert extends Alert {
  at_ms: number
}

export interface ArrivalQuery {
  prompt: string
  folders: readonly string[]
  /** Leaves out arrivals older than the prompt, and what it has covered. */
  only_fresh: boolean
  /** Leaves out files older than their folder's setup, unless put there since the prompt began. */
  only_come: boolean
  /** Earliest arrival, Unix ms; absent for any. What the last run left comes all the same. */
  since_ms?: number | undefined
  after?: { seq: number; path: string } | undefined
  limit: number
}

export interface Arrival {
  seq: number
  arrived_ms: number
  content: number
  asset_id: string
  md5: string
  size: number
  folder: string
  path: string
  /** True if a written run of the prompt covers it. */
  covered: boolean
  /** As in RunAsset. */
  times_unread: number
  /** How much of it the service could read; undefined if nothing says so. */
  reading?: Reading | undefined
}

export interface ArrivalPage {
  arrivals: Arrival[]
  /** Cursor of the next page; absent at the end. */
  next?: { seq: number; path: string }
}

export interface UnreadyQuery {
  prompt: string
  folders: readonly string[]
  /** As in ArrivalQuery. */
  only_come: boolean
  after?: { folder: string; path: string } | undefined
  limit: number
}

export interface UnreadyFile {
  folder: string
  path: string
  /**
   * `moving`: not settled, or waiting for a check. `on_the_way`: its content is sent or read.
   * `blocked`: a user or time must help. `refused`, `removed`: the state of its content.
   */
  stage: 'moving' | 'on_the_way' | 'blocked' | 'refused' | 'removed'
  /** Ledger id of its content; undefined without one. */
  content: number | undefined
  md5: string | undefined
  size: number
  seen_ms: number
  why: string | undefined
  /** True if it is refused and a report of this prompt names it. */
  covered: boolean
}

export interface UnreadyPage {
  files: UnreadyFile[]
  next?: { folder: string; path: string }
}

export interface ChangesQuery {
  prompt: string
  folders: readonly string[]
  /** As in ArrivalQuery. */
  only_come: boolean
  /** `to` of the page before. */
  after?: number | undefined
  limit: number
}

export interface ChangesPage {
  changes: Change[]
  /** The newest change that was read. */
  to: number
  has_next: boolean
}
