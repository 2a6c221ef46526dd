import { readFileSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import { counted, formatCount, formatDuration } from '../../base/text/format.ts'
import { isoTime, localTime, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { RunSummary, RunView } from '../../ledger/views/view-prompts.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { answerText } from '../ask/ask-question.ts'
import { argument, defineCommand, flag, number } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { printFitted, printJson, printNote, printWarning } from '../text/print.ts'
import {
  answerOf,
  coverageText,
  deliveryAnswer,
  no_prompts_hint,
  printRun,
  refuseUnknown,
  runAnswer,
  runNamed,
  scheduleText,
  stateText,
  whyText,
  zoneOf,
} from '../text/prompt-runs.ts'
import { printTable, right, shrinking } from '../text/table.ts'
import type { Terminal } from '../text/terminal.ts'

export const list = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: named, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const now_ms = system_clock.now_ms()
    const prompts = await withPromptsView(config.state_dir, (view) =>
      config.prompts.map((settings) => ({
        settings,
        last: view?.runs(settings.name, 1)[0],
        next: nextTimes(settings.schedule, now_ms, 1)[0],
      })),
    )
    if (json) {
      const answer = prompts.map(({ settings: { name, project_id, schedule, scope }, last, next }) => ({
        name,
        project_id,
        schedule,
        folders: scope.folders,
        last_run: last ? runAnswer(last, config) : null,
        next: next ? { at: isoTime(next.at_ms), local: next.text } : null,
      }))
      printJson(terminal, { prompts: answer })
      return exit_codes.ok
    }
    if (prompts.length === 0) {
      printNote(terminal, `no prompts are configured: ${no_prompts_hint}`)
      return exit_codes.ok
    }
    const columns = ['PROMPT', 'WHEN', 'FOLDERS', 'LAST RUN', 'NEXT'].map(shrinking)
    const rows = prompts.map(({ settings: { name, schedule, scope }, last, next }) => [
      name,
      scheduleText(schedule),
      scope.folders.join(', '),
      last ? lastText(last) : 'none yet',
      next?.text ?? 'never',
    ])
    printTable(terminal, columns, rows)
    return exit_codes.ok
  },
})

function lastText({ run, state, assets }: RunSummary): string {
  return `${run}: ${stateText(state)}${state === 'written' ? `, ${counted(assets, 'file')}` : ''}`
}

/** Reads only the configuration, not the ledger. */
export const next = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: named, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const now_ms = system_clock.now_ms()
    const prompts = config.prompts.map(({ name, schedule }) => ({ name, schedule, next: nextTimes(schedule, now_ms) }))
    if (json) {
      const answer = prompts.map((prompt) => ({
        ...prompt,
        next: prompt.next.map(({ at_ms, text }) => ({ at: isoTime(at_ms), local: text })),
      }))
      printJson(terminal, { prompts: answer })
      return exit_codes.ok
    }
    if (prompts.length === 0) printNote(terminal, `no prompts are configured: ${no_prompts_hint}`)
    for (const { name, schedule, next } of prompts) {
      printFitted(terminal, `${name}  ${scheduleText(schedule)}`, name)
      for (const { text } of next) terminal.out(`  ${text}`)
    }
    return exit_codes.ok
  },
})

/** Runs listed without --limit: a year of a weekly prompt. */
const usual_limit = 50
const max_runs = 10_000

export const history = defineCommand({
  options: (yargs) =>
    yargs
      .positional('name', argument('the name of a prompt'))
      .option('limit', { ...number('so many runs'), default: usual_limit })
      .option('json', flag('one JSON object')),
  async run({ config: named, name, limit, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const runs = await withPromptsView(config.state_dir, (view) => {
      refuseUnknown(name, view, config)
      return view?.runs(name, Math.min(Math.max(1, Math.floor(limit)), max_runs)) ?? []
    })
    if (json) {
      const answer = runs.map((run) => runAnswer(run, config))
      printJson(terminal, { prompt: name, runs: answer })
      return exit_codes.ok
    }
    if (runs.length === 0) {
      printNote(terminal, `${name} has not run yet (\`sluice prompts next\` shows when it will)`)
      return exit_codes.ok
    }
    const columns = [right('RUN'), 'DUE', 'STATE', right('FILES'), right('TOOK'), shrinking('WHY')]
    const zone = zoneOf(name, config)
    const rows = runs.map((run) => rowOf(run, zone))
    printTable(terminal, columns, rows)
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

/** Reports are smaller than 1 MB. A larger file is not from Sluice. */
const largest_report_bytes = 16 * 1_048_576

export const show = defineCommand({
  options: (yargs) =>
    yargs.positional('run', argument('a run: its number, or PROMPT@TIME')).option('json', flag('one JSON object')),
  async run({ config: named, run: text, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const run = await withPromptsView(config.state_dir, (view) => runNamed(text, view, config))
    if (json) printJson(terminal, wholeAnswer(run, config))
    else {
      printRun(run, config, terminal)
      const report = reportOf(run, terminal)
      if (report !== '') terminal.out(`${terminal.styles.dim('---')}\n${answerText(report)}`)
    }
    return exit_codes.ok
  },
})

/** The report from the disk, or else the answer from the ledger. */
function reportOf({ report_path, turns }: RunView, terminal: Terminal): string {
  if (report_path === undefined) return answerOf({ turns })
  try {
    if (statSync(report_path).size > largest_report_bytes) throw new Error('it is too large for a report')
    return readFileSync(report_path, 'utf8')
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'it is not there any more' : messageOf(error)
    printWarning(terminal, `${report_path}: ${why}; this is the answer as the ledger keeps it`)
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
    covered: run.planned_assets.map(({ name, asset_id, md5, size, turn }) => ({ name, asset_id, md5, size, turn })),
    refused: run.planned_refusals.map(({ name, md5, size, why }) => ({ name, md5, size, why })),
    deliveries: run.deliveries.map(deliveryAnswer),
  }
}
