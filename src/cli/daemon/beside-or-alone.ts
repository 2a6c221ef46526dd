import { isSluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { type ControlClient, connectControl } from '../../control/control-client.ts'
import type { Fact } from '../../domain/fact.ts'
import { withLedger } from './open.ts'

/**
 * Passes a command of the user to the daemon that holds the ledger, or records it here. Returns
 * whether a daemon took it. Error `ledger.locked`: a process that cannot be asked holds the ledger.
 */
export function passToDaemon(
  config: Config,
  say: { to_daemon: (control: ControlClient) => Promise<void>; to_ledger: () => readonly Fact[] },
): Promise<boolean> {
  return besideOrAlone(config.state_dir, {
    async beside(control) {
      await say.to_daemon(control)
      return true
    },
    async alone() {
      await withLedger(config, (ledger) => ledger.record(say.to_ledger()))
      return false
    },
  })
}

/** A daemon holds the ledger for a moment before it listens and after it has stopped listening. */
const patience_ms = 5 * second_ms
const retry_ms = 100

/**
 * Runs `beside` with the daemon that holds the ledger, or `alone` without one. If `alone` throws
 * `ledger.locked`, before it does anything, this waits for the other process to listen or to end.
 */
export async function besideOrAlone<Answer>(
  state_dir: string,
  {
    beside,
    alone,
  }: { beside: (control: ControlClient) => Promise<Answer>; alone: () => Promise<Answer> },
  clock: Clock = system_clock,
): Promise<Answer> {
  const began_ms = clock.monotonic_ms()
  for (;;) {
    const control = await connectControl(state_dir)
    if (control) return beside(control).finally(() => control.close())
    try {
      return await alone()
    } catch (error) {
      if (!isSluiceError(error, 'ledger.locked') || clock.monotonic_ms() - began_ms > patience_ms)
        throw error
    }
    await clock.sleep(retry_ms)
  }
}
