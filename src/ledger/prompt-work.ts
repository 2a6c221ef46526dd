import type { Alert } from '../domain/delivery.ts'
import type { RunAsset, RunCause, RunRefusal, RunState, RunTurn } from '../domain/run.ts'
import type { Claimed } from './claims/claimed.ts'

/** What the ledger answers to those who run prompts; a part of Ledger. */
export interface PromptLedger {
  prompts(): Promise<PromptState[]>
  /** Runs of configured prompts that are neither final nor put off; of each prompt the one that was made first alone. */
  claimRuns(limit: number, options: { except_projects: readonly string[] }): Promise<Claimed<RunWork>>
  /** Alerts come first. While deliveries are paused, they come alone. */
  claimDeliveries(limit: number, options?: { only_alerts: boolean }): Promise<Claimed<DeliveryWork>>
  /**
   * What a prompt may be told: (arrival, present path) pairs of ready contents in these folders, in the order of (seq, path). A
   * page may hold fewer than `limit`, or none, and still have a next: only so many arrivals are read at a time.
   */
  arrivals(query: ArrivalQuery): Promise<ArrivalPage>
  /** Files in these folders that are not ready and not left out: on the way, refused, blocked or removed on the service. */
  unready(query: UnreadyQuery): Promise<UnreadyPage>
}

export interface PromptState {
  name: string
  project_id: string
  configured: boolean
  /** First configured. */
  began_ms: number
  /** Arrivals up to here were there before the prompt began (0 with first_run: all). */
  began_seq: number
  /** Due times up to here have their run, or were passed over. */
  checked_ms: number
  /** Due time of the newest written run: the last-run mark. Never moved by a skip or a failure. */
  last_written_due_ms: number | undefined
  /** The chat of the newest run of which a turn was asked. */
  chat_id: string | undefined
  /** Runs that are not final, oldest first. */
  open_runs: { run: number; due_ms: number; state: RunState }[]
  /** True while this ledger knows of no run of the prompt: manifests beside the reports may know what it was told. */
  is_new: boolean
}

export interface RunWork {
  run: number
  prompt: string
  project_id: string
  due_ms: number
  cause: RunCause
  state: Extract<RunState, 'due' | 'planned' | 'asking' | 'asked' | 'answered'>
  /** When the run came to be, wall clock. */
  began_ms: number
  /** When its prompt did, in whatever ledger. */
  prompt_began_ms: number
  attempts: number
  /** What went otherwise than planned, for the report: a turn sent again, an id dropped. */
  notes: string[]
  coverage: string | undefined
  /** Which turn is at work, from 0; turns[turn]. */
  turn: number
  turns: RunTurn[]
  assets: RunAsset[]
  refusals: RunRefusal[]
  /** The prompt's last-run mark when the run began. */
  last_written_due_ms: number | undefined
  /** The chat that the first turn goes on with. */
  chat_id: string | undefined
}

export type DeliveryWork = ReportToDeliver | AlertToDeliver

interface ToDeliver {
  target: string
  attempts: number
  /** When it was first wanted. */
  wanted_ms: number
}

export interface ReportToDeliver extends ToDeliver {
  run: number
  alert?: undefined
  report_path: string
  /** The run as its report was made from it: `answered`. */
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
  /** Leave out what arrived before the prompt began, and what it was told. */
  only_fresh: boolean
  /** Leave out what was there before its folder was kept, and not put there since the prompt began. */
  only_come: boolean
  /** Arrived at this time or later; absent: any. */
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
  /** By a written run of the prompt. */
  told: boolean
}

export interface ArrivalPage {
  arrivals: Arrival[]
  /** Where the next page begins; absent at the end. */
  next?: { seq: number; path: string }
}

export interface UnreadyQuery {
  prompt: string
  folders: readonly string[]
  /** As of arrivals. */
  only_come: boolean
  after?: { folder: string; path: string } | undefined
  limit: number
}

export interface UnreadyFile {
  folder: string
  path: string
  /**
   * `moving`: not settled yet, or waiting for its next look. `on_the_way`: its content is being sent or read. `blocked`: set
   * aside, a person or time must help. `refused`, `removed`: its content is.
   */
  stage: 'moving' | 'on_the_way' | 'blocked' | 'refused' | 'removed'
  /** With a content. */
  content: number | undefined
  md5: string | undefined
  size: number
  seen_ms: number
  why: string | undefined
  /** Refused, and this prompt was told so. */
  told: boolean
}

export interface UnreadyPage {
  files: UnreadyFile[]
  next?: { folder: string; path: string }
}
