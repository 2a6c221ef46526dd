import { isSluiceError, type SluiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createFileLines, type FileLines } from '../base/log-rate.ts'
import { answering, createPulses, type Pulses } from '../base/pulse.ts'
import type { Clock } from '../base/time.ts'
import type { Config, LogConfig } from '../config/config.ts'
import { type Examiner, startExaminer } from '../disk/examiner.ts'
import { type KeptScanThread, keepScanThread, kept_once_ms, kept_watching_ms } from '../disk/kept-scan-thread.ts'
import { type RootAsker, startRootAsker } from '../disk/root-asker.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type LedgerFault, watchLedgerPlace } from '../ledger/ledger-place.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { PromptReport } from '../prompts/prompt-report.ts'
import type { Measures } from '../status/measures.ts'
import { type Bandwidth, createBandwidth } from '../sync/bandwidth.ts'
import type { SyncReport } from '../sync/report.ts'
import { ledgerLimits } from './limits.ts'
import { logPromptReport, logReport } from './log-report.ts'

/** With this the names of the pulses of the ledger's calls begin. */
export const ledger_pulse = 'the ledger'

/** What lives as long as the process, whatever the config becomes meanwhile: each opened once, closed in reverse. */
export interface Tools {
  ledger: Ledger
  examiner: Examiner
  roots: RootAsker
  scan_thread: KeptScanThread
  clock: Clock
  /** How much of the line uploads take, those of every generation together. */
  bandwidth: Bandwidth
  report: SyncReport
  prompt_report: PromptReport
  lines: FileLines
  /** Who works says so here. */
  pulses: Pulses
  /** What the disk under the ledger did to a worker; the last of it. */
  ledgerFault(): SluiceError | undefined
  /** Why nothing can be recorded now, or why what is will not last: its file was taken away. */
  ledgerTrouble(): LedgerFault | undefined
  /** The second of them alone. */
  ledgerLoss(): LedgerFault | undefined
  /** Who counts what happens, where anybody does. */
  measures: { current: Measures | undefined }
  /** The format stays: what reads the log has begun in it. */
  setLogLevel(level: LogConfig['level']): void
}

export interface ToolOptions {
  config: Config
  clock: Clock
  log: Log
  mode?: 'run' | 'once'
  /** Tests stop the world after a fact. */
  wrap_ledger?: (ledger: Ledger) => Ledger
  /** Of the watchdog that looks at them. */
  pulses?: Pulses
}

/** Errors: `ledger.locked`, `database.*`; nothing stays open then. */
export async function openTools({ config, clock, log, mode, wrap_ledger, ...options }: ToolOptions): Promise<Tools> {
  const { pulses = createPulses(clock) } = options
  const rooms = { sync: log.child({ room: 'sync' }), prompts: log.child({ room: 'prompts' }) }
  const ledger = await openLedger({ state_dir: config.state_dir, limits: ledgerLimits(config), clock })
  const ledgerLoss = watchLedgerPlace(config.state_dir, clock)
  const lines = createFileLines({ log: rooms.sync, clock, files_per_second: config.log.files_per_second })
  const roots = startRootAsker(clock)
  const silence = { roots, answer_ms: config.scan.answer_ms }
  const examiner = startExaminer({ threads: config.hashing.threads, pulses, clock, silence })
  const { report, ledgerFault } = notingLedgerFaults(logReport(rooms.sync, lines, clock))
  const measures: Tools['measures'] = { current: undefined }
  const observed = observeLedger(wrap_ledger?.(ledger) ?? ledger, clock, () => measures.current)
  return {
    ledger: answering(pulses, ledger_pulse, observed.ledger),
    examiner,
    roots,
    scan_thread: keepScanThread(clock, mode === 'once' ? kept_once_ms : kept_watching_ms),
    clock,
    bandwidth: createBandwidth(clock),
    report: countingSent(report, measures),
    prompt_report: logPromptReport(rooms.prompts, clock),
    lines,
    pulses,
    ledgerFault,
    ledgerTrouble: () => observed.fault() ?? ledgerLoss(),
    ledgerLoss,
    measures,
    setLogLevel(level) {
      // A child has its level from its parent once, when it is made.
      for (const one of [log, rooms.sync, rooms.prompts]) one.level = level
    },
  }
}

function countingSent(report: SyncReport, measures: Tools['measures']): SyncReport {
  return {
    ...report,
    sent(name, bytes) {
      measures.current?.sent(bytes)
      report.sent(name, bytes)
    },
  }
}

function notingLedgerFaults(report: SyncReport): { report: SyncReport; ledgerFault: () => SluiceError | undefined } {
  let last: SluiceError | undefined
  return {
    report: {
      ...report,
      fault(where, error) {
        if (isSluiceError(error) && lasting_faults.includes(error.code)) last = error
        report.fault(where, error)
      },
    },
    ledgerFault: () => last,
  }
}

/** Faults that no second try a moment later mends; a lock that somebody holds for a backup is none of them. */
const lasting_faults = ['database.full', 'database.disk', 'database.damaged', 'database.unreadable']

interface ObservedLedger {
  ledger: Ledger
  /** Why nothing can be recorded, from the first failure until something is recorded again. */
  fault(): LedgerFault | undefined
}

/** The ledger, whose facts are counted once they are durable, and whose faults are noted. */
function observeLedger(ledger: Ledger, clock: Clock, measures: () => Measures | undefined): ObservedLedger {
  let fault: ReturnType<ObservedLedger['fault']>
  return {
    ledger: {
      ...ledger,
      async record(facts) {
        try {
          await ledger.record(facts)
        } catch (error) {
          if (isSluiceError(error) && lasting_faults.includes(error.code)) {
            fault = { error, since_ms: fault?.since_ms ?? clock.now_ms() }
          }
          throw error
        }
        fault = undefined
        measures()?.facts(facts, clock.now_ms())
      },
    },
    fault: () => fault,
  }
}
