import { isSluiceError, type SluiceError } from '../base/run/errors.ts'
import { answering, createPulses, type Pulses } from '../base/run/pulse.ts'
import type { Log } from '../base/text/log.ts'
import { createFileLines } from '../base/text/log-rate.ts'
import type { Clock } from '../base/time/time.ts'
import { type WakeAt, wakeAt } from '../base/time/wake-at.ts'
import type { Config, LogConfig } from '../config/config.ts'
import { startExaminer } from '../disk/read/examiner.ts'
import { startRootAsker } from '../disk/root/root-asker.ts'
import { keepScanThread, kept_once_ms, kept_watching_ms } from '../disk/scan/scan-threads.ts'
import { type LedgerFault, watchLedgerPlace } from '../ledger/file/state-directory.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { Measures } from '../status/metrics.ts'
import type { SyncReport } from '../sync/report.ts'
import { createBandwidth } from '../sync/upload/bandwidth.ts'
import { logPromptReport, logReport } from './health/log-report.ts'
import { ledgerLimits } from './limits.ts'

/** With this the names of the pulses of the ledger's calls begin. */
export const ledger_pulse = 'the ledger'

/** What lives as long as the process, whatever the config becomes meanwhile: each opened once, closed in reverse. */
export type Tools = Awaited<ReturnType<typeof openTools>>

export interface ToolOptions {
  config: Config
  clock: Clock
  /** Follows `clock`; absent: node-cron, which follows the clock of the machine. */
  wakeAt?: WakeAt
  log: Log
  mode?: 'run' | 'once'
  /** Tests stop the world after a fact. */
  wrap_ledger?: (ledger: Ledger) => Ledger
  /** Of the watchdog that looks at them. */
  pulses?: Pulses
}

/** Errors: `ledger.locked`, `database.*`; nothing stays open then. */
export async function openTools({ config, clock, log, mode, wrap_ledger, ...options }: ToolOptions) {
  const { pulses = createPulses(clock) } = options
  const rooms = { sync: log.child({ room: 'sync' }), prompts: log.child({ room: 'prompts' }) }
  const opened = await openLedger({ state_dir: config.state_dir, limits: ledgerLimits(config), clock })
  const ledger = wrap_ledger?.(opened) ?? opened
  const ledgerLoss = watchLedgerPlace(config.state_dir, clock)
  const lines = createFileLines({ log: rooms.sync, clock, files_per_second: config.log.files_per_second })
  const roots = startRootAsker(clock)
  const silence = { roots, answer_ms: config.scan.answer_ms }
  const examiner = startExaminer({ threads: config.hashing.threads, pulses, clock, silence })
  const logged = logReport(rooms.sync, lines, clock)
  const measures: { current: Measures | undefined } = { current: undefined }
  let worker_fault: SluiceError | undefined
  /** From the first failure until something is recorded again. */
  let record_fault: LedgerFault | undefined

  /** Facts are counted once they are durable. */
  const record: Ledger['record'] = async (facts) => {
    try {
      await ledger.record(facts)
    } catch (error) {
      if (isLasting(error)) record_fault = { error, since_ms: record_fault?.since_ms ?? clock.now_ms() }
      throw error
    }
    record_fault = undefined
    measures.current?.facts(facts, clock.now_ms())
  }
  const report: SyncReport = {
    ...logged,
    sent(name, bytes) {
      measures.current?.sent(bytes)
      logged.sent(name, bytes)
    },
    fault(where, error) {
      if (isLasting(error)) worker_fault = error
      logged.fault(where, error)
    },
  }
  return {
    ledger: answering(pulses, ledger_pulse, { ...ledger, record }),
    examiner,
    roots,
    scan_thread: keepScanThread(clock, mode === 'once' ? kept_once_ms : kept_watching_ms),
    clock,
    wakeAt: options.wakeAt ?? wakeAt,
    /** How much of the line uploads take, those of every generation together. */
    bandwidth: createBandwidth(clock),
    report,
    prompt_report: logPromptReport(rooms.prompts, clock),
    lines,
    /** Who works says so here. */
    pulses,
    /** What the disk under the ledger did to a worker; the last of it. */
    ledgerFault: () => worker_fault,
    /** Why nothing can be recorded now, or why what is will not last: its file was taken away. */
    ledgerTrouble: () => record_fault ?? ledgerLoss(),
    /** The second of them alone. */
    ledgerLoss,
    /** Who counts what happens, where anybody does. */
    measures,
    /** The format stays: what reads the log has begun in it. */
    setLogLevel(level: LogConfig['level']): void {
      // A child has its level from its parent once, when it is made.
      for (const one of [log, rooms.sync, rooms.prompts]) one.level = level
    },
  }
}

/** Faults that no second try a moment later mends; a lock that somebody holds for a backup is none of them. */
const lasting_faults = ['database.full', 'database.disk', 'database.damaged', 'database.unreadable']

function isLasting(error: unknown): error is SluiceError {
  return isSluiceError(error) && lasting_faults.includes(error.code)
}
