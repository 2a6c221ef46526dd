import { SluiceError } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Fact } from '../domain/fact.ts'
import type { Ledger } from '../ledger/ledger.ts'

export interface Recorder {
  ledger: Pick<Ledger, 'record'>
  clock: Clock
  /** Whether calls of the ledger have had no answer for too long. */
  isLedgerStuck(): boolean
}

const look_ms = second_ms

/**
 * For whoever must not hang with the ledger: waits for its answer only while it moves. Errors: those of `record`, and
 * `ledger.no_answer`; then the facts may come to be recorded all the same.
 */
export async function recordUnlessStuck({ ledger, clock, isLedgerStuck }: Recorder, facts: Fact[]): Promise<void> {
  const answered = new AbortController()
  const giveUp = async () => {
    while (!answered.signal.aborted) {
      await clock.sleep(look_ms, answered.signal)
      if (!answered.signal.aborted && isLedgerStuck()) throw noAnswer()
    }
  }
  try {
    if (isLedgerStuck()) throw noAnswer()
    await Promise.race([ledger.record(facts), giveUp()])
  } finally {
    answered.abort()
  }
}

function noAnswer(): SluiceError {
  return new SluiceError({
    code: 'ledger.no_answer',
    message: 'the ledger does not answer',
    hint: 'restart the daemon; if it comes again, look at the disk under state_dir',
  })
}
