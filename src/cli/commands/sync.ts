import { isSluiceError, type SluiceError } from '../../base/run/errors.ts'
import { standard_error } from '../../base/text/log.ts'
import { aborted, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { type ControlClient, connectControl } from '../../control/control-client.ts'
import { startDaemon } from '../../daemon/daemon.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { refuseWhilePaused } from '../../status/daemon-status.ts'
import type { Moved } from '../../sync/upload/flights.ts'
import { defineCommand, flag } from '../command.ts'
import { awaitIdle } from '../daemon/await-idle.ts'
import { serveControl } from '../daemon/daemon-verbs.ts'
import { type LogFlags, loadWithFlags, logOptions, openLog, openToken } from '../daemon/open.ts'
import { type StopSignals, withStopSignals } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes, incompleteCode } from '../exit-codes.ts'
import { onPaths } from '../on-paths.ts'
import { foldersArgument, foldersNamed } from '../place.ts'
import { type NextStep, printNext } from '../text/next-steps.ts'
import { passState } from '../text/pass-meter.ts'
import { printPassAnswer, printSummary } from '../text/pass-summary.ts'
import { printError, printNote, printWarning } from '../text/print.ts'
import { no_progress, showProgress } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    logOptions(foldersArgument(yargs)).option('json', flag('one JSON object, at the end')),
  async run(flags, terminal) {
    const { config, warnings, log_file, names } = await onPaths(terminal, (paths) => {
      const loaded = loadWithFlags(flags, paths)
      return { ...loaded, names: foldersNamed(flags.folders ?? [], loaded.config.folders, paths) }
    })
    await refuseWhilePaused(config.state_dir, 'nothing is synchronised')
    for (const warning of warnings) printWarning(terminal, warning)
    return withStopSignals(async (signals) => {
      const pass = { config, names, terminal, signals, flags, log_file }
      const control = await connectControl(config.state_dir)
      if (!control) return syncAlone(pass)
      try {
        return await syncBeside(pass, control)
      } catch (error) {
        // Another `sluice sync` has ended: this one does what the other left.
        if (!isSluiceError(error, 'control.lost') || control.presence.mode !== 'once') throw error
        return await syncAlone(pass)
      } finally {
        await control.close()
      }
    })
  },
})

interface Pass {
  config: Config
  /** Names of the folders to scan. */
  names: string[]
  terminal: Terminal
  signals: StopSignals
  /** `quiet`: no progress, and no summary if all is ready. */
  flags: Pick<LogFlags, 'config' | 'quiet'> & { json: boolean }
  log_file: string | undefined
}

async function syncAlone(pass: Pass): Promise<ExitCode> {
  const { config, names, terminal, signals } = pass
  const secrets = await openToken(config, terminal)
  const clock = system_clock
  const began_ms = clock.now_ms()
  const destination = { ...standard_error }
  const log = openLog(config, {
    file: pass.log_file,
    beside_progress: terminal.is_interactive,
    has_summary: true,
    destination,
  })
  const daemon = await startDaemon({
    config,
    secrets,
    clock,
    log,
    mode: 'once',
    only_folders: names,
  })
  let shown: ShownPass | undefined
  try {
    shown = showPass(pass, began_ms, daemon.movedBytes)
    destination.write = shown.progress.log_destination?.write ?? destination.write
    const control = await serveControl(daemon, 'once')
    const drained = await Promise.race([daemon.drained, aborted(signals.first)]).finally(() =>
      control.close(),
    )
    // The view closes before the ledger: the last one writes SQLite's log back; a reader cannot.
    await shown.close()
    if (drained === undefined)
      printNote(
        terminal,
        'stopping: transfers in progress are finished; a second signal stops at once',
      )
    await Promise.race([daemon.stop(), aborted(signals.second).then(() => daemon.abort())])
    return shown.summary(
      drained !== undefined && drained.why !== 'done' ? drained.error : undefined,
      ['sluice run', 'goes on: it uploads what arrives from now on, until Ctrl-C'],
    )
  } finally {
    await shown?.close()
    await daemon.abort()
  }
}

/** Lets the daemon, which holds the ledger, scan the folders, and waits for it. */
async function syncBeside(pass: Pass, control: ControlClient): Promise<ExitCode> {
  const { names, terminal, signals } = pass
  const clock = system_clock
  printNote(
    terminal,
    `a daemon is running (process ${control.presence.pid}): it scans now, this waits for it`,
  )
  const shown = showPass(pass, clock.now_ms())
  try {
    for (const folder of names) await control.rescan({ folder })
    const idle = control.idle()
    // A signal or a fault may come first; then this promise has no reader.
    idle.catch(() => {})
    const { pass_wait_ms: max_reading_ms } = pass.config.follow
    const ended = await awaitIdle({
      idle,
      view: shown.view,
      clock,
      stopped: signals.first,
      max_reading_ms,
    })
    await shown.progress.end()
    if (ended === 'stopped') printNote(terminal, 'stopped waiting; the daemon goes on')
    return shown.summary(typeof ended === 'string' ? undefined : ended, [
      "sluice ask 'QUESTION'",
      'answers from the files that are ready',
    ])
  } finally {
    await shown.close()
  }
}

const attention: NextStep = ['sluice status', 'says what needs attention, and what to do']

type ShownPass = ReturnType<typeof showPass>

/**
 * Shows the progress until `close`. The summary opens views of its own. `moved` is absent beside a
 * daemon: the ledger does not know it.
 */
function showPass({ config, names, terminal, flags }: Pass, began_ms: number, moved?: () => Moved) {
  const clock = system_clock
  const view = openLedgerView(config.state_dir)
  const folders = () => view.folders().filter(({ name }) => names.includes(name))
  const read = () => passState(folders(), began_ms, moved?.())
  const progress = flags.quiet ? no_progress : showProgress({ terminal, clock, read })
  return {
    view,
    progress,
    /** `step`: what comes next when all is ready. */
    summary(fault: SluiceError | undefined, step: NextStep) {
      const end = { names, began_ms, now_ms: clock.now_ms() }
      const exit_code = flags.json
        ? printPassAnswer(config, end, fault, terminal)
        : printSummary(config.state_dir, end, terminal, flags.quiet)
      if (!fault) {
        const is_ready = exit_code === exit_codes.ok
        const is_told = terminal.is_interactive && !flags.json && !flags.quiet
        if (is_told) printNext(terminal, [is_ready ? step : attention], flags.config)
        return exit_code
      }
      printError(fault, terminal)
      return incompleteCode(fault)
    },
    async close() {
      await progress.end()
      view.close()
    },
  }
}
