import type { FolderRow } from './folder-row.ts'
import type { FolderState } from './ledger.ts'

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
