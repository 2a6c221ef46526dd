import { isSluiceError, type SluiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createFileLines, type FileLines } from '../base/log-rate.ts'
import type { Clock } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { type Examiner, startExaminer } from '../disk/examiner.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { Remote } from '../remote/remote.ts'
import type { SyncReport } from '../sync/report.ts'
import { ledgerLimits } from './limits.ts'
import { logReport } from './log-report.ts'
import { openRemote } from './open-remote.ts'

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
  const remote = openRemote(config, secrets, clock)
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
