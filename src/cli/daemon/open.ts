import { dirname } from 'node:path'
import type { Argv } from 'yargs'
import { noAnswer } from '../../base/files/ask-paths.ts'
import { mayHang } from '../../base/files/mount-table.ts'
import type { Paths } from '../../base/files/paths.ts'
import { createLog, type Log, type LogDestination } from '../../base/text/log.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { loadConfig } from '../../config/load.ts'
import { openSecrets, type Secrets } from '../../config/secrets.ts'
import { ledgerLimits } from '../../daemon/limits.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { openLedger } from '../../ledger/open-ledger.ts'
import { type GlobalOptions, text } from '../command.ts'
import { onPaths } from '../on-paths.ts'
import { targetFile } from '../place.ts'
import { logText, oncePerReason } from '../text/log-text.ts'
import { printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'
import { openLogFile } from './log-file.ts'
import { ThreadLog } from './thread-log.ts'

export interface LogFlags extends GlobalOptions {
  verbose: boolean | undefined
  quiet: boolean | undefined
  'log-file': string | undefined
}

export function logOptions<Options extends GlobalOptions>(
  yargs: Argv<Options>,
): Argv<Options & LogFlags> {
  // Without a default: yargs would take that for a flag that conflicts.
  return yargs
    .option('verbose', {
      type: 'boolean',
      alias: 'v',
      describe: 'log details, too (log level debug)',
    })
    .option('quiet', {
      type: 'boolean',
      alias: 'q',
      describe: 'no progress; log only warnings and errors',
    })
    .conflicts('verbose', 'quiet')
    .option('log-file', text('append the log to this file instead of standard error')) as Argv<
    Options & LogFlags
  >
}

/**
 * The configuration, with the log level of the flags. `log_file`: absolute path. Error
 * `usage.target`: the log file is in a watched folder, also in one that a reload adds. Error
 * `path.no_answer`: its directory does not answer, and this is no reload, with the log open.
 */
export function loadWithFlags(
  { config: file, verbose, quiet, 'log-file': log_file }: LogFlags,
  paths: Paths,
  is_reload = false,
) {
  const log_level = verbose ? 'debug' : quiet ? 'warn' : undefined
  const loaded = loadConfig({ file, log_level, paths })
  const log_target =
    log_file === undefined ? undefined : targetFile(log_file, loaded.config, process.cwd(), paths)
  if (log_target !== undefined && !is_reload && paths.look(dirname(log_target)).is_silent)
    throw noAnswer(log_target)
  return { ...loaded, log_file: log_target, paths }
}

/**
 * The log of a command as configured, in a file or on standard error. `beside_progress`: standard
 * error shows the progress, so it gets only warnings and errors. `has_summary`: the command counts
 * the files of each reason at its end, so each reason gets one line. Error `usage.target`: the file
 * cannot be written.
 */
export function openLog(
  { log: { level, format } }: Config,
  options: {
    file: string | undefined
    beside_progress?: boolean
    has_summary?: boolean
    destination?: LogDestination
  },
): Log {
  const { file, beside_progress = false, has_summary = false, destination } = options
  if (file !== undefined) {
    return createLog({
      level,
      format: format === 'json' ? 'json' : logText({ stamp: 'date', colors: false }),
      destination: logIn(file),
    })
  }
  const { journal, no_color, force_color } = readEnvironment()
  const on_terminal = process.stderr.isTTY === true
  const is_text = format === 'auto' ? journal || on_terminal : format === 'pretty'
  const stamp = journal ? 'none' : on_terminal ? 'time' : 'date'
  const rows = logText({ stamp, colors: (on_terminal || force_color) && !no_color })
  const text = has_summary ? oncePerReason(rows) : rows
  return createLog({
    level: beside_progress && level === 'info' ? 'warn' : level,
    format: is_text ? text : 'json',
    journal,
    destination,
  })
}

/** A log in a file, as `openLogFile`. Where a share is mounted, a thread writes it. */
function logIn(file: string): LogDestination {
  const direct = openLogFile(file)
  return mayHang() ? new ThreadLog(file) : direct
}

/** Opens the token and prints the warnings about its file. */
export async function openToken(config: Config, terminal: Terminal): Promise<Secrets> {
  const { secrets, warnings } = await onPaths(terminal, (paths) =>
    openSecrets(config, undefined, paths),
  )
  for (const warning of warnings) printWarning(terminal, warning)
  return secrets
}

/** Runs `use` with the ledger and closes it. Error `ledger.locked`: another process holds it. */
export async function withLedger<Answer>(
  config: Config,
  use: (ledger: Ledger) => Promise<Answer>,
): Promise<Answer> {
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
