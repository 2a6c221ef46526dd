import { formatCount, formatDuration } from '../../base/text/format.ts'
import { localTime } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import type { RunSummary } from '../../ledger/views/view-prompts.ts'
import { argument, defineCommand, flag, number } from '../command.ts'
import { withPromptsView } from '../daemon/ledger-fault.ts'
import { exit_codes } from '../exit-codes.ts'
import { refuseUnknown, runAnswer, stateText, whyText, zoneOf } from '../text/prompt-runs.ts'
import { sayJson, sayWhole } from '../text/say-whole.ts'
import { tableLines } from '../text/table.ts'

/** A year of a weekly prompt; `--limit` has more. */
const usual_limit = 50
const most_runs = 10_000

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('name', argument('the name of a prompt'))
      .option('limit', { ...number('so many runs'), default: usual_limit })
      .option('json', flag('one JSON object')),
  async run({ config: named, name, limit, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const runs = await withPromptsView(config.state_dir, (view) => {
      refuseUnknown(name, view, config)
      return view?.runs(name, Math.min(Math.max(1, Math.floor(limit)), most_runs)) ?? []
    })
    if (json) {
      const answer = runs.map((run) => runAnswer(run, config))
      sayJson(terminal, { prompt: name, runs: answer })
      return exit_codes.ok
    }
    if (runs.length === 0) {
      sayWhole(terminal, `${name} has not run yet (\`sluice prompts next\` shows when it will)`, 'err')
      return exit_codes.ok
    }
    const columns = [
      { title: 'RUN', align: 'right' as const },
      { title: 'DUE' },
      { title: 'STATE' },
      { title: 'FILES', align: 'right' as const },
      { title: 'TOOK', align: 'right' as const },
      { title: 'WHY', shrinks: true },
    ]
    const zone = zoneOf(name, config)
    const rows = runs.map((run) => rowOf(run, zone))
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
})

function rowOf(run: RunSummary, zone: string): string[] {
  const { due_ms, state, assets, began_ms, ended_ms, cause } = run
  const why = [cause === 'schedule' ? undefined : cause.replace('_', ' '), whyText(run)]
  return [
    String(run.run),
    localTime(due_ms, zone),
    stateText(state),
    formatCount(assets),
    ended_ms === undefined ? '' : formatDuration(Math.max(0, ended_ms - began_ms)),
    why.filter((text) => text !== undefined).join(': '),
  ]
}
