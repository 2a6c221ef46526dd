import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isSluiceError, messageOf, SluiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createFileLines, type FileLines } from '../base/log-rate.ts'
import type { Clock } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import { type Examiner, startExaminer } from '../disk/examiner.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { createRemote, type Remote } from '../remote/remote.ts'
import type { SyncReport } from '../sync/report.ts'
import { ledgerLimits } from './limits.ts'
import { logReport } from './log-report.ts'

/** What every worker is handed: each opened once, closed in reverse. */
export interface Tools {
  ledger: Ledger
  remote: Remote
  examiner: Examiner
  clock: Clock
  report: SyncReport
  lines: FileLines
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
}

/** Errors: `ledger.locked`, `database.*`, `config.*`; nothing stays open then. */
export async function openTools({ config, secrets, clock, log, wrap_ledger }: ToolOptions): Promise<Tools> {
  const room = log.child({ room: 'sync' })
  const remote = createRemote({
    base_url: config.service.base_url,
    token: () => secrets.token(),
    connections: config.uploads.concurrency,
    ca: config.service.ca_file === undefined ? undefined : readCa(config.service.ca_file),
    proxy: readEnvironment().proxy,
    timeouts: { answer_ms: config.uploads.request_timeout_ms, stall_ms: config.uploads.stall_timeout_ms },
    user_agent: `sluice/${programVersion()}`,
    clock,
  })
  try {
    const ledger = await openLedger({ state_dir: config.state_dir, limits: ledgerLimits(config), clock })
    const lines = createFileLines({ log: room, clock, files_per_second: config.log.files_per_second })
    const examiner = startExaminer({ threads: config.hashing.threads })
    const { report, ledgerFault } = notingLedgerFaults(logReport(room, lines, clock))
    return { ledger: wrap_ledger?.(ledger) ?? ledger, remote, examiner, clock, report, lines, ledgerFault }
  } catch (error) {
    await remote.close()
    throw error
  }
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

function readCa(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    // What is no certificate would be left out in silence, and every connection would then fail for another reason.
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new SluiceError({
      code: 'config.ca_file',
      message: `service.ca_file ${file} cannot be used: ${messageOf(error)}`,
      hint: 'give the path of a PEM file with certificates that this user can read',
      cause: error,
    })
  }
}
