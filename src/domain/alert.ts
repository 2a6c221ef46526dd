import type { FaultNote } from './fault-note.ts'

/** What an alert told of: a promise that is not kept, and what it is about. */
export interface ToldReason {
  promise: string
  about: string
  message: string
  since_ms: number
}

/** Told by the keeper of health. `alert` is the ledger's id. Deliveries are each retried on its own, as those of reports are. */
export type AlertFact =
  /** The health changed, and this is told of it. `reasons`: what stands from now on, as it was told; empty when all is well again. */
  | {
      type: 'alert_raised'
      message_id: string
      subject: string
      text: string
      reasons: readonly ToldReason[]
      targets: readonly string[]
    }
  | { type: 'alert_delivered'; alert: number; target: string }
  | { type: 'alert_set_back'; alert: number; target: string; not_before_ms: number; error: FaultNote }
  /** Given up: a person must look. */
  | { type: 'alert_given_up'; alert: number; target: string; error: FaultNote }
