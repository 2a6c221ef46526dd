import type { Clock } from '../base/time.ts'
import type { ComparisonView } from '../ledger/view-comparison.ts'
import type { Difference } from './verify-answer.ts'

/** What each side of a comparison is handed. */
export interface VerifyTools {
  comparison: ComparisonView
  clock: Clock
  signal: AbortSignal
  onDifference: (difference: Difference) => void
}
