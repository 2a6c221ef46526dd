import { SluiceError } from '../base/run/errors.ts'
import { within } from '../base/run/waits.ts'
import { type Clock, second_ms } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { failureText, type Outcome } from '../remote/outcome.ts'
import { openRemote } from './open-remote.ts'
import type { Daemon } from './running-daemon.ts'

/** Somebody waits for the start; a service that has not answered by then is waited for by the workers. */
const patience_ms = 10 * second_ms
const payment_required = 402

/**
 * Shows the token to the service, once. `taken`: whatever else is wrong, it is not the token. `unreachable`: nobody answered in
 * time. Error `account.refused`: the service will not have it, now or later. What is not paid for can be paid: that is waited for.
 */
export async function checkToken(
  config: Config,
  secrets: Secrets,
  clock: Clock,
  signal: AbortSignal,
): Promise<'taken' | 'unreachable'> {
  const remote = openRemote(config, () => secrets.token(), clock)
  try {
    const listed = remote.listAssets(config.service.project_id, { limit: 1 })
    const outcome = await within<Outcome<unknown>>(listed, patience_ms, clock, signal)
    if (outcome?.ok === true) return 'taken'
    if (outcome === undefined) return 'unreachable'
    const { failure } = outcome
    if (failure.about === 'account' && failure.status !== payment_required) {
      throw new SluiceError({
        code: 'account.refused',
        message: `the service refuses the token (${secrets.source}): ${failureText(failure)}`,
        hint: 'make a new one where it came from, put it in its place, and start again',
      })
    }
    return failure.about === 'network' || failure.about === 'later' ? 'unreachable' : 'taken'
  } finally {
    await remote.close()
  }
}

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
  const told = async () => {
    await ledger.record([{ type: 'trouble_began', about: 'account', error: { code, message, hint } }])
    await health?.tellAtOnce()
  }
  await within(told().catch(on_error), max_wait_ms, clock, hurry)
}
