import type { SluiceError } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Daemon } from './daemon.ts'

/** Receivers that work answer within seconds, and whoever started the daemon waits for its end. */
const max_wait_ms = 15 * second_ms

/**
 * Sends the alerts of a daemon that is about to end because its token is refused: no later look at
 * the health would send them. Waits for the receivers until `max_wait_ms`, or until `hurry` aborts.
 * What is not delivered by then is tried at the next start.
 */
export async function tellRefusal(
  { ledger, health }: Pick<Daemon, 'ledger' | 'health'>,
  { code, message, hint }: SluiceError,
  { clock, hurry, on_error }: { clock: Clock; hurry: AbortSignal; on_error: (error: unknown) => void },
): Promise<void> {
  const waiting = new AbortController()
  const told = async () => {
    await ledger.record([{ type: 'trouble_began', about: 'account', error: { code, message, hint } }])
    await health?.tellAtOnce()
  }
  const signal = AbortSignal.any([waiting.signal, hurry])
  try {
    await Promise.race([told().catch(on_error), clock.sleep(max_wait_ms, signal)])
  } finally {
    waiting.abort()
  }
}
