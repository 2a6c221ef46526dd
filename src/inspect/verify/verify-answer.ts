import type { Clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import type { Silence } from '../../disk/root/root-asker.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { ComparisonView } from '../../ledger/views/view-comparison.ts'
import type { Remote } from '../../remote/remote.ts'

/** Kinds of differences between ledger, disk and service, and of faults of the ledger itself. */
export const difference_kinds = [
  /** SQLite cannot read the whole ledger; then nothing else is compared. */
  'ledger_damaged',
  /** Rows of the ledger do not fit each other. */
  'ledger_inconsistent',
  /** SQLite cannot read the whole of tickets.db. */
  'tickets_damaged',
  /** A file on disk that the ledger does not know. */
  'unknown_on_disk',
  /** A file of the ledger that is not on disk. */
  'gone_from_disk',
  /** The file has another size, time or inode. */
  'changed_on_disk',
  /** The file has other bytes with the same size and times; only a full comparison finds it. */
  'content_differs',
  /** A directory cannot be entered; in a full comparison also a file that cannot be read. */
  'unreadable',
  /** Ready here; the service neither lists it nor knows its id. */
  'missing_on_service',
  /** Ready here; the service cannot use it. */
  'failed_on_service',
  /** Ready here; the service still reads it, or lacks its bytes. */
  'not_ready_on_service',
  /** Removed or failed there, as the ledger says, but ready there now. */
  'returned_on_service',
  /** The asset no longer has a label that Sluice attached to it. */
  'label_missing',
  /** Ready here and there, but the service could not read all of it. Reported, but no fault. */
  'read_in_part',
  /** Ready there and unknown here: an asset of another user. Reported and counted, but no fault. */
  'unknown_on_service',
] as const
export type DifferenceKind = (typeof difference_kinds)[number]

/** True if a user or a pass should act on a difference of this kind. */
export function isFault(kind: DifferenceKind): boolean {
  return kind !== 'read_in_part' && kind !== 'unknown_on_service'
}

export interface Difference {
  kind: DifferenceKind
  folder?: string
  path?: string
  asset_id?: string
  message: string
  /** Id in the ledger of the compared content. */
  content?: number
  /** Name of the label, for `label_missing`. */
  label?: string
  /** Status of an asset that exists on the service but is not ready. */
  status?: string
}

/** True if neither a user nor a pass must act. Assets of other users do not count. */
export function isWhole(of: {
  complete: boolean
  differences: Readonly<Record<DifferenceKind, number>>
}): boolean {
  const { complete, differences } = of
  return complete && difference_kinds.every((kind) => !isFault(kind) || differences[kind] === 0)
}

export interface VerifyOptions {
  config: Config
  view: LedgerView
  remote: Remote
  examiner: Examiner
  clock: Clock
  /**
   * Also reads each file whose size and times are as known, and compares its md5. False: no file is
   * read.
   */
  full: boolean
  /**
   * Names of configured folders. Undefined: all, and everything ever uploaded to their projects.
   */
  folders?: readonly string[]
  /** Paths that do not answer; a folder there counts as offline. */
  silent?: readonly string[]
  /** Detects a folder that stops answering. */
  silence?: Silence
  signal: AbortSignal
  onDifference: (difference: Difference) => void
  /** Called with the numbers of files and assets compared so far. */
  onProgress?: (progress: { files: number; assets: number }) => void
}

/** Dependencies of each part of the comparison. */
export interface VerifyTools extends VerifyOptions {
  comparison: ComparisonView
  onFile: (files: number) => void
  onAsset: (assets: number) => void
}
