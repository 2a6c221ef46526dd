import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readStatus } from '../../status/read-status.ts'
import { statusLines } from '../../status/text/text.ts'
import { defineCommand, flag } from '../command.ts'
import { type StopSignals, withStopSignals } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { createFullScreen } from '../text/full-screen.ts'
import { printJson, printLines } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

/** Interval of --watch: pleasant to watch, and no burden for the ledger. */
const watch_every_ms = second_ms

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('json', flag('one JSON object; with --watch one a line'))
      .option('watch', flag('again each second, until Ctrl-C')),
  async run({ config: named, json, watch }, terminal) {
    const { config, paths } = await loadFor(terminal, { file: named })
    if (watch) return withStopSignals((signals) => watchStatus(config, json, signals, terminal))
    const status = await readStatus({ ...config, silent: paths.silent() }, system_clock)
    if (json) printJson(terminal, status)
    else printLines(terminal, statusLines(status, terminal.width))
    return exitCodes[status.verdict]
  },
})

/** Shows the status again and again until a signal ends it, also that of a closed terminal. */
async function watchStatus(
  config: Config,
  json: boolean,
  { first, onHangup }: StopSignals,
  terminal: Terminal,
): Promise<ExitCode> {
  const hung_up = new AbortController()
  onHangup(() => hung_up.abort())
  const ended = AbortSignal.any([first, hung_up.signal])
  let status = await readStatus(config, system_clock)
  const linesFor = (width: number) => statusLines(status, width)
  const screen = terminal.is_interactive && !json ? createFullScreen(terminal, linesFor) : undefined
  try {
    for (;;) {
      if (json) terminal.out(JSON.stringify(status))
      else if (screen) screen.paint()
      else printLines(terminal, [...linesFor(terminal.width), blank])
      await system_clock.sleep(watch_every_ms, ended)
      if (ended.aborted) return exitCodes[status.verdict]
      status = await readStatus(config, system_clock)
    }
  } finally {
    screen?.close()
  }
}

const blank = { tone: 'plain', text: '' } as const

const exitCodes = {
  all_ready: exit_codes.ok,
  incomplete: exit_codes.incomplete,
  refused: exit_codes.refused,
  stale: exit_codes.fault,
} as const
