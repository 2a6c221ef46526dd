import { SluiceError } from '../base/run/errors.ts'
import { type Clock, second_ms, within } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { judgeFailure } from '../remote/judge-failure.ts'
import { openRemote } from '../remote/open-remote.ts'
import type { Outcome } from '../remote/outcome.ts'
import type { Daemon } from './running-daemon.ts'

/** Maximum wait, because the operator waits for the start. The workers go on trying. */
const patience_ms = 10 * second_ms

/**
 * Tries the token with one call. `taken`: the service does not refuse it, whatever else is wrong.
 * `unreachable`: no answer in time, or a fault of the network or the service. Error
 * `account.refused`.
 */
export async function checkToken(
  config: Config,
  secrets: Secrets,
  clock: Clock,
  signal: AbortSignal,
): Promise<'taken' | 'unreachable'> {
  const remote = await openRemote(config, () => secrets.token(), clock)
  try {
    const listed = remote.listAssets(config.service.project_id, { limit: 1 })
    const outcome = await within<Outcome<unknown>>(listed, patience_ms, clock, signal)
    if (outcome?.ok === true) return 'taken'
    if (outcome === undefined) return 'unreachable'
    const { failure } = outcome
    const { blame, fact } = judgeFailure(failure, {})
    if (blame === 'token') {
      throw new SluiceError({
        code: 'account.refused',
        message: `the service refuses the token (${secrets.source})`,
        hint: 'make a new token where the old one came from, replace the old one, and start Sluice again',
      })
    }
    return fact === 'again' && failure.about !== 'unknown_protocol' ? 'unreachable' : 'taken'
  } finally {
    await remote.close()
  }
}

/** Working receivers answer within seconds, and the operator waits for the daemon to end. */
const max_wait_ms = 15 * second_ms

/**
 * Sends the alerts of a daemon that ends because its token is refused: no later health check would
 * send them. Waits until `max_wait_ms` have passed or `hurry` aborts. The next start retries what
 * is not delivered by then.
 */
export async function reportRefusal(
  { ledger, health }: Pick<Daemon, 'ledger' | 'health'>,
  { code, message, hint }: SluiceError,
  {
    clock,
    hurry,
    on_error,
  }: { clock: Clock; hurry: AbortSignal; on_error: (error: unknown) => void },
): Promise<void> {
  const alerted = async () => {
    await ledger.record([
      { type: 'trouble_began', about: 'account', error: { code, message, hint } },
    ])
    await health?.alertAtOnce()
  }
  await within(alerted().catch(on_error), max_wait_ms, clock, hurry)
}
