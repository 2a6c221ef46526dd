import type { ContentState } from '../domain/content.ts'
import type { DeliveryKey } from '../domain/delivery.ts'
import type { Disappearance } from '../domain/disappearance.ts'
import type { Fact, FolderWatch } from '../domain/fact.ts'
import type { FileStat, KnownFile } from '../domain/file.ts'
import type { RemovalLimits } from '../domain/removal.ts'
import type { Ticket } from '../domain/ticket.ts'
import type { Claimed } from './claims/claimed.ts'
import type { PromptLedger } from './prompt-work.ts'
import type { AuditLedger } from './rows/audit-rows.ts'

export type { Claimed } from './claims/claimed.ts'

/**
 * The spine: workers record facts and ask for work; nothing else passes between them. Every verb is
 * coarse and bounded, and all but `release` are asynchronous. A claim hides its item from further
 * claims until the worker releases it, which it does in `finally`: no fact and no time ends a
 * claim. Errors: `database.*` (full, damaged, …); what was recorded before stays.
 */
export interface Ledger extends PromptLedger, AuditLedger {
  /** One transaction: all of the facts or none, durable when it resolves; then the workers that now have work are woken. */
  record(facts: readonly Fact[]): Promise<void>

  folders(): Promise<FolderState[]>
  /** Undefined for one that is not configured. */
  folder(name: string): Promise<FolderState | undefined>
  /** What is known of these paths, in the same order; undefined for one that was never seen. */
  filesAt(folder: string, paths: readonly string[]): Promise<(KnownFile | undefined)[]>
  /** Compares one stretch of a walk with the rows of the same stretch. */
  differences(stretch: Stretch): Promise<Differences>
  /** True when a file with this inode, size and mtime was left out by the folder's `start`: it moved, and stays left out. */
  wasBeforeStart(folder: string, stat: FileStat): Promise<boolean>

  /** Claims at most so many of each folder and size; without a choice, of all. */
  claimToLook(limit: number, choice?: LookChoice): Promise<Claimed<LookWork>>
  /**
   * `large`: at most so many whose bytes are to go, and that have more of them; for those there are
   * others in their place. `is_probe`: what has been due for longest, so that a content which is
   * itself at fault is not the only probe.
   */
  claimToSend(
    limit: number,
    options: { except_projects: readonly string[]; large?: LargeLimit; is_probe?: boolean },
  ): Promise<Claimed<SendWork>>
  claimToFollow(limit: number, options: { except_projects: readonly string[] }): Promise<Claimed<FollowWork>>
  claimToLabel(limit: number, options: { except_projects: readonly string[] }): Promise<Claimed<LabelWork>>
  /** What is handed out is `removing`: the intent to remove it on the service stands from then on. */
  claimToRemove(limit: number, options: { except_projects: readonly string[] }): Promise<Claimed<RemoveWork>>
  /**
   * Ends these claims. The items can be claimed again as the ledger has them; their workers are
   * woken.
   */
  release(...claims: Release): void

  /**
   * What becomes due within the horizon without any help, counted up to 1,000 of each kind. Files that are set aside (`blocked`)
   * count only when they are due now: their looks may go on for ever.
   */
  pending(horizon_ms: number): Promise<Pending>
  /** True when something becomes due within the horizon in a project that is not among these. */
  dueElsewhere(except_projects: readonly string[], horizon_ms: number): Promise<boolean>
  /** From now on these hold; what was handed out under others goes on. */
  setLimits(limits: LedgerLimits): Promise<void>
  /** Trims history and old tombstones, and erases tickets nobody needs; a bounded piece at a time. */
  tidy(): Promise<void>

  /**
   * Called after a commit with the kinds of work that it may have made, and after a release with
   * the kind that is free again. A wake is a flag: asking remains the truth.
   */
  onWork(listener: WorkListener): () => void
  close(): Promise<void>
}

export type Release =
  | [work: 'look', looks: readonly LookWork[]]
  | [work: 'send' | 'follow' | 'label' | 'remove', contents: readonly number[]]
  | [work: 'run', runs: readonly number[]]
  | [work: 'delivery', deliveries: readonly DeliveryKey[]]

export type WorkListener = (kinds: ReadonlySet<WorkKind>, why: 'recorded' | 'released') => void

/**
 * `scan`: a folder is to be looked at as a whole; `prompt`: the prompts, or what is known of their due times, changed; `audit`: a
 * person wants a round now.
 */
export type WorkKind =
  | 'look'
  | 'send'
  | 'follow'
  | 'label'
  | 'remove'
  | 'scan'
  | 'audit'
  | 'prompt'
  | 'run'
  | 'delivery'

export interface FolderState {
  name: string
  root: string
  project_id: string
  online: boolean
  offline_reason: string | undefined
  state_since_ms: number
  /** When it was last found to be there, or away, since this ledger was opened: what an earlier process found may be over. */
  judged_ms: number | undefined
  /** st_dev of the root when it was last online. */
  device: bigint | undefined
  /** Of the root, likewise; undefined: not known. */
  identity: string | undefined
  started_ms: number
  /** It has another path since the last complete look: what was known lies elsewhere. */
  is_moved: boolean
  first_scan_ms: number | undefined
  /** Of the last complete look. */
  scan_began_ms: number | undefined
  scan_ended_ms: number | undefined
  /** Somebody needs a complete look that begins at this time or later. */
  scan_wanted_ms: number | undefined
  /** What a person was last asked about, and whether they said that it is right; undefined after a whole scan. */
  disappearance: Disappearance | undefined
  /** Files that are here as far as we know: seen, present, skipped, blocked. */
  known_files: number
  /** By the last complete look, ignored ones left out. */
  counted: { files: number; directories: number } | undefined
  /** What it is watched by. `deaf`: its watcher was given up then. */
  watch: (FolderWatch & { deaf: { since_ms: number; reason: string } | undefined }) | undefined
}

export interface Stretch {
  folder: string
  /** The stretch is `after_path` (exclusive) to `through_path` (inclusive); undefined means from the start, to the end. */
  after_path: string | undefined
  through_path: string | undefined
  /**
   * The walker's batch: UTF-8 paths one after the other, where each ends, and size, mtime_ns, ctime_ns, inode of each. An inode of 0
   * says that the filesystem keeps none: then it is not compared.
   */
  names: Uint8Array
  ends: Uint32Array
  stats: BigInt64Array
  /**
   * Of all that stands in `names` and `stats`: where the last walk brought the same through the same stretch, nothing differed, and
   * no row was written since, nothing is read. Absent: it is compared row by row.
   */
  digest?: string | undefined
}

export interface Differences {
  /** Indices into the batch: new paths, and known ones whose stat differs. */
  changed: Uint32Array
  /** Those of `changed` that nobody knows: without a row, or gone. */
  unknown: Uint32Array
  /** Paths with a row of a file that should be here and that the walker did not meet; at most `most_missing`. */
  missing: string[]
  missing_total: number
}

/** Beyond this many the paths of missing files are counted, not listed; the next scan names the rest. */
export const most_missing = 100_000

/** Of the sizes that were seen last; large ones have `large_bytes` and more. */
export interface LookChoice {
  except_folders: readonly string[]
  sizes: readonly ('small' | 'large')[]
}

export interface LargeLimit {
  over_bytes: number
  most: number
}

export interface LookWork {
  folder: string
  path: string
}

/** One path that holds the wanted bytes. */
export interface SourcePath {
  folder: string
  root: string
  path: string
  stat: FileStat
}

export interface SendWork {
  content: number
  project_id: string
  md5: string
  size: number
  state: Extract<ContentState, 'wanted' | 'reserving' | 'reserved' | 'sent'>
  asset_id: string | undefined
  without_md5: boolean
  attempts: number
  failing_since_ms: number | undefined
  slot_failures: number
  /** Kept from an earlier try that did not end; absent when there is none. */
  ticket: Ticket | undefined
  /** Present paths with these bytes, at most `most_sources`; never empty before the bytes are in. */
  sources: SourcePath[]
}

/** How many paths are tried before the content is set back: enough for a locked copy or two. */
export const most_sources = 4

export interface FollowWork {
  content: number
  project_id: string
  asset_id: string
  /** For people: folder and path of one of its files. */
  name: string
  size: number
  made_here: boolean
  attempts: number
  following_since_ms: number
  /** Times the asset of this content vanished while it was being read. */
  vanished: number
  error_code: string | undefined
}

export interface LabelWork {
  content: number
  project_id: string
  asset_id: string
  name: string
  /** The union over the present paths; what people attached themselves is in no list. */
  wanted: string[]
  attached: { name: string; label_id: string }[]
  /**
   * Labels whose attach or detach began and has no recorded answer: the asset may carry them or
   * not.
   */
  in_doubt: string[]
}

/** An asset that no path holds and that its folders' policy lets go. */
export interface RemoveWork {
  content: number
  project_id: string
  asset_id: string
  /** For people: folder and path of one of the files that held it. */
  name: string
  attempts: number
  /** False after a crash or a failure: the service may have been asked already. */
  is_fresh: boolean
  /** What was meant is meant no more, or not for sure: it is asked whether it still is there, and not removed. */
  is_doubted: boolean
}

export interface Pending {
  look: number
  send: number
  follow: number
  label: number
  /** Due now: what has to wait for something may wait for long. */
  remove: number
  /** Earliest `not_before_ms` of the four; undefined when nothing is pending. */
  next_due_ms: number | undefined
}

/** What the config says about when a wanted content may go. */
export interface LedgerLimits {
  brake: { files: number; bytes: number; per_ms: number } | undefined
  max_bytes_per_day: number | undefined
  min_resend_ms: number
  /** What is claimed to be sent first: what was changed last; else what was wanted first. */
  newest_first: boolean
  history_days: number
  max_history_rows: number
  /** More than this is not removed on the service without a person. */
  removal: RemovalLimits
}
