import { SluiceError } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Trouble } from '../ledger/trouble-rows.ts'
import type { LedgerView } from '../ledger/view.ts'

/** A service that is restarted is back within this; one that is not will hardly come back while somebody looks on. */
const patience_ms = 30 * second_ms
const look_ms = 200

/**
 * Waits until a daemon that goes on for ever has nothing left to do now. It waits out what it cannot change; a person who looks
 * on does not: a refused token or project ends this at once, a service that does not answer after `patience_ms`.
 */
export async function awaitIdle(options: {
  idle: Promise<void>
  view: LedgerView
  clock: Clock
  stopped: AbortSignal
  patience_ms?: number
}): Promise<'idle' | 'stopped' | SluiceError> {
  const { idle, view, clock, stopped } = options
  const began_ms = clock.now_ms()
  const decided = new AbortController()
  const either = AbortSignal.any([stopped, decided.signal])
  const is_idle = idle.then(() => 'idle' as const)

  async function watch(): Promise<'stopped' | SluiceError> {
    while (!either.aborted) {
      const fault = worstOf(view.troubles(), began_ms, clock.now_ms(), options.patience_ms ?? patience_ms)
      if (fault) return fault
      await clock.sleep(look_ms, either)
    }
    return 'stopped'
  }

  try {
    return await Promise.race([is_idle, watch()])
  } finally {
    decided.abort()
  }
}

function worstOf(
  troubles: readonly Trouble[],
  began_ms: number,
  now_ms: number,
  patience: number,
): SluiceError | undefined {
  for (const { about, code, message, hint, since_ms } of troubles) {
    const [what] = about.split(':')
    if (what === 'account' || what === 'project') return new SluiceError({ code: `${what}.refused`, message, hint })
    const waited_ms = now_ms - Math.max(since_ms, began_ms)
    if (waited_ms < patience) continue
    if (code !== 'service.asked_to_wait') return new SluiceError({ code: 'service.unreachable', message, hint })
    return new SluiceError({ code, message: `the service asked the daemon to wait: ${message}`, hint })
  }
  return undefined
}
