import { isSluiceError, type SluiceError } from '../base/errors.ts'
import { createHttpClient, type HttpClient } from '../base/http-client.ts'
import type { Log } from '../base/log.ts'
import { createFileLines, type FileLines } from '../base/log-rate.ts'
import { answering, createPulses, type Pulses } from '../base/pulse.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import { type Examiner, startExaminer } from '../disk/examiner.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { PromptReport } from '../prompts/prompt-report.ts'
import type { Remote } from '../remote/remote.ts'
import type { SyncReport } from '../sync/report.ts'
import { ledgerLimits } from './limits.ts'
import { logPromptReport, logReport } from './log-report.ts'
import { openRemote } from './open-remote.ts'

/** What every worker is handed: each opened once, closed in reverse. */
export interface Tools {
  ledger: Ledger
  remote: Remote
  /** To the receivers of reports, never with our token. */
  receivers: HttpClient
  examiner: Examiner
  clock: Clock
  report: SyncReport
  prompt_report: PromptReport
  lines: FileLines
  /** Who works says so here. */
  pulses: Pulses
  /** What the disk under the ledger did to a worker; the last of it. */
  ledgerFault(): SluiceError | undefined
}

export interface ToolOptions {
  config: Config
  secrets: Secrets
  clock: Clock
  log: Log
  /** Tests stop the world after a fact. */
  wrap_ledger?: (ledger: Ledger) => Ledger
  /** Of the watchdog that looks at them. */
  pulses?: Pulses
}

/** Errors: `ledger.locked`, `database.*`, `config.*`; nothing stays open then. */
export async function openTools({ config, secrets, clock, log, wrap_ledger, ...options }: ToolOptions): Promise<Tools> {
  const { pulses = createPulses(clock) } = options
  const room = log.child({ room: 'sync' })
  const remote = openRemote(config, secrets, clock, pulses)
  const receivers = openReceivers(clock)
  try {
    const ledger = await openLedger({ state_dir: config.state_dir, limits: ledgerLimits(config), clock })
    const lines = createFileLines({ log: room, clock, files_per_second: config.log.files_per_second })
    const examiner = startExaminer({ threads: config.hashing.threads, pulses })
    const { report, ledgerFault } = notingLedgerFaults(logReport(room, lines, clock))
    const prompt_report = logPromptReport(log.child({ room: 'prompts' }), clock)
    const watched = answering(pulses, 'the ledger', wrap_ledger?.(ledger) ?? ledger)
    return { ledger: watched, remote, receivers, examiner, clock, report, prompt_report, lines, pulses, ledgerFault }
  } catch (error) {
    await Promise.all([remote.close(), receivers.close()])
    throw error
  }
}

/** Receivers answer within seconds; one that hangs is tried again later. Of their answers a few words are shown. */
function openReceivers(clock: Clock): HttpClient {
  const patience_ms = 30 * second_ms
  const timeouts = { connect_ms: patience_ms, answer_ms: patience_ms, body_ms: patience_ms, stall_ms: patience_ms }
  const { proxy } = readEnvironment()
  return createHttpClient({ connections: 4, proxy, timeouts, max_body_bytes: 65_536, clock })
}

/** Faults that no second try a moment later mends; a lock that somebody holds for a backup is none of them. */
const lasting = ['database.full', 'database.disk', 'database.damaged', 'database.unreadable']

function notingLedgerFaults(report: SyncReport): { report: SyncReport; ledgerFault: () => SluiceError | undefined } {
  let last: SluiceError | undefined
  return {
    report: {
      ...report,
      fault(where, error) {
        if (isSluiceError(error) && lasting.includes(error.code)) last = error
        report.fault(where, error)
      },
    },
    ledgerFault: () => last,
  }
}
