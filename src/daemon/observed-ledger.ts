import { isSluiceError } from '../base/errors.ts'
import type { Clock } from '../base/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LedgerFault } from '../ledger/ledger-place.ts'
import type { Measures } from '../status/measures.ts'

/** Faults that no second try a moment later mends; a lock that somebody holds for a backup is none of them. */
export const lasting_faults = ['database.full', 'database.disk', 'database.damaged', 'database.unreadable']

export interface ObservedLedger {
  ledger: Ledger
  /** Why nothing can be recorded, from the first failure until something is recorded again. */
  fault(): LedgerFault | undefined
}

/** The ledger, whose facts are counted once they are durable, and whose faults are noted. */
export function observeLedger(ledger: Ledger, clock: Clock, measures: () => Measures | undefined): ObservedLedger {
  let fault: ReturnType<ObservedLedger['fault']>
  return {
    ledger: {
      ...ledger,
      async record(facts) {
        try {
          await ledger.record(facts)
        } catch (error) {
          if (isSluiceError(error) && lasting_faults.includes(error.code)) {
            fault = { error, since_ms: fault?.since_ms ?? clock.now_ms() }
          }
          throw error
        }
        fault = undefined
        measures()?.facts(facts, clock.now_ms())
      },
    },
    fault: () => fault,
  }
}
