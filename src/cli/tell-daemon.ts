import { system_clock } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { ControlClient } from '../control/control-client.ts'
import { ledgerLimits } from '../daemon/limits.ts'
import type { Fact } from '../domain/fact.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { besideOrAlone } from './beside-or-alone.ts'

/**
 * A person's word: said to the daemon where one holds the ledger, else recorded here. Answers whether a daemon took it. Errors:
 * `ledger.locked` where another process that cannot be asked holds the ledger.
 */
export function tellDaemon(
  config: Config,
  say: { to_daemon: (control: ControlClient) => Promise<void>; to_ledger: () => readonly Fact[] },
): Promise<boolean> {
  const { state_dir } = config
  return besideOrAlone(state_dir, {
    async beside(control) {
      await say.to_daemon(control)
      return true
    },
    async alone() {
      const ledger = await openLedger({ state_dir, limits: ledgerLimits(config), clock: system_clock })
      try {
        await ledger.record(say.to_ledger())
      } finally {
        await ledger.close()
      }
      return false
    },
  })
}
