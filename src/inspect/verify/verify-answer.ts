import type { Clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { ComparisonView } from '../../ledger/views/view-comparison.ts'
import type { Remote } from '../../remote/remote.ts'

/** Where ledger, disk and service are not of one mind, or the ledger is not sound in itself. */
export const difference_kinds = [
  /** SQLite cannot read all of the ledger; then nothing else is compared. */
  'ledger_damaged',
  /** Rows of the ledger do not fit each other. */
  'ledger_inconsistent',
  /** SQLite cannot read all of tickets.db. */
  'tickets_damaged',
  /** A file on disk that the ledger does not know yet. */
  'unknown_on_disk',
  /** In the ledger, and not on disk. */
  'gone_from_disk',
  /** Size, times or inode are others. */
  'changed_on_disk',
  /** Its size and times are as known, and its bytes are not; only a full comparison finds it. */
  'content_differs',
  /** Nobody could look: a directory that cannot be entered; with a full comparison a file, too. */
  'unreadable',
  /** Ready here; the service lists it nowhere, and says that there is no such asset. */
  'missing_on_service',
  /** Ready here; the service cannot use it. */
  'failed_on_service',
  /** Ready here; the service is reading it (again), or has a slot without bytes. */
  'not_ready_on_service',
  /** Given up here as removed or failed there; ready there. */
  'returned_on_service',
  /** A label that Sluice attached is not there. */
  'label_missing',
  /** Ready there, and unknown here: of other people. Told and counted; no fault of anything. */
  'unknown_on_service',
] as const
export type DifferenceKind = (typeof difference_kinds)[number]

export interface Difference {
  kind: DifferenceKind
  folder?: string
  path?: string
  asset_id?: string
  message: string
  /** The ledger's id of what was compared with the service. */
  content?: number
  /** Of `label_missing`. */
  label?: string
  /** What the service says of an asset that is there and not ready. */
  status?: string
}

/** Whether somebody, or a pass, has something to do. What other people have there is no difference of ours. */
export function isWhole(of: { complete: boolean; differences: Readonly<Record<DifferenceKind, number>> }): boolean {
  const { complete, differences } = of
  return complete && difference_kinds.every((kind) => kind === 'unknown_on_service' || differences[kind] === 0)
}

export interface VerifyOptions {
  config: Config
  view: LedgerView
  remote: Remote
  examiner: Examiner
  clock: Clock
  /** Reads every file that is known, and compares its bytes. */
  full: boolean
  /** Names of folders of the config; without them all, and everything that was ever sent to their projects. */
  folders?: readonly string[]
  signal: AbortSignal
  onDifference: (difference: Difference) => void
  /** What was looked at so far. */
  onProgress?: (progress: { files: number; assets: number }) => void
}

/** What each side of a comparison is handed. */
export interface VerifyTools extends VerifyOptions {
  comparison: ComparisonView
  onFile: (files: number) => void
  onAsset: (assets: number) => void
}
