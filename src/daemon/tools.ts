import { isSluiceError, type SluiceError } from '../base/run/errors.ts'
import { answering, createHeartbeats, type Heartbeats } from '../base/run/heartbeat.ts'
import { createFileLines, type Log } from '../base/text/log.ts'
import { type WakeAt, wakeAt } from '../base/time/cron.ts'
import { type Clock, second_ms, within } from '../base/time/time.ts'
import type { Config, LogConfig } from '../config/config.ts'
import { startExaminer } from '../disk/read/examiner.ts'
import { impatient, startRootAsker } from '../disk/root/root-asker.ts'
import { keepScanThread, kept_once_ms, kept_watching_ms } from '../disk/scan/scan-threads.ts'
import { fact_table } from '../ledger/fact-table.ts'
import { type LedgerFault, watchLedgerPlace } from '../ledger/file/ledger-place.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { Measures } from '../status/metrics.ts'
import type { SyncReport } from '../sync/report.ts'
import { createBandwidth } from '../sync/upload/bandwidth.ts'
import { Flights } from '../sync/upload/flights.ts'
import { logPromptReport, logReport } from './health/log-report.ts'
import { ledgerLimits } from './limits.ts'

/** Prefix of the names of all heartbeats that belong to ledger calls. */
export const ledger_heartbeat = 'the ledger'

/** Tools that outlive each config: opened once, and closed in reverse order. */
export type Tools = Awaited<ReturnType<typeof openTools>>

export interface ToolOptions {
  config: Config
  clock: Clock
  /** For tests: cron by `clock`. Absent: node-cron, which follows the clock of the machine. */
  wakeAt?: WakeAt
  log: Log
  mode?: 'run' | 'once'
  /** Wraps the ledger; for tests that stop everything after a certain fact. */
  wrap_ledger?: (ledger: Ledger) => Ledger
  /** Heartbeats for the watchdog; absent: new ones. */
  heartbeats?: Heartbeats
}

/** Errors: `ledger.locked`, `database.*`; nothing stays open then. */
export async function openTools({
  config,
  clock,
  log,
  mode,
  wrap_ledger,
  ...options
}: ToolOptions) {
  const { heartbeats = createHeartbeats(clock) } = options
  const logs = { sync: log.child({ module: 'sync' }), prompts: log.child({ module: 'prompts' }) }
  const on_linked = (name: string) => report.linked(name)
  const opened = await openLedger({
    state_dir: config.state_dir,
    limits: ledgerLimits(config),
    clock,
    command: mode === 'once' ? 'a single pass' : 'sluice run',
    on_linked,
  })
  const ledger = wrap_ledger?.(opened) ?? opened
  const ledgerLoss = watchLedgerPlace(config.state_dir, clock)
  const lines = createFileLines({
    log: logs.sync,
    clock,
    files_per_second: config.log.files_per_second,
  })
  const is_once = mode === 'once'
  const onSlow = (root: string) => logs.sync.warn(`waiting for ${root}, which is slow to answer`)
  // The user of a single pass waits for it.
  const roots = startRootAsker(clock, is_once ? onSlow : undefined)
  const patient = { roots, answer_ms: config.scan.answer_ms }
  const silence = is_once ? impatient(patient) : patient
  const examiner = startExaminer({ threads: config.hashing.threads, heartbeats, clock, silence })
  const logged = logReport(logs.sync, lines, clock)
  const measures: { current: Measures | undefined } = { current: undefined }
  let worker_fault: SluiceError | undefined
  /** Lasting fault of the last record, with the time of the first; undefined after a success. */
  let record_fault: LedgerFault | undefined

  let moved = 0

  /** Records facts, and counts them once they are durable. */
  const record: Ledger['record'] = async (facts) => {
    try {
      await ledger.record(facts)
    } catch (error) {
      if (isLasting(error))
        record_fault = { error, since_ms: record_fault?.since_ms ?? clock.now_ms() }
      throw error
    }
    record_fault = undefined
    if (facts.some(({ type }) => fact_table[type].is_history)) moved++
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
    ledger: answering(heartbeats, ledger_heartbeat, { ...ledger, record }),
    examiner,
    roots,
    silence,
    scan_thread: keepScanThread(clock, is_once ? kept_once_ms : kept_watching_ms),
    clock,
    wakeAt: options.wakeAt ?? wakeAt,
    /** Bandwidth limit of all uploads, also of those that began under an earlier config. */
    bandwidth: createBandwidth(clock),
    flights: new Flights(),
    report,
    prompt_report: logPromptReport(logs.prompts, clock),
    lines,
    heartbeats,
    /** How often contents moved on. A read of an asset that is still in ingest does not count. */
    moved: () => moved,
    /** Last lasting database fault that a worker met; undefined if there was none. */
    ledgerFault: () => worker_fault,
    /** Why the ledger can record nothing, or loses its records because its file was removed. */
    ledgerTrouble: () => record_fault ?? ledgerLoss(),
    /** Fault if the ledger's file was removed, replaced or hidden; undefined without one. */
    ledgerLoss,
    /** `current`: counters for /metrics; undefined until the endpoint is first enabled. */
    measures,
    /** Sets the level only: readers of the log rely on the format that it began with. */
    setLogLevel(level: LogConfig['level']): void {
      // A child logger copies the level of its parent only when it is made.
      for (const one of [log, logs.sync, logs.prompts]) one.level = level
    },
  }
}

/** Maximum wait for the last work after its tools are closed; moments are enough. */
export const last_wait_ms = 5 * second_ms

/** Closes what `openTools` opened, when no worker runs. */
export async function closeTools({
  examiner,
  roots,
  scan_thread,
  lines,
  ledger,
  clock,
}: Tools): Promise<void> {
  await within(
    Promise.all([examiner.close(), roots.close(), scan_thread.close()]),
    last_wait_ms,
    clock,
  )
  lines.close()
  await ledger.close()
}

/** Faults that a retry does not fix. A lock held during a backup is not one of them. */
const lasting_faults = ['database.full', 'database.disk', 'database.damaged', 'database.unreadable']

function isLasting(error: unknown): error is SluiceError {
  return isSluiceError(error) && lasting_faults.includes(error.code)
}
