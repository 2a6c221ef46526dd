import { acknowledgementOn, type RootStatus, rootChange } from '../../disk/root/root.ts'
import {
  type DisappearanceLimits,
  exceedsAcknowledgement,
  hasVanished,
} from '../../domain/disappearance.ts'
import type { FolderState } from '../../ledger/ledger.ts'

export interface DeletionsSeen {
  /** Known files that a check did not find, and that show a loss. */
  deleted: number
  folder: FolderState
  /** State of the folder's root after the check. */
  root: RootStatus
  /** A full scan found them missing, and has judged their number already. */
  by_full_scan: boolean
  limits: DisappearanceLimits
}

/**
 * Decides whether deletions are recorded, or a full scan must confirm them first. `record_others`:
 * those of the files that show no loss are recorded now. No scan reports them again.
 */
export function judgeDeletions(seen: DeletionsSeen): 'record' | 'record_others' | 'scan_first' {
  const { deleted, folder, root, by_full_scan, limits } = seen
  // An offline root or another disk says nothing about the known files.
  if (root.kind === 'offline' || folder.device === undefined) return 'scan_first'
  if (rootChange(folder, root) !== 'none') return 'scan_first'

  if (deleted === 0) return 'record'

  const files_before = folder.most_evidence
  const files_left = folder.evidence - deleted
  const is_emptied = root.empty && files_before > limits.empty_folder_files
  // Single events can add up to a mass deletion, so compare with the last full scan.
  const found = { known: files_before, missing: files_before - files_left, files: files_left }
  const is_mass_deletion = !by_full_scan && hasVanished(found, limits)
  if (!is_emptied && !is_mass_deletion) return 'record'

  const acknowledged = acknowledgementOn(folder, folder.disappearance)
  const is_covered =
    acknowledged && !exceedsAcknowledgement(acknowledged, is_emptied ? 0 : files_left, limits)
  return is_covered ? 'record' : 'record_others'
}
