import type { FaultNote } from '../base/run/errors.ts'
import type { LossFact, Ticket } from './asset.ts'
import type { HeldName, UploadName } from './asset-name.ts'
import type { AuditFact } from './audit.ts'
import type { DeliveryFact } from './delivery.ts'
import type { FoundThere } from './disappearance.ts'
import type { FileStat } from './file.ts'
import type { BlockReason, SkipReason } from './file-reasons.ts'
import type { Refusal } from './file-type.ts'
import type { LabelSettings } from './labels.ts'
import type { Reading } from './reading.ts'
import type { RemovalFact, RemovalPolicy } from './removal.ts'
import type { RunFact } from './run.ts'

/** How a folder is watched. `scan`: without a watcher, timed scans find changes. */
export interface FolderWatch {
  watcher: 'chokidar' | 'native' | 'scan'
  /** Reason to show to users, without the watcher's name. */
  reason: string
}

export interface FolderFact extends LabelSettings, Partial<RemovalPolicy> {
  name: string
  root: string
  project_id: string
  /** How its files are named on the service; absent: by path. */
  upload_name?: UploadName
  /** JSON of the settings that decide about skips. A change makes skipped files checked again. */
  rules: string
}

export interface IgnoredCount {
  rule: string
  source: string
  reason: string
  count: number
}

export interface ScanSummary {
  files: number
  /** Directories that were read, the root among them. */
  directories: number
  bytes: number
  /** Entries by the rule that ignores them, without the contents of ignored directories. */
  ignored: IgnoredCount[]
  odd_names: string[]
  odd_names_total: number
  special: { kind: string; count: number }[]
  unreadable: { path: string; code: string }[]
  unreadable_total: number
  /** Directories with another filesystem mounted on them; not entered. */
  other_mounts: string[]
  /** Changed files that the watcher should have reported; absent if it could not report all. */
  missed?: number
  /** The topmost directories that fewer users can read than the folder, and why. */
  narrower: { path: string; why: string }[]
  narrower_total: number
}

export type FolderEvent =
  | { type: 'folder_configured'; folder: FolderFact }
  | { type: 'folders_removed_except'; names: readonly string[] }
  /** `identity`: of its root, if the filesystem has one. */
  | { type: 'folder_online'; folder: string; device: bigint; identity?: string | undefined }
  /**
   * `replaced`: why it replaces the watcher before it (which missed changes, or has another root).
   * `given_up`: why the native watcher was given up for timed scans.
   */
  | ({ type: 'folder_watched'; folder: string; replaced?: string; given_up?: string } & FolderWatch)
  /**
   * Recorded again when the reason or the question changes, and when a scan was requested.
   * `is_doubted`: the root is still being compared. `found`: files of the question to a user.
   */
  | {
      type: 'folder_offline'
      folder: string
      reason: string
      is_doubted?: boolean
      found?: FoundThere | undefined
    }
  /** A full scan must begin at this time or later. */
  | { type: 'scan_wanted'; folder: string; at_ms: number }
  /** A user asks for a scan: files that an error of the disk blocks are checked at once. */
  | { type: 'checks_wanted'; folder: string }
  /** `is_part`: more is missing than one scan checks; the next uses the same answer of the user. */
  | {
      type: 'scan_finished'
      folder: string
      began_ms: number
      summary: ScanSummary
      is_part?: boolean
    }

/** Facts about paths below a root, by intake; `file_changed` by the uploader and `verify`. */
export type FileFact =
  | { type: 'file_seen'; folder: string; path: string; stat: FileStat; not_before_ms: number }
  | { type: 'file_settled'; folder: string; path: string; stat: FileStat; md5: string }
  | { type: 'file_gone'; folder: string; path: string }
  /** The rules ignore this known file now: its row is deleted. */
  | { type: 'file_ignored'; folder: string; path: string }
  | {
      type: 'file_skipped'
      folder: string
      path: string
      stat: FileStat
      reason: SkipReason
      rule: string
    }
  | {
      type: 'file_blocked'
      folder: string
      path: string
      stat: FileStat | undefined
      reason: BlockReason
      detail: string
      not_before_ms: number | undefined
    }
  /** The path may not have the bytes that were hashed: intake must check the file again. */
  | { type: 'file_changed'; folder: string; path: string; not_before_ms: number }

/**
 * Unknown, quiet files that a scan checked and read in one step: `file_settled` for each. It has no
 * effect in an offline folder, and on a known path, because that fact is newer.
 */
export interface FilesFound {
  type: 'files_found'
  folder: string
  /** UTF-8 paths in their order, one after the other. `ends` has the end of each. */
  names: Uint8Array
  ends: Uint32Array
  /** Four for each file: size, mtime_ns, ctime_ns, inode. */
  stats: BigInt64Array
  /** 32 characters for each file. */
  md5s: string
}

/** Facts about contents, recorded by the workers. `content` is the ledger's id. */
export type ContentFact =
  | { type: 'slot_intended'; content: number }
  /** `given_name`: what the asset was called, and after which folder; absent after a crash. */
  | {
      type: 'slot_reserved'
      content: number
      asset_id: string
      ticket: Ticket
      given_name?: HeldName | undefined
    }
  | { type: 'asset_found'; content: number; asset_id: string }
  | { type: 'bytes_accepted'; content: number }
  /** `complete` found no bytes or other ones: they are uploaded again with the same ticket. */
  | { type: 'bytes_missing'; content: number; not_before_ms: number; error: FaultNote }
  | { type: 'ingest_started'; content: number; not_before_ms: number }
  | { type: 'ingest_continues'; content: number; not_before_ms: number; note?: FaultNote }
  /** `shown_name`, `reading`: by the service's record; absent if that shows none. */
  | {
      type: 'asset_ready'
      content: number
      shown_name?: string | undefined
      reading?: Reading | undefined
    }
  /** `refusal`: if the service refused it on create. */
  | { type: 'content_refused'; content: number; error: FaultNote; refusal?: Refusal | undefined }
  | { type: 'type_refused'; content: number; error: FaultNote }
  /** It was refused on create, and its type is at fault. So are the types of those alike. */
  | { type: 'type_rests'; content: number; refusal: Refusal; said: string }
  /** It was refused on create, but the service refuses every type: none rests, none is refused. */
  | { type: 'types_freed'; content: number; refusal: Refusal }
  /** Without `error` this and `slot_lost` add no attempt (service at fault, expired ticket). */
  | {
      type: 'deferred'
      content: number
      not_before_ms: number
      error?: FaultNote
      /** True: the error adds no attempt either (the network at fault, for this content alone). */
      is_no_try?: boolean
    }
  | { type: 'slot_lost'; content: number; not_before_ms: number; error?: FaultNote }
  | { type: 'hit_dead'; content: number }
  | { type: 'asset_vanished'; content: number }
  | LossFact
  /** It was given up as removed or failed on the service, and is ready there again. */
  | { type: 'asset_returned'; content: number }
  | { type: 'content_orphaned'; content: number }
  /** `of_type`: because its type is tried again, so the type still decides about it. */
  | { type: 'content_wanted_again'; content: number; not_before_ms: number; of_type?: true }
  | RemovalFact

/** Facts about the name of an asset on the service, recorded by the namer. */
export type NameFact =
  /** A call begins that gives the asset this name. Until its answer, it may have either. */
  | { type: 'name_intended'; content: number; given_name: HeldName }
  /** The service shows this name. `tried`: the name that was wanted; another one is due at once. */
  | { type: 'asset_named'; content: number; shown_name: string; tried: string }
  /** `error`: the service refuses to rename assets of its project. */
  | { type: 'name_deferred'; content: number; not_before_ms: number; error?: FaultNote }

export type LabelFact =
  /** Calls about these labels begin. Until their answers, the asset may have each label or not. */
  | { type: 'labels_intended'; content: number; names: readonly string[] }
  /** The service surely did not carry out these calls: the labels count as not intended. */
  | { type: 'labels_unsent'; content: number; names: readonly string[] }
  | { type: 'label_attached'; content: number; name: string; label_id: string }
  | { type: 'label_detached'; content: number; name: string }
  | { type: 'labels_settled'; content: number; wanted: readonly string[] }
  /** `wanted`: the labels tried. If others are wanted by now, they stay due. Absent: all wait. */
  | { type: 'labels_deferred'; content: number; not_before_ms: number; wanted?: readonly string[] }

/** A user's request. `path` is a file or a directory inside the folder, '' the whole folder. */
export type UserFact =
  /** `path` as a type (`*.gz`): accepts it in the folder's project. `!*.gz` is the undo of that. */
  | { type: 'accepted'; folder: string; path: string }
  | { type: 'retried'; folder: string; path: string }
  /** Allows the removal on the service of what was deleted or replaced under `path` until now. */
  | { type: 'removals_accepted'; folder: string; path: string }

/** A user pauses outgoing work until a time, or until `resumed`. */
export type PauseFact =
  | { type: 'paused'; by: string; why: string | undefined; until_ms: number | undefined }
  | { type: 'resumed' }

/** Recorded each minute in mode `run`: the daemon has worked without a break since `since_ms`. */
export type LifeFact = { type: 'daemon_at_work'; since_ms: number }

/**
 * A time that does not count when the health judges what is late. `away`: no daemon is known to
 * have worked. `paused`: a user had paused outgoing work.
 */
export interface Absence {
  why: 'away' | 'paused'
  from_ms: number
  to_ms: number
}

/** Beginning of the subject of a trouble that names a thing with a refused fact. */
export const refused_fact = 'fact:'

/** Faults beyond single files: see `About`; or of `page`, or a refused fact. */
export type TroubleFact =
  | { type: 'trouble_began'; about: string; error: FaultNote & { hint?: string | undefined } }
  | { type: 'trouble_ended'; about: string }
  /** A daemon starts. It forgets all earlier troubles, and finds out anew what is wrong. */
  | { type: 'daemon_started' }

/** All facts that can be recorded, in the past tense. Only the ledger turns them into states. */
export type Fact =
  | FolderEvent
  | FileFact
  | FilesFound
  | ContentFact
  | LabelFact
  | NameFact
  | UserFact
  | PauseFact
  | LifeFact
  | TroubleFact
  | RunFact
  | DeliveryFact
  | AuditFact
