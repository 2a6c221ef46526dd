import { SluiceError } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'
import { aborted, isoTime, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { ControlClient } from '../../control/control-client.ts'
import { startDaemon } from '../../daemon/daemon.ts'
import { stateText } from '../../domain/run.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { openPromptsView, type RunView } from '../../ledger/views/view-prompts.ts'
import type { PromptSettings } from '../../prompts/prompt-settings.ts'
import { dryRun } from '../../prompts/show/dry-run.ts'
import { namedOrOnly, promptNamed } from '../../prompts/show/find-run.ts'
import {
  answerOf,
  coverageText,
  deliveryAnswer,
  runAnswer,
} from '../../prompts/show/run-answers.ts'
import { remoteOpener } from '../../remote/open-remote.ts'
import { refuseWhilePaused } from '../../status/daemon-status.ts'
import { withFreshView } from '../../status/with-view.ts'
import { defineCommand, flag, optional } from '../command.ts'
import { awaitIdle } from '../daemon/await-idle.ts'
import { besideOrAlone } from '../daemon/beside-or-alone.ts'
import { serveControl } from '../daemon/daemon-verbs.ts'
import { loadWithFlags, logOptions, openLog, openToken } from '../daemon/open.ts'
import { type StopSignals, withStopSignals } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes, incompleteCode } from '../exit-codes.ts'
import { onPaths } from '../on-paths.ts'
import { dryRunLines } from '../text/dry-run-text.ts'
import { printNext } from '../text/next-steps.ts'
import { printError, printJson, printLines, printNote } from '../text/print.ts'
import { no_progress, showSpinner } from '../text/progress.ts'
import { awaitRun, printRun } from '../text/prompt-runs.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    logOptions(yargs)
      .positional('name', optional('the name of a prompt (default: the only one)'))
      .option(
        'dry-run',
        flag('show what would be asked, over which files; sends and records nothing'),
      )
      .option('json', flag('one JSON object')),
  async run({ name, 'dry-run': dry, json, ...flags }, terminal) {
    const { config, log_file } = await onPaths(terminal, (paths) => loadWithFlags(flags, paths))
    const settings = promptNamed(namedOrOnly(name, config), config)
    if (dry) return showDryRun({ settings, config, json, terminal })
    await refuseWhilePaused(config.state_dir, `${settings.name} is not run`)
    let opened: Promise<Secrets> | undefined
    // The token is opened once, however often `alone` is tried, because that prints warnings.
    const secrets = () => (opened ??= openToken(config, terminal))
    return withStopSignals((signals) => {
      const named = { settings, config, config_file: flags.config }
      const asked = { ...named, terminal, signals, json, quiet: flags.quiet, log_file }
      return besideOrAlone(config.state_dir, {
        beside: (control) => runBeside(asked, control),
        alone: () => secrets().then((opened) => runAlone(asked, opened)),
      })
    })
  },
})

interface Asked {
  settings: PromptSettings
  config: Config
  /** As the user named it. */
  config_file: string | undefined
  terminal: Terminal
  signals: StopSignals
  json: boolean
  /** Without a spinner. */
  quiet: boolean | undefined
  log_file: string | undefined
}

/** Lets the daemon, which holds the ledger, run the prompt, and waits for it. */
async function runBeside(asked: Asked, control: ControlClient): Promise<ExitCode> {
  const { settings, terminal } = asked
  const { pid, mode } = control.presence
  if (mode === 'once') {
    throw new SluiceError({
      code: 'answer.busy',
      message: `a single pass is running (process ${pid}), which asks nothing`,
      hint: 'run this again when it has ended',
    })
  }
  const { due_ms } = await control.runPrompt({ prompt: settings.name })
  printNote(
    terminal,
    `a daemon is running (process ${pid}): it runs ${settings.name} now, this waits for it`,
  )
  return watchRun(asked, {
    due_ms,
    check: () => control.ping(),
    left: 'the daemon goes on with the run',
  })
}

async function runAlone(asked: Asked, secrets: Secrets): Promise<ExitCode> {
  const { settings, config, terminal, signals, log_file } = asked
  const clock = system_clock
  const log = openLog(config, { file: log_file, beside_progress: terminal.is_interactive })
  // The time before the scan, so that this scan counts for the run.
  const due_ms = clock.now_ms()
  const only_folders = settings.scope.folders
  const daemon = await startDaemon({
    config,
    secrets,
    clock,
    log,
    mode: 'once',
    only_folders,
    asks_by_hand: true,
  })
  try {
    await daemon.ledger.record([{ type: 'run_due', prompt: settings.name, due_ms, cause: 'user' }])
    const control = await serveControl(daemon, 'once')
    // Rejects when nothing can be recorded any more. It never resolves: the run shows its end.
    const lost = daemon.drained.then(() => new Promise<never>(() => {}))
    const left = 'the run goes on with the next `sluice run`'
    const code = await Promise.race([
      watchRun(asked, { due_ms, check: async () => {}, left }),
      lost,
    ]).finally(() => control.close())
    await Promise.race([daemon.stop(), aborted(signals.second).then(() => daemon.abort())])
    return code
  } finally {
    await daemon.abort()
  }
}

/**
 * `check` throws if no process works on the run any more. `left` says what happens to a run that
 * the user stops waiting for.
 */
interface Watched {
  due_ms: number
  check: () => Promise<unknown>
  left: string
}

async function watchRun(asked: Asked, { due_ms, check, left }: Watched): Promise<ExitCode> {
  const { settings, config, terminal, signals } = asked
  const clock = system_clock
  const view = openLedgerView(config.state_dir)
  const prompts = openPromptsView(config.state_dir)
  const run = prompts.runs(settings.name, max_newer).find((other) => other.due_ms === due_ms)?.run
  const ending = new AbortController()
  const state = () => (run === undefined ? undefined : prompts.run(run)?.state)
  const text = () => `${settings.name}: ${stateText(state() ?? 'due')}`
  const spinner = asked.quiet ? no_progress : showSpinner(terminal, clock, text)
  try {
    if (run === undefined) throw notRun(settings.name)
    let ended: RunView | undefined
    const onDeferral = (why: string) =>
      printNote(terminal, `${text()}: ${printable(why)}; it is tried again until it works`)
    const { signal } = ending
    const idle = awaitRun({ view: prompts, run, clock, signal, check, onDeferral }).then(
      (found) => {
        ended = found
      },
    )
    const outcome = await awaitIdle({ idle, view, clock, stopped: signals.first })
    ending.abort()
    await idle
    await spinner.end()
    if (ended) return showRun(asked, ended)
    const name = `${settings.name} (run ${run})`
    printNote(terminal, `${name}: ${stateText(state() ?? 'due')}; ${left}`)
    if (typeof outcome === 'string') return exit_codes.incomplete
    printError(outcome, terminal)
    return incompleteCode(outcome)
  } finally {
    ending.abort()
    await spinner.end()
    prompts.close()
    view.close()
  }
}

/** Newest runs to search for the new one: the schedule may have started others meanwhile. */
const max_newer = 10

function notRun(name: string): SluiceError {
  return new SluiceError({
    code: 'answer.not_asked',
    message: `the daemon made no run of ${name}`,
    hint: 'if the configuration has changed, `sluice reload` lets the daemon read it again',
  })
}

function showRun(asked: Asked, run: RunView): ExitCode {
  const { settings, config, config_file, terminal, json } = asked
  const { state, deliveries } = run
  if (json) {
    const coverage = coverageText(run, config) ?? null
    const whole = {
      coverage,
      answer: answerOf(run),
      deliveries: deliveries.map((delivery) => deliveryAnswer(delivery, config)),
    }
    printJson(terminal, { ...runAnswer(run, config), ...whole })
  } else printRun(run, config, terminal)
  if (state === 'written' && !json && terminal.is_interactive) {
    const step = [`sluice prompts show ${settings.name}`, 'shows the report here'] as const
    printNext(terminal, [step], config_file)
  }
  const is_delivered = deliveries.every((delivery) => delivery.state === 'done')
  return state === 'written' && is_delivered ? exit_codes.ok : exit_codes.incomplete
}

async function showDryRun(
  asked: Pick<Asked, 'settings' | 'config' | 'json' | 'terminal'>,
): Promise<ExitCode> {
  const { settings, config, json, terminal } = asked
  const now_ms = system_clock.now_ms()
  const tools = { withRemote: remoteOpener(config, system_clock), now_ms }
  const planned = await withFreshView(config.state_dir, (view) =>
    dryRun(settings, { view, ...tools }),
  )
  const { bodies, assets, chat_id, calls, coverage, notes, why } = planned
  if (json) {
    const files = assets.map(({ name, asset_id, md5, size, turn }) => ({
      name,
      asset_id,
      md5,
      size,
      turn,
    }))
    const answer = {
      prompt: settings.name,
      due: isoTime(now_ms),
      why: why ?? null,
      chat_id: chat_id ?? null,
      calls,
    }
    printJson(terminal, { ...answer, bodies, files, coverage: coverage ?? null, notes })
  } else printLines(terminal, dryRunLines(settings, planned, { now_ms, width: terminal.width }))
  return why === undefined ? exit_codes.ok : exit_codes.incomplete
}
