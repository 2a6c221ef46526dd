import { SluiceError } from '../../base/run/errors.ts'
import { counted, formatAmount, formatBytes } from '../../base/text/format.ts'
import { day_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { connectControl } from '../../control/control-client.ts'
import { rebuildLedger } from '../../daemon/reload/rebuild.ts'
import { planUploads } from '../../inspect/plan/plan.ts'
import { conditionOfLedger } from '../../ledger/backup.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { readCovered } from '../../prompts/configure-prompts.ts'
import { refuseWhilePaused } from '../../status/daemon-status.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { defineCommand, flag } from '../command.ts'
import { serveControl } from '../daemon/daemon-verbs.ts'
import { loadWithFlags, logOptions, openLog, openToken } from '../daemon/open.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { onPaths } from '../on-paths.ts'
import { passState } from '../text/pass-meter.ts'
import { printSummary } from '../text/pass-summary.ts'
import { print, printWarning } from '../text/print.ts'
import { no_progress, showProgress } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) =>
    logOptions(yargs).option('dry-run', flag('show the data to rebuild from; changes nothing')),
  async run({ 'dry-run': is_dry, ...flags }, terminal) {
    const { config, warnings, log_file } = await onPaths(terminal, (paths) =>
      loadWithFlags(flags, paths),
    )
    for (const warning of warnings) printWarning(terminal, warning)
    await refuseDaemon(config)
    if (is_dry) return printSources(config, terminal)
    // A ledger that holds nothing but a pause can be rebuilt, but not before the pause has ended.
    if (conditionOfLedger(config.state_dir) === 'none')
      await refuseWhilePaused(config.state_dir, 'nothing is rebuilt')
    return rebuild(config, terminal, { quiet: flags.quiet, log_file })
  },
})

/** Error `ledger.locked`: a daemon, a pass or another rebuild is running. */
async function refuseDaemon({ state_dir }: Config): Promise<void> {
  const control = await connectControl(state_dir)
  if (!control) return
  const { pid, mode } = control.presence
  const what = mode === 'run' ? 'a daemon' : 'a pass or another rebuild'
  await control.close()
  throw new SluiceError({
    code: 'ledger.locked',
    message: `${what} is running (process ${pid}), with the ledger that it has open`,
    hint: 'stop it first (systemctl stop sluice, or Ctrl-C where it was started), then run this again',
  })
}

async function rebuild(
  config: Config,
  terminal: Terminal,
  { quiet, log_file }: { quiet: boolean | undefined; log_file: string | undefined },
): Promise<ExitCode> {
  const secrets = await openToken(config, terminal)
  const clock = system_clock
  const began_ms = clock.now_ms()
  const log = openLog(config, { file: log_file, beside_progress: true, has_summary: true })
  const signals = listenForStop()
  let endProgress = async () => {}
  try {
    const end = await rebuildLedger({
      config,
      secrets,
      clock,
      log,
      signal: signals.first,
      at_once: signals.second,
      async onBegun(daemon) {
        const control = await serveControl(daemon, 'once', undefined, config.state_dir)
        const view = openLedgerView(daemon.config.state_dir)
        const read = () => passState(view.folders(), began_ms, daemon.movedBytes())
        const progress = quiet ? no_progress : showProgress({ terminal, clock, read })
        endProgress = async () => {
          await control.close()
          await progress.end()
          view.close()
        }
      },
      onEnding: () => endProgress(),
    })
    if (!end.done) throw unfinished(end.error)
    return printEnd(config, { began_ms, now_ms: clock.now_ms(), aside: end.aside }, terminal)
  } finally {
    signals.end()
  }
}

function unfinished(cause: SluiceError | undefined): SluiceError {
  return new SluiceError({
    code: cause?.code ?? 'answer.stopped',
    message: `the rebuild has not ended: ${cause?.message ?? 'stopped'}`,
    hint: `the progress is kept: \`sluice rebuild\` goes on from there${cause?.hint === undefined ? '' : `; ${cause.hint}`}`,
    cause,
  })
}

async function printEnd(
  { state_dir, folders }: Config,
  { began_ms, now_ms, aside }: { began_ms: number; now_ms: number; aside: string | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  const names = folders.map(({ name }) => name)
  const exit_code = printSummary(state_dir, { names, began_ms, now_ms }, terminal)
  const sent = await withLedgerView(state_dir, (view) =>
    view!.used('sent', now_ms - began_ms + day_ms, now_ms),
  )
  terminal.out(`uploaded   ${counted(sent.files, 'file')}, ${formatBytes(sent.bytes)}`)
  terminal.out('the ledger is rebuilt')
  if (aside !== undefined) print(terminal, `the damaged one is ${aside}`)
  return exit_code
}

const conditions = {
  none: 'there is no ledger',
  damaged: 'the ledger is damaged; it would be moved aside, and kept',
  sound: 'the ledger is sound: a rebuild would be refused',
} as const

/**
 * Prints what a rebuild would read, without asking the service. Only `create` would tell whether
 * the service has the bytes, and it makes a slot if not.
 */
async function printSources(config: Config, terminal: Terminal): Promise<ExitCode> {
  const condition = conditionOfLedger(config.state_dir)
  print(terminal, conditions[condition])
  const plan = await planUploads({
    config,
    ledger: undefined,
    hash: false,
    now_ms: system_clock.now_ms(),
  })
  const { files, bytes } = plan.would_upload
  print(
    terminal,
    `${formatAmount({ files, bytes })} would be read, and compared with what the project has`,
  )
  for (const { name, offline } of plan.folders) {
    if (offline !== null) print(terminal, `${name} is offline, and would be left out: ${offline}`)
  }
  for (const { name, project_id, report } of config.prompts) {
    const { facts, bad } = await readCovered(report.dir, { prompt: name, project_id })
    const covered = new Set(
      facts.flatMap((fact) => fact.covered.map(({ md5, size }) => `${md5} ${size}`)),
    )
    const reports = counted(facts.length, 'report')
    print(
      terminal,
      `${name}: ${reports} in ${report.dir} cover ${counted(covered.size, 'content')}`,
    )
    for (const { path, why } of bad) printWarning(terminal, `${path}: ${why}`)
  }
  return condition === 'sound' || !plan.folders.every(({ seen }) => seen?.complete)
    ? exit_codes.incomplete
    : exit_codes.ok
}
