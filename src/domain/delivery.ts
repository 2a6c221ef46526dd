import type { FaultNote } from '../base/run/errors.ts'

export interface ReportedProblem {
  kind: string
  about: string
  message: string
  since_ms: number
}

/** A change of the health, as receivers get it. */
export interface Alert {
  message_id: string
  subject: string
  text: string
  /** All reported problems that are still open, old and new; empty when all are resolved. */
  problems: readonly ReportedProblem[]
}

/** Receiver (`target`) of a run's report or of an alert. `run` and `alert` are the ledger's ids. */
export type DeliveryKey = { target: string } & (
  | { run: number; alert?: undefined }
  | { alert: number; run?: undefined }
)

export function deliveryKey({ run, alert, target }: DeliveryKey): DeliveryKey {
  return run === undefined ? { alert, target } : { run, target }
}

export function deliveryName({ run, alert, target }: DeliveryKey): string {
  return run === undefined ? `alert ${alert} ${target}` : `run ${run} ${target}`
}

/** `output`: the end of the output of this try's command; absent without one. */
type DeliveryTried = DeliveryKey & { output?: string | undefined }

/** The deliverer records each try, the alert raiser each alert, a command each request. */
export type DeliveryFact =
  | ({ type: 'delivered' } & DeliveryTried)
  | ({ type: 'delivery_deferred'; not_before_ms: number; error: FaultNote } & DeliveryTried)
  /** Given up: a user must act. */
  | ({ type: 'delivery_failed'; error: FaultNote } & DeliveryTried)
  /** A user requests these: waiting and given-up ones are due now, and new targets are added. */
  | { type: 'delivery_wanted_again'; run: number; targets: readonly string[] }
  | ({ type: 'alert_raised'; targets: readonly string[] } & Alert)
