import { readFileSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'
import { isoTime } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { DeliveryView, RunView } from '../../ledger/views/view-prompts.ts'
import { coverageLine } from '../../prompts/plan/coverage.ts'
import { coverageOf } from '../../prompts/report/report.ts'
import { answerText } from '../ask/ask-question.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { withPromptsView } from '../daemon/ledger-fault.ts'
import { exit_codes } from '../exit-codes.ts'
import {
  answerOf,
  deliveryText,
  outputLines,
  runAnswer,
  runName,
  runNamed,
  stateText,
  whyText,
  zoneOf,
} from '../text/prompt-runs.ts'
import { sayAll, sayJson, sayWarning } from '../text/say-whole.ts'
import type { Terminal } from '../text/terminal.ts'

/** Reports have some hundred kilobytes at the most; what is larger was put there by somebody else. */
const largest_report_bytes = 16 * 1_048_576

export const command = defineCommand({
  options: (yargs) =>
    yargs.positional('run', argument('a run: its number, or PROMPT@TIME')).option('json', flag('one JSON object')),
  async run({ config: named, run: text, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const run = await withPromptsView(config.state_dir, (view) => runNamed(text, view, config))
    if (json) sayJson(terminal, wholeAnswer(run, config))
    else show(run, config, terminal)
    return exit_codes.ok
  },
})

function show(run: RunView, config: Config, terminal: Terminal): void {
  const { dim } = terminal.styles
  const why = whyText(run)
  const state = `${stateText(run.state)}${why === undefined ? '' : `: ${why}`}`
  const name = `run ${run.run}  ${printable(runName(run, config))}`
  sayAll(terminal, `${name}  ${state}`, { strong: name })
  const coverage = coverageText(run, config)
  if (coverage !== undefined) sayAll(terminal, coverage)
  for (const note of run.notes) sayAll(terminal, `note: ${note}`)
  if (run.report_path !== undefined) terminal.out(`report: ${printable(run.report_path)}`)
  for (const delivery of run.deliveries) {
    sayAll(terminal, deliveryText(delivery))
    for (const line of outputLines(delivery)) terminal.out(dim(line))
  }
  const report = reportOf(run, terminal)
  if (report !== '') terminal.out(`${dim('---')}\n${answerText(report)}`)
}

function coverageText(run: RunView, config: Config): string | undefined {
  return run.coverage === undefined ? undefined : coverageLine(coverageOf(run), zoneOf(run.prompt, config))
}

/** As it lies on disk; where it does not any more, the answer as the ledger keeps it. */
function reportOf({ report_path, turns }: RunView, terminal: Terminal): string {
  if (report_path === undefined) return answerOf({ turns })
  try {
    if (statSync(report_path).size > largest_report_bytes) throw new Error('it is too large for a report')
    return readFileSync(report_path, 'utf8')
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'it is not there any more' : messageOf(error)
    sayWarning(terminal, `${report_path}: ${why}; this is the answer as the ledger keeps it`)
    return answerOf({ turns })
  }
}

function wholeAnswer(run: RunView, config: Config) {
  return {
    ...runAnswer(run, config),
    coverage: coverageText(run, config) ?? null,
    notes: run.notes,
    turns: run.turns.map(({ body, chat_id, message_id, asked_ms, answered_ms, answer }) => ({
      body,
      chat_id: chat_id ?? null,
      message_id: message_id ?? null,
      asked: asked_ms === undefined ? null : isoTime(asked_ms),
      answered: answered_ms === undefined ? null : isoTime(answered_ms),
      answer: answer ?? null,
    })),
    told: run.planned_assets.map(({ name, asset_id, md5, size, turn }) => ({ name, asset_id, md5, size, turn })),
    refused: run.planned_refusals.map(({ name, md5, size, why }) => ({ name, md5, size, why })),
    deliveries: run.deliveries.map(deliveryAnswer),
  }
}

function deliveryAnswer({ target, state, attempts, not_before_ms, ended_ms, error, output }: DeliveryView) {
  return {
    target,
    state,
    attempts,
    ended: ended_ms === undefined ? null : isoTime(ended_ms),
    next_try: state === 'wanted' ? isoTime(not_before_ms) : null,
    error: error ?? null,
    output: output ?? null,
  }
}
