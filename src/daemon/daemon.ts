import { readFileSync } from 'node:fs'
import { messageOf, SluiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createFileLines } from '../base/log-rate.ts'
import { type Clock, hour_ms, second_ms } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import { runWorker } from '../base/worker.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import { startExaminer } from '../disk/examiner.ts'
import { createIgnoreRules } from '../disk/ignore.ts'
import type { Ledger, WorkKind } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { createRemote } from '../remote/remote.ts'
import { Circuits } from '../sync/circuits.ts'
import { keepFolder } from '../sync/folder-keeper.ts'
import { rulesText } from '../sync/folder-settings.ts'
import { startFollower } from '../sync/follower.ts'
import { createIntake } from '../sync/intake.ts'
import { startLabeler } from '../sync/labeler.ts'
import { startLooker } from '../sync/looker.ts'
import { startUploader } from '../sync/uploader.ts'
import { type Drained, drain } from './drain.ts'
import { followPolicy, ledgerLimits } from './limits.ts'
import { logReport } from './log-report.ts'

export interface DaemonOptions {
  config: Config
  secrets: Secrets
  clock: Clock
  log: Log
  /** `run` watches until it is stopped; `once` looks at every folder a single time. */
  mode: 'run' | 'once'
  /** Tests stop the world after a fact. */
  wrap_ledger?: (ledger: Ledger) => Ledger
}

export interface Daemon {
  readonly ledger: Ledger
  /** Mode `once`: the pass is over, or gave up. */
  readonly drained: Promise<Drained>
  /** Every folder was scanned, and nothing is due soon or in flight. */
  idle(): Promise<void>
  /** Scan one folder, or all, now. */
  rescan(folder?: string): void
  /** What was begun is finished, for half a minute at the most; then everything closes. */
  stop(): Promise<void>
  /** At once. What was in flight goes on at the next start. */
  abort(): Promise<void>
}

/** A large upload may take hours; it goes on with the next start all the same. */
const stop_most_ms = 30 * second_ms

/**
 * The main job. Facts go in, work comes out: disk -> ledger -> uploader -> ledger -> follower -> ledger. Errors on start:
 * `ledger.locked`, `database.*`, `config.*`. A token that is refused is no error here but a trouble in the ledger.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, secrets, clock, log, mode } = options
  const soft = new AbortController()
  const hard = new AbortController()
  const lines = createFileLines({
    log: log.child({ room: 'sync' }),
    clock,
    files_per_second: config.log.files_per_second,
  })
  const report = logReport(log.child({ room: 'sync' }), lines)

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
  const opened = await openLedger({ state_dir: config.state_dir, limits: ledgerLimits(config), clock })
  const ledger = options.wrap_ledger?.(opened) ?? opened
  const examiner = startExaminer({ threads: config.hashing.threads })

  const reloadToken = () => secrets.reload()
  const circuits = new Circuits({ ledger, clock, report, reloadToken, onSlowDown: () => uploader.slowDown() })
  const folders = new Map(config.folders.map((settings) => [settings.name, settings]))
  const rules = new Map(config.folders.map((settings) => [settings.name, createIgnoreRules(settings.path, settings)]))
  const intake = createIntake({
    ledger,
    examiner,
    clock,
    report,
    folders: new Map(config.folders.map((settings) => [settings.name, { settings, rules: rules.get(settings.name)! }])),
    empty_folder_files: config.scan.empty_folder_files,
  })
  await ledger.record([
    ...config.folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: [...folders.keys()] },
  ])

  const looker = startLooker({ ledger, intake, clock, report }, soft.signal)
  const keepers = config.folders.map((folder) =>
    keepFolder(
      folder,
      rules.get(folder.name)!,
      { ledger, intake, clock, report, ...config.scan },
      { watch: mode === 'run', signal: soft.signal },
    ),
  )
  const retry = {
    first_ms: config.uploads.retry_first_ms,
    most_ms: config.uploads.retry_most_ms,
    max_attempts: config.uploads.max_attempts,
  }
  const send = { ledger, remote, circuits, clock, report, examiner, folders, retry, now_ms: () => clock.now_ms() }
  const uploader = startUploader(
    { ...send, small_file_bytes: config.uploads.small_file_bytes, follow_first_ms: config.follow.first_ms },
    { connections: config.uploads.concurrency, signal: soft.signal, hard_stop: hard.signal },
  )
  const follow = {
    ledger,
    remote,
    circuits,
    clock,
    report,
    policy: followPolicy(config),
    list_from: config.follow.list_from,
  }
  const follower = startFollower(follow, soft.signal)
  const labeler = startLabeler({ ledger, remote, circuits, clock, report }, soft.signal)
  const tidier = runWorker({
    name: 'tidier',
    step: async () => {
      await ledger.tidy()
      return { wait_ms: hour_ms }
    },
    clock,
    signal: soft.signal,
    on_error: (error) => report.fault('tidier', error),
  })
  const workers = [looker, uploader.worker, follower.worker, labeler.worker, tidier]

  let recorded = 0
  const by_kind = { look: looker, send: uploader.worker, follow: follower.worker, label: labeler.worker }
  ledger.onWork((kinds: ReadonlySet<WorkKind>) => {
    recorded++
    for (const kind of kinds) by_kind[kind].wake()
  })

  const drain_tools = {
    ledger,
    circuits,
    clock,
    signal: soft.signal,
    inFlight: () => intake.inFlight() + uploader.inFlight() + follower.inFlight() + labeler.inFlight(),
    foldersAreIdle: () => keepers.every((keeper) => keeper.isIdle()),
    recorded: () => recorded,
  }

  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    closing ??= closeInReverse()
    return closing
  }

  async function closeInReverse(): Promise<void> {
    soft.abort()
    const finished = new AbortController()
    const begun = uploader.drained().then(() => finished.abort())
    await Promise.race([begun, clock.sleep(stop_most_ms, finished.signal), aborted(hard.signal)])
    hard.abort()
    finished.abort()
    // Ends what still waits for an answer; the workers see it as a failure after their signal, and record nothing for it.
    await remote.close()
    await begun
    await Promise.all([...workers.map((worker) => worker.ended), ...keepers.map((keeper) => keeper.close())])
    await examiner.close()
    lines.close()
    await ledger.close()
  }

  return {
    ledger,
    drained: mode === 'once' ? drain(drain_tools, { give_up: true }) : new Promise(() => {}),
    idle: async () => void (await drain(drain_tools, { give_up: false })),
    rescan(folder) {
      for (const [index, { name }] of config.folders.entries()) {
        if (folder === undefined || folder === name) keepers[index]!.rescan()
      }
    },
    stop: close,
    abort() {
      hard.abort()
      return close()
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SluiceError({
      code: 'config.ca_file',
      message: `service.ca_file ${file} cannot be read: ${messageOf(error)}`,
      hint: 'give the path of a PEM file that this user can read',
      cause: error,
    })
  }
}
