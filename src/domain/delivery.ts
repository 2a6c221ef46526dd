import type { FaultNote } from '../base/run/errors.ts'

/** A problem of the health, as an alert reported it. */
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

/**
 * Receiver (`target`) of a run's report or of an alert; `run` and `alert` are ids of the ledger.
 */
export type DeliveryKey = { target: string } & ({ run: number; alert?: undefined } | { alert: number; run?: undefined })

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
  /**
   * A user requests these again: deliveries that wait or were given up are due now. A target that
   * the run did not have is added. Finished deliveries stay finished.
   */
  | { type: 'delivery_wanted_again'; run: number; targets: readonly string[] }
  | ({ type: 'alert_raised'; targets: readonly string[] } & Alert)
