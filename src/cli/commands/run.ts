import { isSluiceError, messageOf, type SluiceError } from '../../base/run/errors.ts'
import { createHeartbeats } from '../../base/run/heartbeat.ts'
import { programVersion } from '../../base/run/process.ts'
import type { Log } from '../../base/text/log.ts'
import { aborted, second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { openSecrets } from '../../config/secrets.ts'
import { reportRefusal } from '../../daemon/check-token.ts'
import { startDaemon } from '../../daemon/daemon.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { refuseOrphan } from '../../ledger/file/ledger-place.ts'
import { keepPage } from '../../page/keep-page.ts'
import { defineCommand } from '../command.ts'
import { serveControl } from '../daemon/daemon-verbs.ts'
import { loadWithFlags, logOptions, openLog } from '../daemon/open.ts'
import { createReloader } from '../daemon/reloader.ts'
import { openUnitFit, reportToServiceManager } from '../daemon/service-manager.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { onPaths } from '../on-paths.ts'
import { type NextStep, printNext, reportStep } from '../text/next-steps.ts'
import { printNote } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/**
 * The daemon. A token that is refused at the start ends it (77) after the alerts are sent. Later
 * only a signal ends it: it reports a service that is down or a refused token, and waits.
 */
export const command = defineCommand({
  options: (yargs) => logOptions(yargs),
  async run(flags, terminal) {
    const { config, file, warnings, log_file, paths } = await onPaths(terminal, (paths) =>
      loadWithFlags(flags, paths),
    )
    const { secrets, warnings: token_warnings } = await onPaths(
      terminal,
      (paths) => openSecrets(config, undefined, paths),
      paths,
    )
    refuseOrphan(config.state_dir)
    const log = openLog(config, { file: log_file })
    const unitFit = openUnitFit(file)
    for (const warning of [...warnings, ...token_warnings, ...unitFit(config)]) log.warn(warning)
    // A signal that comes during the start takes effect after it.
    const signals = listenForStop({ is_endless: true })
    try {
      const clock = system_clock
      const heartbeats = createHeartbeats(clock)
      const daemon = await startDaemon({ config, secrets, clock, log, mode: 'run', heartbeats })
      const manager = reportToServiceManager({ daemon, heartbeats, log })
      try {
        const hooks = { onReloading: () => manager.reloading(), onReady: () => manager.reloaded() }
        const reloader = createReloader({
          daemon,
          load: (paths) => loadWithFlags(flags, paths, true),
          log,
          hooks,
          unitFit,
        })
        const control = await serveControl(daemon, 'run', reloader)
        const page = keepPage({
          config: () => daemon.config,
          record: daemon.ledger.record,
          log: log.child({ module: 'page' }),
          clock,
        })
        log.info({ config: file, pid: process.pid }, `sluice ${programVersion()} is running`)
        try {
          await manager.started(secrets, signals.first)
          // The reloader logs its errors.
          signals.onHangup(() => void reloader.reload().catch(() => {}))
          if (terminal.is_interactive && !flags.quiet)
            await sayRunning(config, flags.config, terminal, signals.first)
          await aborted(signals.first)
          await manager.stopping('stopping: transfers in progress are finished')
          log.info('stopping: transfers in progress are finished; a second signal stops at once')
        } catch (error) {
          if (isSluiceError(error, 'account.refused'))
            await alertRefusal(error, daemon, log, signals.first)
          await manager.stopping(messageOf(error))
          throw error
        } finally {
          await page.close()
          await control.close()
        }
      } finally {
        await Promise.race([daemon.stop(), aborted(signals.second).then(() => daemon.abort())])
      }
      log.info('stopped')
    } finally {
      signals.end()
    }
    return exit_codes.ok
  },
})

/** A page that is not served by then has a fault, which the log says. A busy machine is slow. */
const page_start_ms = 30 * second_ms

/** Says what a user at a terminal can do now: open the page, see the state, have a report. */
async function sayRunning(
  config: Config,
  named: string | undefined,
  terminal: Terminal,
  stopped: AbortSignal,
): Promise<void> {
  // Nothing of the page is loaded while it is off.
  if (config.page.listen !== 'off') {
    const { servedLink } = await import('./page.ts')
    // There is no link where other machines reach the page, or where the log says why none does.
    const patience = { max_ms: page_start_ms, stopped }
    const link = await servedLink(config, patience).catch(() => undefined)
    if (stopped.aborted) return
    if (link !== undefined) {
      terminal.out(`page  ${link}`)
      printNote(terminal, '      it works once, within ten minutes; `sluice page` prints another')
    }
  }
  const [prompt] = config.prompts
  const status: NextStep = ['sluice status', 'in another terminal: what is ready, and what is not']
  printNext(terminal, prompt ? [status, reportStep(prompt.name)] : [status], named)
}

function alertRefusal(
  error: SluiceError,
  daemon: Daemon,
  log: Log,
  hurry: AbortSignal,
): Promise<void> {
  const on_error = (fault: unknown) =>
    log.warn({ error: fault }, 'the alert about the refused token could not be sent')
  return reportRefusal(daemon, error, { clock: system_clock, hurry, on_error })
}
