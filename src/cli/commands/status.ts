import { minute_ms, second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { type HealthStatus, healthFacts, healthStatus } from '../../status/health/health-facts.ts'
import { promptHealth } from '../../status/health/problems.ts'
import { statusLines } from '../../status/text/text.ts'
import { type DaemonStatus, type StatusView, statusView } from '../../status/view.ts'
import { withHealthView, withLedgerView, withPromptsView } from '../../status/with-view.ts'
import { defineCommand, flag } from '../command.ts'
import { daemonStatus, ledgerFaultOf, rebuildStatus } from '../daemon/daemon-status.ts'
import { withStopSignals } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { printJson, toned } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/** Interval of --watch: pleasant to watch, and no burden for the ledger. */
const watch_every_ms = second_ms
/** ECMA-48: cursor home, erase below. What is not overwritten does not flicker. */
const redraw = '\u001b[H\u001b[J'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('json', flag('one JSON object; with --watch one a line'))
      .option('watch', flag('again each second, until Ctrl-C')),
  async run({ config: named, json, watch }, terminal) {
    const { config } = loadConfig({ file: named })
    if (!watch) {
      const status = await readStatus(config)
      if (json) printJson(terminal, status)
      else terminal.out(textOf(status, terminal))
      return exitCodes[status.verdict]
    }
    return withStopSignals(async ({ first }) => {
      for (;;) {
        const status = await readStatus(config)
        const text = json ? JSON.stringify(status) : textOf(status, terminal)
        if (json) terminal.out(text)
        else terminal.out(terminal.is_interactive ? redraw + text : `${text}\n`)
        await system_clock.sleep(watch_every_ms, first)
        if (first.aborted) return exitCodes[status.verdict]
      }
    })
  },
})

const exitCodes = {
  all_ready: exit_codes.ok,
  incomplete: exit_codes.incomplete,
  refused: exit_codes.refused,
  stale: exit_codes.fault,
} as const

async function readStatus(config: Config): Promise<StatusView> {
  const daemon = await daemonStatus(config.state_dir)
  const prompts = config.prompts.length === 0 ? undefined : await readPrompts(config)
  return withLedgerView(config.state_dir, async (ledger) => {
    // Read after the ledger view, which reports a damaged ledger.
    const health = await readHealth(config, daemon)
    const rebuild = ledger ? undefined : await rebuildStatus(config.state_dir, daemon)
    const now_ms = system_clock.now_ms()
    return statusView({ ledger, settings: config, daemon, health, prompts, rebuild, now_ms })
  })
}

/**
 * A daemon records every minute that it is at work. If `silence_ms` and this time pass without a
 * record, it counts as unresponsive.
 */
const at_work_late_ms = 2 * minute_ms

async function readHealth(config: Config, daemon: DaemonStatus): Promise<HealthStatus> {
  const now_ms = system_clock.now_ms()
  return withHealthView(config.state_dir, (view) => {
    const prompts = promptHealth(view, config, now_ms)
    const silent_ms = now_ms - (view?.atWork_ms() ?? now_ms)
    const is_silent = silent_ms > config.watchdog.silence_ms + at_work_late_ms
    const watches = daemon.state === 'running' && daemon.mode === 'run'
    const stuck = watches && is_silent ? [{ name: 'the daemon', silent_ms }] : []
    const ledger_fault = ledgerFaultOf(config.state_dir, daemon, view)
    return healthStatus(
      healthFacts(view, config, now_ms, { prompts, stuck, ledger_fault }),
      config.health,
      daemon.state === 'running',
    )
  })
}

/** Loads the schedule code only if there are prompts. */
async function readPrompts(config: Config) {
  const { promptStatuses } = await import('../../status/prompts.ts')
  return withPromptsView(config.state_dir, (view) => promptStatuses(view, config.prompts, system_clock.now_ms()))
}

function textOf(status: StatusView, { width, styles }: Terminal): string {
  const lines = statusLines(status, width)
  return lines.map((line) => toned(line, styles)).join('\n')
}
