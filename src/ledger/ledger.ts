import type { Ticket } from '../domain/asset.ts'
import type { HeldName } from '../domain/asset-name.ts'
import type { ContentState } from '../domain/content.ts'
import type { DeliveryKey } from '../domain/delivery.ts'
import type { Disappearance } from '../domain/disappearance.ts'
import type { Fact, FolderWatch } from '../domain/fact.ts'
import type { FileStat, KnownFile } from '../domain/file.ts'
import type { AlikeRefusals, Refusal } from '../domain/file-type.ts'
import type { RemovalLimits } from '../domain/removal.ts'
import type { AuditLedger } from './audit-work.ts'
import type { DeliveryWork, PromptLedger, RunWork } from './prompt-work.ts'

/**
 * The only link between workers: they record facts and ask for work. Every call is bounded. A claim
 * hides its item from other claims until the worker releases it, in `finally`. Nothing else ends a
 * claim. Errors: `database.*` (full, damaged, …). Earlier records stay.
 */
export interface Ledger extends PromptLedger, AuditLedger {
  /**
   * All facts or none, in one transaction, durable when it resolves. Then workers are woken. Error
   * `ledger.refused`: a fact has a value of a wrong type. The facts about its thing are not stored,
   * and work on that thing rests. The facts of all other things are stored.
   */
  record(facts: readonly Fact[]): Promise<void>
  /**
   * True while the work on a thing (refused-facts.ts) must stop, because a fact of it was refused.
   * No claim hands out such work, and `audits` leaves it out. Other work begins with this question.
   */
  rests(thing: string): boolean

  folders(): Promise<FolderState[]>
  /** Undefined if it is not configured. */
  folder(name: string): Promise<FolderState | undefined>
  /** Known files at these paths, in the same order; undefined for a path that was never seen. */
  filesAt(folder: string, paths: readonly string[]): Promise<(KnownFile | undefined)[]>
  /** Compares one range of a walk with the rows of the same range. */
  differences(range: PathRange): Promise<Differences>
  /** True if the folder's setting `start` left out this file (inode, size, mtime) at any path. */
  wasBeforeStart(folder: string, stat: FileStat): Promise<boolean>

  /** Claims due checks: `limit` small and `limit` large ones of each folder that is not offline. */
  claimToCheck(limit: number, choice?: CheckChoice): Promise<Claimed<CheckWork>>
  /**
   * `large` limits the number of large contents to upload. With `is_probe`, the upload tests the
   * service with the content due longest, so that one faulty content is not the only probe.
   */
  claimToSend(
    limit: number,
    options: { except_projects: readonly string[]; large?: LargeLimit; is_probe?: boolean },
  ): Promise<Claimed<SendWork>>
  claimToFollow: Claim<FollowWork>
  claimToLabel: Claim<LabelWork>
  /** Nothing while uploads are due. */
  claimToName: Claim<NameWork>
  /** Claimed contents are `removing`: the intent to remove them is recorded. */
  claimToRemove: Claim<RemoveWork>
  /** Claims due runs of configured prompts, of each only the open run that was created first. */
  claimRuns: Claim<RunWork>
  /** Claims due deliveries, alerts first. During a pause it claims only alerts. */
  claimDeliveries(limit: number, options?: { only_alerts: boolean }): Promise<Claimed<DeliveryWork>>
  /** Ends these claims and wakes their worker. The items can be claimed again, as recorded. */
  release(...claims: Release): void

  /**
   * Work that becomes due within the horizon by itself, counted up to 1,000 of each kind (removals:
   * 2,000). Blocked files not due yet, what a pause or the daily limit holds, and labels of a
   * project with a trouble about labels do not count.
   */
  pending(horizon_ms: number): Promise<Pending>
  /** True if any other project has a content to upload, follow or label within the horizon. */
  dueElsewhere(except_projects: readonly string[], horizon_ms: number): Promise<boolean>
  /** The facts from before that `judgeFailure` needs about a content that create refuses. */
  alikeRefusals(content: number, refusal: Refusal): Promise<AlikeRefusals>
  /** These limits apply from now on. Work that is already claimed continues. */
  setLimits(limits: LedgerLimits): Promise<void>
  /** Deletes old rows and unused tickets in small steps. A running process calls it every hour. */
  tidy(): Promise<void>

  /**
   * Calls the listener after each `record` or release, with the kinds of work that may be due. This
   * is only a hint: a worker must still ask for work. The returned function removes the listener.
   */
  onWork(listener: WorkListener): () => void
  close(): Promise<void>
}

/** Claims due work that is not of these projects, at most `limit` items. */
export type Claim<Work> = (
  limit: number,
  options: { except_projects: readonly string[] },
) => Promise<Claimed<Work>>

export interface Claimed<Work> {
  work: Work[]
  /**
   * Due time of the next item, Unix ms; undefined without one. It is the present time if the claim
   * stopped at its maximum of rows, and at the latest the next full hour while uploads are held.
   */
  next_due_ms: number | undefined
}

export type Release =
  | [work: 'check', checks: readonly CheckWork[]]
  | [work: 'send' | 'follow' | 'label' | 'name' | 'remove', contents: readonly number[]]
  | [work: 'run', runs: readonly number[]]
  | [work: 'delivery', deliveries: readonly DeliveryKey[]]

export type WorkListener = (kinds: ReadonlySet<WorkKind>, why: 'recorded' | 'released') => void

/** `scan` and `audit`: one is requested. `prompt`: the prompts or their due times changed. */
export type WorkKind =
  | 'check'
  | 'send'
  | 'follow'
  | 'label'
  | 'name'
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
  /** Also false before the first check; then `offline_reason` is undefined. */
  online: boolean
  offline_reason: string | undefined
  /** Unix ms since when the folder is online or offline. */
  state_since_ms: number
  /** When this process last found the root online or offline, Unix ms; undefined before. */
  judged_ms: number | undefined
  /** st_dev of the root when it was last online; undefined before the first time. */
  device: bigint | undefined
  /** Identity of the root when it was last online; undefined if not known. */
  identity: string | undefined
  started_ms: number
  /** True from a new path or a return to the configuration until a later complete scan. */
  is_moved: boolean
  first_scan_ms: number | undefined
  /** Start of the last finished scan, Unix ms; undefined before the first. */
  scan_began_ms: number | undefined
  scan_ended_ms: number | undefined
  /** Earliest start of a requested full scan, Unix ms; undefined if none was ever requested. */
  scan_wanted_ms: number | undefined
  /** Missing files to be accepted by a user; undefined without them and after a complete scan. */
  disappearance: Disappearance | undefined
  /** Number of files that should be there: seen, present, skipped or blocked. */
  known_files: number
  /** Number of those that show a loss if they are missing (`isEvidence` in rows/file-rows.ts). */
  evidence: number
  /** The most of these since the last scan. */
  most_evidence: number
  /** Number of known files that a rule skips (`isSkipped` there). */
  skipped: number
  /** Counts of the last finished scan without ignored files; undefined before the first. */
  counted: { files: number; directories: number } | undefined
  /** Watcher in use; undefined until chosen. `given_up`: since when and why. */
  watch: (FolderWatch & { given_up: { since_ms: number; reason: string } | undefined }) | undefined
}

export interface PathRange {
  folder: string
  /** From `after_path` (exclusive) to `through_path` (inclusive); undefined for start and end. */
  after_path: string | undefined
  through_path: string | undefined
  /**
   * The walker's batch: UTF-8 paths in one buffer, where each ends, and size, mtime_ns, ctime_ns
   * and inode of each. An inode of 0 means that the filesystem has none; then it is not compared.
   */
  names: Uint8Array
  ends: Uint32Array
  stats: BigInt64Array
  /**
   * Digest of `names`, `ends` and `stats`. If the last walk of this range had the same digest and
   * no difference, and no row was written since, no row is read. Absent: all rows are compared.
   */
  digest?: string | undefined
}

export interface Differences {
  /** Indices into the batch: new paths, and known ones whose stat differs. */
  changed: Uint32Array
  /** Indices from `changed` of paths without a row, or with a `gone` one. */
  unknown: Uint32Array
  /** Known paths that the walker did not find; at most `max_missing`. */
  missing: string[]
  missing_total: number
  /** Files that are evidence (`isEvidence` in rows/file-rows.ts) and that no walker found. */
  lost: number
  /** Number of those that are newcomers (`isNewcomer` in domain/disappearance.ts). */
  lost_newcomers: number
  /** Number of skipped files (`isSkipped` there) that the walker did not find. */
  lost_skipped: number
}

/** Maximum number of missing paths listed. More are counted, and the next scan lists them. */
export const max_missing = 100_000

/** Files to check, by their last known size. Large ones have 16 MiB (`large_bytes`) or more. */
export interface CheckChoice {
  except_folders: readonly string[]
  sizes: readonly ('small' | 'large')[]
}

export interface LargeLimit {
  over_bytes: number
  max: number
}

export interface CheckWork {
  folder: string
  path: string
}

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
  /** Ticket of an earlier try that did not end; undefined without one. */
  ticket: Ticket | undefined
  /** Folder and path of one of its files, as a name for users. */
  name: string
  /** Present paths with these bytes, at most `max_sources`; empty only in state `sent`. */
  sources: SourcePath[]
}

/** Maximum number of paths that one upload tries: enough if a copy or two are locked. */
export const max_sources = 4

interface AssetWork {
  content: number
  project_id: string
  asset_id: string
  /** Folder and path of one of its files, or of one that held it, as a name for users. */
  name: string
}

export interface FollowWork extends AssetWork {
  size: number
  /** Usable already, and the service reads it further. */
  is_ready: boolean
  made_here: boolean
  attempts: number
  following_since_ms: number
  /** How often the asset of this content vanished while the service was reading it. */
  vanished: number
  error_code: string | undefined
}

export interface LabelWork extends AssetWork {
  /** Labels that the folders of its present files give. Those of users alone are in no list. */
  wanted: string[]
  attached: { name: string; label_id: string }[]
  /** Labels whose attach or detach has no recorded answer: the asset may have them or not. */
  in_doubt: string[]
}

/** An asset whose name is to be compared with the service, or changed there. */
export interface NameWork extends AssetWork {
  /** Names that it may have there, the one that was shown last first. */
  names: readonly HeldName[]
  /** Undefined if its name stays, whatever it is. */
  wanted: HeldName | undefined
}

/** An asset that no path holds and that its folders allow to remove (but see `is_doubted`). */
export interface RemoveWork extends AssetWork {
  attempts: number
  /** False after a crash or a failure: the service may have been asked already. */
  is_fresh: boolean
  /** True if the removal may be unwanted now: only ask if the asset exists, and remove nothing. */
  is_doubted: boolean
}

export interface Pending {
  check: number
  send: number
  follow: number
  label: number
  name: number
  /** Only removals that are due now: others may wait for long. */
  remove: number
  /** Earliest due time of the other four, Unix ms; undefined if nothing is pending. */
  next_due_ms: number | undefined
}

export interface LedgerLimits {
  upload_limit: { files: number; bytes: number; per_ms: number } | undefined
  max_bytes_per_day: number | undefined
  min_resend_ms: number
  /** True: the files changed last go first. False: the contents due longest go first. */
  newest_first: boolean
  history_days: number
  max_history_rows: number
  /** More removals than these wait for a user. */
  removal: RemovalLimits
}
