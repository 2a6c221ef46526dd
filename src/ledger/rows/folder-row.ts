import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { Disappearance } from '../../domain/disappearance.ts'
import type { FolderEvent, FolderFact, ScanSummary } from '../../domain/fact.ts'
import { keep_everything, type RemovalPolicy } from '../../domain/removal.ts'
import type { FolderState } from '../ledger.ts'

export interface FolderRow extends RemovalPolicy {
  /** 0 until it is stored. */
  id: number
  name: string
  root: string
  project_id: string
  project: number
  labels: readonly string[]
  label_from: string
  rules: string
  configured: boolean
  /** False as well before the first check: then it has no `offline_reason`. */
  online: boolean
  device: bigint | undefined
  identity: string | undefined
  offline_reason: string | undefined
  /** Since when it is online or offline. */
  state_since_ms: number
  started_ms: number
  /** Since when it is in the configuration, with this project, without a break. */
  kept_ms: number
  /** Set when it has another root or is configured again; undefined after a first whole scan. */
  moved_ms: number | undefined
  disappearance: Disappearance | undefined
  first_scan_ms: number | undefined
  scan_began_ms: number | undefined
  scan_ended_ms: number | undefined
  scan_wanted_ms: number | undefined
  /** Of the last scan. */
  scan: ScanSummary | undefined
  watch: FolderState['watch']
  /** What became of its watchers because of what scans found against them. */
  deafness: Deafness
}

interface Deafness {
  /** How often a watcher was replaced, and the last time. */
  rebuilt: number
  last?: { at_ms: number; why: string } | undefined
  /** How often its watcher was given up, and only scans remained. */
  given_up: number
}

/** As it is stored; a device number has 64 bits, so it is text. */
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
  deafness: string
}

type JsonColumn = 'watch' | 'deafness'

/** All of them, in the order in which they were first configured. */
export function readFolderRows(database: Sqlite): FolderRow[] {
  const all = database.prepare(
    `SELECT folders.*, projects.project_id FROM folders JOIN projects ON projects.id = folders.project ORDER BY folders.id`,
  )
  return readAll<StoredFolder & { id: number }>(all).map(folderRow)
}

function folderRow({ scan_summary, ...stored }: StoredFolder & { id: number }): FolderRow {
  const { configured, device, offline_reason, labels, disappearance, watch, deafness } = stored
  return {
    ...stored,
    configured: configured === 1,
    online: device !== undefined && offline_reason === undefined,
    device: device === undefined ? undefined : BigInt(device),
    labels: JSON.parse(labels) as string[],
    disappearance: parsed(disappearance, (name, value) => (name === 'device' ? BigInt(value as string) : value)),
    scan: parsed(scan_summary),
    watch: parsed(watch),
    deafness: JSON.parse(deafness) as Deafness,
  }
}

function parsed<Value>(
  json: string | undefined,
  revive?: (name: string, value: unknown) => unknown,
): Value | undefined {
  return json === undefined ? undefined : (JSON.parse(json, revive) as Value)
}

export function storedFolder({ id: _, online: __, scan, ...row }: FolderRow): StoredFolder {
  const { configured, device, labels, disappearance, watch, deafness } = row
  return {
    ...row,
    configured: configured ? 1 : 0,
    device: device?.toString(),
    labels: JSON.stringify(labels),
    disappearance: disappearance && JSON.stringify({ ...disappearance, device: String(disappearance.device) }),
    scan_summary: scan && JSON.stringify(scan),
    watch: watch && JSON.stringify(watch),
    deafness: JSON.stringify(deafness),
  }
}

/**
 * The row of a folder as the configuration has it now; `before` is the row of that name until now.
 * The caller's fact is a section of the configuration, which also has `watch`: that is a setting and
 * must not replace the watcher that the row has.
 */
export function configuredFolder(before: FolderRow | undefined, fact: FolderFact, project: number, at_ms: number) {
  const { name, root, project_id, labels, label_from, rules } = fact
  const { on_delete, on_change, delete_grace_ms } = { ...keep_everything, ...fact }
  const policy = { on_delete, on_change, delete_grace_ms }
  const config = { name, root, project_id, labels, label_from, rules, ...policy, project, configured: true }
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
    deafness: { rebuilt: 0, given_up: 0 },
  }
}

type OneFolderEvent = Exclude<FolderEvent, { type: 'folder_configured' | 'folders_removed_except' }>

/** What an event makes of one folder. */
export function folderAfter(before: FolderRow, event: OneFolderEvent, at_ms: number): FolderRow {
  switch (event.type) {
    case 'folder_online': {
      const { device, identity } = event
      const state_since_ms = before.online ? before.state_since_ms : at_ms
      return { ...before, online: true, offline_reason: undefined, state_since_ms, device, identity }
    }
    case 'folder_offline': {
      const { reason, found } = event
      const asked = before.disappearance
      const is_same =
        asked?.files === found?.files && asked?.device === found?.device && asked?.identity === found?.identity
      // A word that was said while the same was found once more is a word about that.
      const is_accepted = is_same && asked?.is_accepted === true
      const state_since_ms = before.offline_reason === undefined ? at_ms : before.state_since_ms
      const disappearance = found && { ...found, is_accepted }
      return { ...before, online: false, offline_reason: reason, state_since_ms, disappearance }
    }
    case 'folder_watched': {
      const { watcher, reason, rebuilt, deaf } = event
      const { deafness } = before
      // What is only scanned stays deaf; what is watched again is not.
      const was_deaf = watcher === 'scan' ? before.watch?.deaf : undefined
      return {
        ...before,
        watch: { watcher, reason, deaf: deaf === undefined ? was_deaf : { since_ms: at_ms, reason: deaf } },
        deafness: {
          rebuilt: deafness.rebuilt + (rebuilt === undefined ? 0 : 1),
          last: rebuilt === undefined ? deafness.last : { at_ms, why: rebuilt },
          given_up: deafness.given_up + (deaf === undefined ? 0 : 1),
        },
      }
    }
    case 'scan_wanted':
      return { ...before, scan_wanted_ms: Math.max(before.scan_wanted_ms ?? event.at_ms, event.at_ms) }
    case 'scan_finished': {
      const { began_ms, summary } = event
      const { moved_ms, first_scan_ms = at_ms } = before
      const scan_began_ms = Math.min(began_ms, at_ms)
      const scanned = { ...before, first_scan_ms, scan_began_ms, scan_ended_ms: at_ms, scan: summary }
      if (!isWhole(event)) return scanned
      const is_before_move = moved_ms !== undefined && began_ms < moved_ms
      return { ...scanned, moved_ms: is_before_move ? moved_ms : undefined, disappearance: undefined }
    }
  }
}

/** False where more could not be read than is listed: what is missing was not looked at. */
export function isWhole({ summary, is_part }: Extract<FolderEvent, { type: 'scan_finished' }>): boolean {
  return !is_part && summary.unreadable_total <= summary.unreadable.length
}

/** `known_files`: those that are here as far as we know. */
export function folderState(
  { scan, moved_ms, ...folder }: FolderRow,
  judged_ms: number | undefined,
  known_files: number,
): FolderState {
  const counted = scan && { files: scan.files, directories: scan.directories }
  return { ...folder, is_moved: moved_ms !== undefined, counted, judged_ms, known_files }
}
