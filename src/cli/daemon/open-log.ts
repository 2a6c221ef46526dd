import { createLog, type Log, type LogOptions } from '../../base/text/log.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import type { Terminal } from '../text/terminal.ts'

/** The log of a command that works: on standard error, as the configuration says. */
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
