import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { UploadName } from '../../domain/asset-name.ts'
import { isSameQuestion } from '../../domain/disappearance.ts'
import type { FolderEvent, FolderFact, ScanSummary } from '../../domain/fact.ts'
import type { LabelSettings } from '../../domain/labels.ts'
import { keep_everything, type RemovalPolicy } from '../../domain/removal.ts'
import type { FolderState } from '../ledger.ts'

type KnownFiles = Pick<FolderState, 'known_files' | 'evidence' | 'most_evidence' | 'skipped'>

export interface FolderRow
  extends Omit<FolderState, 'is_moved' | 'counted' | 'judged_ms' | keyof KnownFiles>,
    LabelSettings,
    RemovalPolicy {
  /** 0 until the row is stored. */
  id: number
  project: number
  rules: string
  upload_name: UploadName
  configured: boolean
  /** Unix ms since when it has been configured with this project, without interruption. */
  kept_ms: number
  /** Unix ms of its new root or return. Undefined after a complete scan that began later. */
  moved_ms: number | undefined
  /** Summary of the last scan; undefined before it. */
  scan: ScanSummary | undefined
  watcher_changes: WatcherChanges
}

interface WatcherChanges {
  replaced: number
  /** The last replacement; undefined before the first. */
  last?: { at_ms: number; why: string } | undefined
  /** Number of times that its watcher was given up, so that only scans remained. */
  given_up: number
}

/** A folder as the table has it. A device number is text because it has 64 bits. */
interface StoredFolder
  extends Omit<
    FolderRow,
    'id' | 'configured' | 'online' | 'device' | 'labels' | 'disappearance' | 'scan' | JsonColumn
  > {
  configured: 0 | 1
  device: string | undefined
  labels: string
  disappearance: string | undefined
  scan_summary: string | undefined
  watch: string | undefined
  watcher_changes: string
}

type JsonColumn = 'watch' | 'watcher_changes'

/** Reads all folders, in the order in which they were first configured. */
export function readFolderRows(database: Sqlite): FolderRow[] {
  const all = database.prepare(
    `SELECT folders.*, projects.project_id FROM folders JOIN projects ON projects.id = folders.project ORDER BY folders.id`,
  )
  return readAll<StoredFolder & { id: number }>(all).map(folderRow)
}

function folderRow({ scan_summary, ...stored }: StoredFolder & { id: number }): FolderRow {
  const { configured, device, offline_reason, labels, disappearance, watch, watcher_changes } =
    stored
  return {
    ...stored,
    configured: configured === 1,
    online: device !== undefined && offline_reason === undefined,
    device: device === undefined ? undefined : BigInt(device),
    labels: JSON.parse(labels) as LabelSettings['labels'],
    disappearance: parsed(disappearance, (name, value) =>
      name === 'device' ? BigInt(value as string) : value,
    ),
    scan: parsed(scan_summary),
    watch: parsed(watch),
    watcher_changes: JSON.parse(watcher_changes) as WatcherChanges,
  }
}

function parsed<Value>(
  json: string | undefined,
  revive?: (name: string, value: unknown) => unknown,
): Value | undefined {
  return json === undefined ? undefined : (JSON.parse(json, revive) as Value)
}

export function storedFolder({ id: _, online: __, scan, ...row }: FolderRow): StoredFolder {
  const { configured, device, labels, disappearance, watch, watcher_changes } = row
  return {
    ...row,
    configured: configured ? 1 : 0,
    device: device?.toString(),
    labels: JSON.stringify(labels),
    disappearance:
      disappearance && JSON.stringify({ ...disappearance, device: String(disappearance.device) }),
    scan_summary: scan && JSON.stringify(scan),
    watch: watch && JSON.stringify(watch),
    watcher_changes: JSON.stringify(watcher_changes),
  }
}

/**
 * The row of a folder as the configuration has it now. The fact may also have the setting `watch`,
 * which must not replace the watcher in the row.
 */
export function configuredFolder(
  before: FolderRow | undefined,
  fact: FolderFact,
  project: number,
  at_ms: number,
) {
  const { name, root, project_id, labels, label_from, rules, upload_name = 'path' as const } = fact
  const { on_delete, on_change, delete_grace_ms } = { ...keep_everything, ...fact }
  const policy = { on_delete, on_change, delete_grace_ms }
  const config = {
    name,
    root,
    project_id,
    labels,
    label_from,
    rules,
    upload_name,
    ...policy,
    project,
    configured: true,
  }
  if (before === undefined) return { ...newFolder(at_ms), ...config }
  const has_same_root = before.root === fact.root
  const is_same = before.configured && has_same_root
  return {
    ...before,
    ...config,
    kept_ms: before.configured && before.project === project ? before.kept_ms : at_ms,
    moved_ms: is_same ? before.moved_ms : at_ms,
    disappearance: has_same_root ? before.disappearance : undefined,
  }
}

function newFolder(at_ms: number) {
  return {
    id: 0,
    online: false,
    device: undefined,
    identity: undefined,
    offline_reason: undefined,
    state_since_ms: at_ms,
    started_ms: at_ms,
    kept_ms: at_ms,
    moved_ms: undefined,
    disappearance: undefined,
    first_scan_ms: undefined,
    scan_began_ms: undefined,
    scan_ended_ms: undefined,
    scan_wanted_ms: undefined,
    scan: undefined,
    watch: undefined,
    watcher_changes: { replaced: 0, given_up: 0 },
  }
}

type OneFolderEvent = Exclude<
  FolderEvent,
  { type: 'folder_configured' | 'folders_removed_except' | 'checks_wanted' }
>

export function folderAfter(before: FolderRow, event: OneFolderEvent, at_ms: number): FolderRow {
  switch (event.type) {
    case 'folder_online': {
      const { device, identity } = event
      const state_since_ms = before.online ? before.state_since_ms : at_ms
      return {
        ...before,
        online: true,
        offline_reason: undefined,
        state_since_ms,
        device,
        identity,
      }
    }
    case 'folder_offline': {
      const { reason, found } = event
      const asked = before.disappearance
      // If the same is found again, a user's acceptance of the earlier report covers it.
      const is_accepted = asked?.is_accepted === true && isSameQuestion(asked, found)
      const state_since_ms = before.offline_reason === undefined ? at_ms : before.state_since_ms
      const disappearance = found && { ...found, is_accepted }
      return { ...before, online: false, offline_reason: reason, state_since_ms, disappearance }
    }
    case 'folder_watched':
      return watchedAfter(before, event, at_ms)
    case 'scan_wanted':
      return {
        ...before,
        scan_wanted_ms: Math.max(before.scan_wanted_ms ?? event.at_ms, event.at_ms),
      }
    case 'scan_finished': {
      const { began_ms, summary } = event
      const { moved_ms, first_scan_ms = at_ms } = before
      const scan_began_ms = Math.min(began_ms, at_ms)
      const scanned = {
        ...before,
        first_scan_ms,
        scan_began_ms,
        scan_ended_ms: at_ms,
        scan: summary,
      }
      if (!isWhole(event)) return scanned
      const is_before_move = moved_ms !== undefined && began_ms < moved_ms
      return {
        ...scanned,
        moved_ms: is_before_move ? moved_ms : undefined,
        disappearance: undefined,
      }
    }
  }
}

function watchedAfter(
  before: FolderRow,
  { watcher, reason, replaced, given_up }: Extract<FolderEvent, { type: 'folder_watched' }>,
  at_ms: number,
): FolderRow {
  const { watcher_changes } = before
  // While the folder is only scanned, its watcher stays given up. A new watcher ends that.
  const before_given_up = watcher === 'scan' ? before.watch?.given_up : undefined
  const now_given_up =
    given_up === undefined ? before_given_up : { since_ms: at_ms, reason: given_up }
  return {
    ...before,
    watch: { watcher, reason, given_up: now_given_up },
    watcher_changes: {
      replaced: watcher_changes.replaced + (replaced === undefined ? 0 : 1),
      last: replaced === undefined ? watcher_changes.last : { at_ms, why: replaced },
      given_up: watcher_changes.given_up + (given_up === undefined ? 0 : 1),
    },
  }
}

/** False if not all missing files were checked, or more paths were unreadable than are listed. */
export function isWhole({
  summary,
  is_part,
}: Extract<FolderEvent, { type: 'scan_finished' }>): boolean {
  return !is_part && summary.unreadable_total <= summary.unreadable.length
}

export function folderState(
  { scan, moved_ms, ...folder }: FolderRow,
  judged_ms: number | undefined,
  known: KnownFiles,
): FolderState {
  const counted = scan && { files: scan.files, directories: scan.directories }
  return { ...folder, is_moved: moved_ms !== undefined, counted, judged_ms, ...known }
}
