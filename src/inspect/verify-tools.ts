import type { Clock } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Examiner } from '../disk/examiner.ts'
import type { LedgerView } from '../ledger/view.ts'
import type { ComparisonView } from '../ledger/view-comparison.ts'
import type { Remote } from '../remote/remote.ts'
import type { Difference } from './verify-answer.ts'

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
