import type { AuditFact } from './audit.ts'
import type { DeliveryFact } from './delivery.ts'
import type { FoundThere } from './disappearance.ts'
import type { FaultNote } from './fault-note.ts'
import type { BlockReason, FileStat, SkipReason } from './file.ts'
import type { RemovalFact, RemovalPolicy } from './removal.ts'
import type { RunFact } from './run.ts'
import type { Ticket } from './ticket.ts'

export type { FaultNote } from './fault-note.ts'

/** `scan`: by nothing, scans on a timer find what changes. */
export interface FolderWatch {
  watcher: 'chokidar' | 'native' | 'scan'
  /** For people, without the watcher's name. */
  reason: string
}

export interface FolderFact extends Partial<RemovalPolicy> {
  name: string
  root: string
  project_id: string
  labels: readonly string[]
  label_from: 'none' | 'first_folder'
  /** Everything in the config that decides what is skipped; when it changes, skipped files are looked at again. */
  rules: string
}

/** What a scan saw beside the files that it handed on. */
export interface ScanSummary {
  files: number
  directories: number
  bytes: number
  ignored: { rule: string; source: string; reason: string; count: number }[]
  odd_names: string[]
  odd_names_total: number
  special: { kind: string; count: number }[]
  unreadable: { path: string; code: string }[]
  unreadable_total: number
  other_mounts: string[]
  /** Files that it found and a watcher should have told long ago; absent where none was there to tell. */
  missed?: number
  /** The topmost directories that fewer people can read than the folder, and why. */
  narrower: { path: string; why: string }[]
  narrower_total: number
}

/** Told about folders by whoever keeps them. */
export type FolderEvent =
  | { type: 'folder_configured'; folder: FolderFact }
  | { type: 'folders_removed_except'; names: readonly string[] }
  /** `identity`: of its root, where the filesystem tells of one. */
  | { type: 'folder_online'; folder: string; device: bigint; identity?: string | undefined }
  /**
   * What it is watched by from now on, and why. For what scans found against its watcher it was made anew (`rebuilt`), or given up
   * (`deaf`).
   */
  | {
      type: 'folder_watched'
      folder: string
      watcher: FolderWatch['watcher']
      reason: string
      rebuilt?: string
      deaf?: string
    }
  /**
   * Said again when somebody asks. `is_doubted`: whether it is so is still being found out. `found`: where it waits for a person, what they
   * are asked about; what was said before is void.
   */
  | { type: 'folder_offline'; folder: string; reason: string; is_doubted?: boolean; found?: FoundThere | undefined }
  /** Somebody needs a complete look that begins at this time or later. */
  | { type: 'scan_wanted'; folder: string; at_ms: number }
  /** `is_part`: more is missing than one scan looks at; the next goes on, by the same word of a person. */
  | { type: 'scan_finished'; folder: string; began_ms: number; summary: ScanSummary; is_part?: boolean }

/** Told about paths by intake. `path` is relative to the folder's root. */
export type FileFact =
  | { type: 'file_seen'; folder: string; path: string; stat: FileStat; not_before_ms: number }
  | { type: 'file_settled'; folder: string; path: string; stat: FileStat; md5: string }
  | { type: 'file_gone'; folder: string; path: string }
  /** The rules changed: it is none of our business any more, and leaves no row. */
  | { type: 'file_ignored'; folder: string; path: string }
  | { type: 'file_skipped'; folder: string; path: string; stat: FileStat; reason: SkipReason; rule: string }
  | {
      type: 'file_blocked'
      folder: string
      path: string
      stat: FileStat | undefined
      reason: BlockReason
      detail: string
      not_before_ms: number | undefined
    }
  /** The sender found other bytes than those that were hashed: intake must look again. */
  | { type: 'file_changed'; folder: string; path: string; not_before_ms: number }

/**
 * Told by a scan: files that the ledger does not know, quiet for long enough, looked at and read in one go. As `file_settled` for each;
 * of a path that is known by then, and of a folder that is away, it says nothing: whoever made it known looked later.
 */
export interface FilesFound {
  type: 'files_found'
  folder: string
  /** UTF-8 paths in their order, one after the other. */
  names: Uint8Array
  /** Where each path ends in `names`. */
  ends: Uint32Array
  /** Four for each file: size, mtime_ns, ctime_ns, inode. */
  stats: BigInt64Array
  /** 32 characters for each file. */
  md5s: string
}

/** Told about contents by the uploader and the follower. `content` is the ledger's id. */
export type ContentFact =
  | { type: 'slot_intended'; content: number }
  | { type: 'slot_reserved'; content: number; asset_id: string; ticket: Ticket }
  | { type: 'asset_found'; content: number; asset_id: string }
  | { type: 'bytes_accepted'; content: number }
  /** complete found no bytes, or others: they are put once more on the same ticket. */
  | { type: 'bytes_missing'; content: number; not_before_ms: number; error: FaultNote }
  | { type: 'ingest_started'; content: number; not_before_ms: number }
  | { type: 'ingest_continues'; content: number; not_before_ms: number; note?: FaultNote }
  | { type: 'asset_ready'; content: number }
  | { type: 'content_refused'; content: number; error: FaultNote }
  /**
   * Without `error` it costs no attempt, here and in the next: the content waits for the service,
   * or a ticket ran out.
   */
  | { type: 'set_back'; content: number; not_before_ms: number; error?: FaultNote }
  | { type: 'slot_lost'; content: number; not_before_ms: number; error?: FaultNote }
  | { type: 'hit_dead'; content: number }
  | { type: 'asset_vanished'; content: number }
  /**
   * It was ready, and the service no longer has it: asked for by its id, never concluded from a list. Here and in the next two, `asset_id`
   * is what was asked for; where the content has another by now, nothing is said of that.
   */
  | { type: 'asset_missing'; content: number; asset_id?: string }
  /** It was ready, and the service is reading it again. */
  | { type: 'asset_unready'; content: number; asset_id?: string }
  /** It was ready, and the service says now that it cannot use it. */
  | { type: 'asset_failed'; content: number; asset_id?: string; error: FaultNote }
  /** It was given up as removed or failed there, and is ready there. */
  | { type: 'asset_returned'; content: number }
  | { type: 'content_orphaned'; content: number }
  | { type: 'content_wanted_again'; content: number; not_before_ms: number }
  | RemovalFact

export type LabelFact =
  /**
   * Calls about these labels begin. Until their answers are recorded, the asset may carry each of
   * them or not.
   */
  | { type: 'labels_intended'; content: number; names: readonly string[] }
  /**
   * The service surely did not act on the calls about these labels: as if they had not been
   * intended.
   */
  | { type: 'labels_unsent'; content: number; names: readonly string[] }
  | { type: 'label_attached'; content: number; name: string; label_id: string }
  | { type: 'label_detached'; content: number; name: string }
  | { type: 'labels_settled'; content: number; wanted: readonly string[] }
  /** `wanted`: what was tried, and others that are wanted by now are due all the same; without it all of them wait. */
  | { type: 'labels_set_back'; content: number; not_before_ms: number; wanted?: readonly string[] }

/** A person's word. `path` is a file or a directory inside the folder, '' the whole folder. */
export type PersonFact =
  | { type: 'accepted'; folder: string; path: string }
  | { type: 'retried'; folder: string; path: string }
  /** What was deleted or replaced there until now may be removed on the service, however much it is. */
  | { type: 'removals_accepted'; folder: string; path: string }

/** A person stops what goes out, until a time or until she says otherwise. */
export type PauseFact =
  | { type: 'paused'; by: string; why: string | undefined; until_ms: number | undefined }
  | { type: 'resumed' }

/** Told again and again by a daemon that watches: from `since_ms` until now it has been at work without a break. */
export type LifeFact = { type: 'daemon_at_work'; since_ms: number }

/** Something beyond any one file is wrong (`account`, `project:…`, `api`, `blob`), or right again. */
export type TroubleFact =
  | { type: 'trouble_began'; about: string; error: FaultNote & { hint?: string | undefined } }
  | { type: 'trouble_ended'; about: string }
  /** A new life of the daemon finds out anew what is wrong. */
  | { type: 'daemon_started' }

/** Everything that can be recorded. Facts are in the past tense; only the ledger turns them into states. */
export type Fact =
  | FolderEvent
  | FileFact
  | FilesFound
  | ContentFact
  | LabelFact
  | PersonFact
  | PauseFact
  | LifeFact
  | TroubleFact
  | RunFact
  | DeliveryFact
  | AuditFact
