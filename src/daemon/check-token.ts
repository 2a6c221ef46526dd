import { SluiceError } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Outcome } from '../remote/outcome.ts'
import { textOf } from '../sync/give-up.ts'
import { openRemote } from './open-remote.ts'

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
  const ended = new AbortController()
  const end = () => ended.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const late = clock.sleep(patience_ms, ended.signal).then(() => undefined)
    const outcome: Outcome<unknown> | undefined = await Promise.race([
      remote.listAssets(config.service.project_id, { limit: 1 }),
      late,
    ])
    if (outcome?.ok === true) return 'taken'
    if (outcome === undefined) return 'unreachable'
    const { failure } = outcome
    if (failure.about === 'account' && failure.status !== payment_required) {
      throw new SluiceError({
        code: 'account.refused',
        message: `the service refuses the token (${secrets.source}): ${textOf(failure)}`,
        hint: 'make a new one where it came from, put it in its place, and start again',
      })
    }
    return failure.about === 'network' || failure.about === 'later' ? 'unreachable' : 'taken'
  } finally {
    end()
    signal.removeEventListener('abort', end)
    await remote.close()
  }
}
