import type { FaultNote } from './fault-note.ts'

/** A promise that is not kept, as an alert reported it. */
export interface ToldReason {
  promise: string
  about: string
  message: string
  since_ms: number
}

/** A change of the health, as receivers get it. */
export interface Alert {
  message_id: string
  subject: string
  text: string
  /** What stands from now on; empty when all is well again. */
  reasons: readonly ToldReason[]
}

/** One receiver of a report (`run`) or of an alert (`alert`); both are ids of the ledger. */
export type DeliveryKey = { target: string } & ({ run: number; alert?: undefined } | { alert: number; run?: undefined })

export function deliveryKey({ run, alert, target }: DeliveryKey): DeliveryKey {
  return run === undefined ? { alert, target } : { run, target }
}

/** No two deliveries have the same. */
export function deliveryName({ run, alert, target }: DeliveryKey): string {
  return run === undefined ? `alert ${alert} ${target}` : `run ${run} ${target}`
}

/** `output`: the end of what a command wrote at this try. */
type DeliveryTried = DeliveryKey & { output?: string | undefined }

/** The deliverer records each try, the keeper of the health each alert. */
export type DeliveryFact =
  | ({ type: 'delivered' } & DeliveryTried)
  | ({ type: 'delivery_set_back'; not_before_ms: number; error: FaultNote } & DeliveryTried)
  /** Given up: a person must look. */
  | ({ type: 'delivery_failed'; error: FaultNote } & DeliveryTried)
  /**
   * A person wants these again: what was given up or waits is due now. A target that the run did
   * not have is new. What was delivered stays so.
   */
  | { type: 'delivery_wanted_again'; run: number; targets: readonly string[] }
  | ({ type: 'alert_raised'; targets: readonly string[] } & Alert)
