import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SluiceError } from '../base/errors.ts'
import { formatBytes, formatCount, formatDuration, printable } from '../base/format.ts'
import { type Clock, minute_ms, second_ms } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import { startDaemon } from '../daemon/daemon.ts'
import type { Daemon } from '../daemon/running-daemon.ts'
import { createIgnoreRules } from '../disk/ignore.ts'
import { type LedgerView, openLedgerView } from '../ledger/view.ts'
import { openPassView } from '../ledger/view-pass.ts'
import { createRemote } from '../remote/remote.ts'
import type { Service } from '../service/service.ts'
import { awaitIdle } from './await-idle.ts'
import { serveControl } from './daemon-verbs.ts'
import { ask, demoReport, listAll, questionAbout } from './demo-report.ts'
import { countOnDisk, type DemoSetup, late_file, late_question, setUpDemo } from './demo-setup.ts'
import { type ExitCode, exit_codes } from './exit-codes.ts'
import { openLog } from './open-log.ts'
import { passState } from './pass-state.ts'
import { showProgress } from './progress.ts'
import { aborted, type StopSignals } from './stop-signals.ts'
import type { Terminal } from './terminal.ts'

export interface DemoOptions {
  folder: string | undefined
  stay: boolean
  terminal: Terminal
  clock: Clock
  signals: Pick<StopSignals, 'first' | 'second'>
  /** For a test that makes bad days. */
  on_service?: (service: Service) => void
}

/** The service runs in this very process: when it does not answer for so long, it never will. */
const patience_ms = 5 * second_ms
/** A new file is ready within a second or two. */
const late_file_most_ms = minute_ms
/** A question is about what just arrived, not about everything. */
const most_asked = 100
/** Enough of an answer to see what it quotes, and from where. */
const most_answer_lines = 24

/** Shows the main job from end to end, by the same parts as everywhere. Errors where it cannot go on: `service.unreachable`, … */
export async function runDemo(options: DemoOptions): Promise<ExitCode> {
  const setup = await setUpDemo(options.folder)
  try {
    options.on_service?.(setup.service)
    return await new Demo(options, setup).run()
  } finally {
    await setup.close()
  }
}

class Demo {
  readonly #options: DemoOptions
  readonly #setup: DemoSetup
  readonly #began_ms: number
  #write_log: (text: string) => void

  constructor(options: DemoOptions, setup: DemoSetup) {
    this.#options = options
    this.#setup = setup
    this.#began_ms = options.clock.now_ms()
    this.#write_log = (text) => options.terminal.err(text.trimEnd())
  }

  async run(): Promise<ExitCode> {
    const { terminal, clock } = this.#options
    const { service, config, secrets, is_sample } = this.#setup
    const folder = config.folders[0]!
    this.#say(`A local service is running: API ${service.api}, blob store ${service.blob}`)
    this.#say(is_sample ? `A small sample folder: ${folder.path}` : `Your folder, which is only read: ${folder.path}`)
    const destination = { write: (text: string) => this.#write_log(text) }
    const log = openLog(config, terminal, { format: 'pretty', destination })
    const daemon = await startDaemon({ config, secrets, clock, log, mode: 'run' })
    let view: LedgerView | undefined
    try {
      view = openLedgerView(config.state_dir)
      const exit_code = await this.#show(daemon, view)
      if (this.#options.stay && !this.#options.signals.first.aborted) await this.#stay(daemon)
      // What is in flight is finished, unless somebody is in a hurry.
      await Promise.race([daemon.stop(), aborted(this.#options.signals.second).then(() => daemon.abort())])
      return exit_code
    } finally {
      view?.close()
      await daemon.abort()
    }
  }

  async #show(daemon: Daemon, view: LedgerView): Promise<ExitCode> {
    if (!(await this.#sync(daemon, view))) return exit_codes.incomplete
    if (this.#setup.is_sample && !(await this.#addFile(view))) return exit_codes.incomplete
    await this.#ask(view)
    return await this.#report(view)
  }

  /** False when a signal came first. */
  async #sync(daemon: Daemon, view: LedgerView): Promise<boolean> {
    const { terminal, clock } = this.#options
    const began_ms = clock.monotonic_ms()
    this.#say('It is synced now …')
    const progress = showProgress({ terminal, clock, read: () => passState(view.folders(), this.#began_ms) })
    this.#write_log = progress.log_destination?.write ?? this.#write_log
    const is_idle = await this.#until(view, daemon.idle()).finally(() => progress.end())
    const { ready } = view.folders()[0]!.stages
    const took = formatDuration(clock.monotonic_ms() - began_ms)
    this.#say(`${formatCount(ready.files)} files (${formatBytes(ready.bytes)}) are ready after ${took}`)
    return is_idle
  }

  async #addFile(view: LedgerView): Promise<boolean> {
    const { clock } = this.#options
    const { name, path } = this.#setup.config.folders[0]!
    writeFileSync(join(path, late_file.path), late_file.content)
    this.#say(`A file is added while it runs: ${late_file.path}`)
    const began_ms = clock.monotonic_ms()
    const isReady = () =>
      view.files({ folder: name, prefix: late_file.path, stages: ['ready'], after: undefined, limit: 1 }).length > 0
    const seen = async () => {
      while (!isReady()) {
        if (clock.monotonic_ms() - began_ms > late_file_most_ms) throw notSeen(late_file.path)
        await clock.sleep(20)
      }
    }
    if (!(await this.#until(view, seen()))) return false
    this.#say(`It is ready ${formatDuration(clock.monotonic_ms() - began_ms)} later`)
    return true
  }

  async #until(view: LedgerView, idle: Promise<void>): Promise<boolean> {
    const { clock, signals } = this.#options
    idle.catch(() => {})
    const ended = await awaitIdle({ idle, view, clock, stopped: signals.first, patience_ms })
    if (typeof ended !== 'string') throw ended
    return ended === 'idle'
  }

  /** Over what has just arrived: of the sample the file that was added, of a given folder the newest ones. */
  async #ask(view: LedgerView): Promise<void> {
    const { terminal } = this.#options
    const { config, is_sample } = this.#setup
    const pass = openPassView(config.state_dir)
    try {
      const newest = pass.latestAssets(is_sample ? 1 : most_asked)
      if (newest.length === 0) {
        this.#say('Nothing is ready, so there is nothing to ask about')
        return
      }
      const prompt = is_sample ? late_question : questionAbout(newest.map(({ path }) => path))
      this.#say(
        `A question over what just arrived (${formatCount(newest.length)} of ${filesIn(view)} files): ${prompt}`,
      )
      const asset_ids = newest.map(({ asset_id }) => asset_id)
      const answer = await this.#withRemote((tools) => ask(tools, { prompt, asset_ids }))
      const lines = answer.trim().split('\n')
      for (const line of lines.slice(0, most_answer_lines)) terminal.out(`    ${printable(line)}`)
      if (lines.length > most_answer_lines) terminal.out(`    … ${lines.length - most_answer_lines} lines more`)
    } finally {
      pass.close()
    }
  }

  async #report(view: LedgerView): Promise<ExitCode> {
    const { terminal } = this.#options
    const { config, project_id } = this.#setup
    const folder = config.folders[0]!
    const disk = countOnDisk(folder.path, createIgnoreRules(folder.path, folder))
    const assets = await this.#withRemote(({ remote }) => listAll(remote, project_id))
    const pass = openPassView(config.state_dir)
    try {
      const state = view.folders()[0]!
      const { lines, agrees } = demoReport({ disk, folder: state, view, pass, assets }, terminal)
      terminal.out('')
      for (const line of lines) terminal.out(line)
      const { ready, skipped, gone, ...not_in } = state.stages
      const all_in = Object.values(not_in).every(({ files }) => files === 0)
      return all_in && agrees ? exit_codes.ok : exit_codes.incomplete
    } finally {
      pass.close()
    }
  }

  async #withRemote<Answer>(
    use: (tools: { remote: ReturnType<typeof createRemote>; project_id: string; clock: Clock }) => Promise<Answer>,
  ) {
    const { clock } = this.#options
    const { service, secrets, project_id } = this.#setup
    const remote = createRemote({
      base_url: service.api,
      token: () => secrets.token(),
      connections: 1,
      timeouts: { answer_ms: patience_ms },
      user_agent: `sluice/${programVersion()}`,
      clock,
    })
    try {
      return await use({ remote, project_id, clock })
    } finally {
      await remote.close()
    }
  }

  async #stay(daemon: Daemon): Promise<void> {
    const { terminal, signals } = this.#options
    const { service, project_id, token_file, config_file } = this.#setup
    const control = await serveControl(daemon, 'run')
    try {
      terminal.out('')
      this.#say('It stays until Ctrl-C; then the temporary directory is removed')
      terminal.out(`    base_url    ${service.api}`)
      terminal.out(`    project_id  ${project_id}`)
      terminal.out(`    token file  ${token_file}`)
      terminal.out(`    config      ${config_file}  (try: sluice status --config ${config_file})`)
      await aborted(signals.first)
    } finally {
      await control.close()
    }
  }

  #say(text: string): void {
    const { terminal } = this.#options
    terminal.out(`${terminal.styles.bold('•')} ${printable(text)}`)
  }
}

function filesIn(view: LedgerView): string {
  return formatCount(view.folders()[0]!.stages.ready.files)
}

function notSeen(path: string): SluiceError {
  return new SluiceError({
    code: 'demo.not_ready',
    message: `${path} was not ready after ${formatDuration(late_file_most_ms)}`,
  })
}
