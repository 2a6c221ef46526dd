import { createLog, type Log, type LogOptions } from '../../base/text/log.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { openSecrets, type Secrets } from '../../config/secrets.ts'
import { ledgerLimits } from '../../daemon/limits.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { openLedger } from '../../ledger/open-ledger.ts'
import { printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/** The log of a command, on standard error and as configured. */
export function openLog(config: Config, terminal: Terminal, change: Partial<LogOptions> = {}): Log {
  const { journal, no_color, force_color } = readEnvironment()
  return createLog({
    level: config.log.level,
    format: config.log.format,
    journal,
    colors: (terminal.is_interactive || force_color) && !no_color,
    ...change,
  })
}

/** The log level of a command with progress of its own: `warn` in place of `info`. */
export function quietLevel({ log }: Config): LogOptions['level'] {
  return log.level === 'info' ? 'warn' : log.level
}

/** Opens the token and prints the warnings about its file. */
export function openToken(config: Config, terminal: Terminal): Secrets {
  const { secrets, warnings } = openSecrets(config)
  for (const warning of warnings) printWarning(terminal, warning)
  return secrets
}

/** Runs `use` with the ledger and closes it. Error `ledger.locked`: another process holds it. */
export async function withLedger<Answer>(config: Config, use: (ledger: Ledger) => Promise<Answer>): Promise<Answer> {
  const ledger = await openLedger({
    state_dir: config.state_dir,
    limits: ledgerLimits(config),
    clock: system_clock,
  })
  try {
    return await use(ledger)
  } finally {
    await ledger.close()
  }
}
