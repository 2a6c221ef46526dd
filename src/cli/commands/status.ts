import { second_ms, system_clock } from '../../base/time/time.ts'
import { readStatus } from '../../status/read-status.ts'
import { statusLines } from '../../status/text/text.ts'
import type { StatusView } from '../../status/view.ts'
import { defineCommand, flag } from '../command.ts'
import { withStopSignals } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
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
    const { config, paths } = await loadFor(terminal, { file: named })
    if (!watch) {
      const status = await readStatus({ ...config, silent: paths.silent() }, system_clock)
      if (json) printJson(terminal, status)
      else terminal.out(textOf(status, terminal))
      return exitCodes[status.verdict]
    }
    return withStopSignals(async ({ first }) => {
      for (;;) {
        const status = await readStatus(config, system_clock)
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

function textOf(status: StatusView, { width, styles }: Terminal): string {
  const lines = statusLines(status, width)
  return lines.map((line) => toned(line, styles)).join('\n')
}
