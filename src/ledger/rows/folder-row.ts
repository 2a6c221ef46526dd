import type { Disappearance, FoundThere } from '../../domain/disappearance.ts'
import type { FolderWatch } from '../../domain/fact.ts'
import type { RemovalPolicy } from '../../domain/removal.ts'
import type { FolderState } from '../ledger.ts'

export interface FolderRow extends RemovalPolicy {
  id: number
  name: string
  root: string
  project: number
  project_id: string
  labels: readonly string[]
  label_from: string
  rules: string
  configured: boolean
  device: bigint | undefined
  identity: string | undefined
  offline_reason: string | undefined
  state_since_ms: number
  started_ms: number
  /** It has another root, or is configured again after a while: since then, until a first whole look at it. */
  moved_ms: number | undefined
  disappearance: Disappearance | undefined
  first_scan_ms: number | undefined
  scan_began_ms: number | undefined
  scan_ended_ms: number | undefined
  scan_wanted_ms: number | undefined
  counted: FolderState['counted']
  watch: FolderState['watch']
}

type Raw = Record<string, bigint | string | null>

export function folderRow(row: Raw): FolderRow {
  const time = (value: bigint | string | null | undefined) => (value === null ? undefined : Number(value))
  return {
    id: Number(row.id),
    name: row.name as string,
    root: row.root as string,
    project: Number(row.project),
    project_id: row.project_id as string,
    labels: JSON.parse(row.labels as string) as string[],
    label_from: row.label_from as string,
    rules: row.rules as string,
    on_delete: row.on_delete as RemovalPolicy['on_delete'],
    on_change: row.on_change as RemovalPolicy['on_change'],
    delete_grace_ms: Number(row.delete_grace_ms),
    configured: row.configured === 1n,
    device: row.device === null ? undefined : (row.device as bigint),
    identity: (row.root_identity as string | null) ?? undefined,
    offline_reason: (row.offline_reason as string | null) ?? undefined,
    state_since_ms: Number(row.state_since_ms),
    started_ms: Number(row.started_ms),
    moved_ms: time(row.moved_ms),
    disappearance: disappearanceOf(row),
    first_scan_ms: time(row.first_scan_ms),
    scan_began_ms: time(row.scan_began_ms),
    scan_ended_ms: time(row.scan_ended_ms),
    scan_wanted_ms: time(row.scan_wanted_ms),
    counted: row.counted_files === null ? undefined : countedOf(row),
    watch: row.watcher === null ? undefined : watchOfRow(row),
  }
}

function countedOf(row: Raw): FolderState['counted'] {
  return { files: Number(row.counted_files), directories: Number(row.counted_directories) }
}

function watchOfRow(row: Raw): FolderState['watch'] {
  return {
    watcher: row.watcher as FolderWatch['watcher'],
    reason: row.watch_reason as string,
    deaf: row.deaf_ms === null ? undefined : { since_ms: Number(row.deaf_ms), reason: row.deaf_reason as string },
  }
}

/** As the columns of `folders` hold it. */
export function foundColumns(found: FoundThere | undefined) {
  if (found === undefined) return { device: null, identity: null, files: null }
  return { device: BigInt.asIntN(64, found.device), identity: found.identity ?? null, files: found.files }
}

/** Of a row with all its columns, as safe integers; a ledger of before version 7 says nothing of it. */
export function disappearanceOf(row: Record<string, unknown>): Disappearance | undefined {
  const { found_device: device, found_identity: identity, found_files: files } = row
  if (typeof device !== 'bigint' || typeof files !== 'bigint') return undefined
  const is_accepted = row.empty_accepted === 1n
  return { device, identity: (identity as string | null) ?? undefined, files: Number(files), is_accepted }
}

/** `known_files`: those that are here as far as we know. */
export function folderState(folder: FolderRow, judged_ms: number | undefined, known_files: number): FolderState {
  const { name, root, project_id, offline_reason, state_since_ms, device, identity, started_ms } = folder
  const is_moved = folder.moved_ms !== undefined
  const { first_scan_ms, scan_began_ms, scan_ended_ms, scan_wanted_ms, disappearance, counted, watch } = folder
  const online = device !== undefined && offline_reason === undefined
  return {
    name,
    root,
    project_id,
    online,
    offline_reason,
    state_since_ms,
    judged_ms,
    device,
    identity,
    started_ms,
    is_moved,
    first_scan_ms,
    scan_began_ms,
    scan_ended_ms,
    scan_wanted_ms,
    disappearance,
    known_files,
    counted,
    watch,
  }
}
