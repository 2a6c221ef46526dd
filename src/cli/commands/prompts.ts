import { counted, formatCount, formatSpan } from '../../base/text/format.ts'
import { isoTime, system_clock, wallText } from '../../base/time/time.ts'
import { countValue } from '../../config/schema/fields.ts'
import { stateText } from '../../domain/run.ts'
import type { RunSummary } from '../../ledger/views/view-prompts.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import {
  namedOrOnly,
  no_prompts_hint,
  refuseUnknown,
  runShown,
  zoneOf,
} from '../../prompts/show/find-run.ts'
import {
  listPrompts,
  promptAnswer,
  reportBody,
  reportOf,
  runAnswer,
  wholeAnswer,
  whyText,
} from '../../prompts/show/run-answers.ts'
import { scheduleText } from '../../prompts/show/run-texts.ts'
import { withPromptsView } from '../../status/with-view.ts'
import { flagValue } from '../ask/ask-flags.ts'
import { argument, defineCommand, flag, number, optional } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor, onPaths } from '../on-paths.ts'
import { printMarkdown } from '../text/answer-text.ts'
import { printFitted, printJson, printNote, printWarning } from '../text/print.ts'
import { printRun } from '../text/prompt-runs.ts'
import { printTable, right, sentences, shrinking } from '../text/table.ts'

export const list = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: named, json }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const now_ms = system_clock.now_ms()
    const prompts = await withPromptsView(config.state_dir, (view) =>
      listPrompts(view, config, now_ms),
    )
    if (json) {
      printJson(terminal, { prompts: prompts.map((prompt) => promptAnswer(prompt, config)) })
      return exit_codes.ok
    }
    if (prompts.length === 0) {
      printNote(terminal, `no prompts are configured: ${no_prompts_hint}`)
      return exit_codes.ok
    }
    const columns = [
      shrinking('PROMPT'),
      sentences('WHEN'),
      shrinking('FOLDERS'),
      shrinking('LAST RUN'),
      'NEXT',
    ]
    const rows = prompts.map(({ settings: { name, schedule, scope }, last, next }) => [
      name,
      scheduleText(schedule),
      scope.folders.join(', '),
      last ? lastText(last) : 'none yet',
      next ? wallText(next.at_ms, schedule.timezone) : 'never',
    ])
    printTable(terminal, columns, rows)
    return exit_codes.ok
  },
})

function lastText({ run, state, empty, files }: RunSummary): string {
  return `${run}: ${stateText(state, empty)}${state === 'written' ? `, ${counted(files, 'file')}` : ''}`
}

/** Reads only the configuration, not the ledger. */
export const next = defineCommand({
  options: (yargs) => yargs.option('json', flag('one JSON object')),
  async run({ config: named, json }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const now_ms = system_clock.now_ms()
    const prompts = config.prompts.map(({ name, schedule }) => ({
      name,
      schedule,
      next: nextTimes(schedule, now_ms),
    }))
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
      for (const { at_ms } of next) terminal.out(`  ${wallText(at_ms, schedule.timezone)}`)
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
    const count = flagValue('limit', countValue({ min: 1, max: max_runs }), limit)
    const { config } = await loadFor(terminal, { file: named })
    const runs = await withPromptsView(config.state_dir, (view) => {
      refuseUnknown(name, view, config)
      return view?.runs(name, count) ?? []
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
    const zone = zoneOf(name, config)
    const columns = [
      right('RUN'),
      `DUE (${zone})`,
      'STATE',
      right('FILES'),
      right('TOOK'),
      sentences('WHY'),
    ]
    const rows = runs.map((run) => rowOf(run, zone))
    printTable(terminal, columns, rows)
    return exit_codes.ok
  },
})

function rowOf(run: RunSummary, zone: string): string[] {
  const { due_ms, state, empty, files, began_ms, ended_ms, cause } = run
  const why = [cause === 'schedule' ? undefined : cause.replace('_', ' '), whyText(run)]
  return [
    String(run.run),
    wallText(due_ms, zone),
    stateText(state, empty),
    formatCount(files),
    ended_ms === undefined ? '' : formatSpan(began_ms, ended_ms),
    why.filter((text) => text !== undefined).join(': '),
  ]
}

export const show = defineCommand({
  options: (yargs) =>
    yargs
      .positional(
        'run',
        optional(
          'a run: its number, PROMPT@TIME, or PROMPT for its newest report (default: the only prompt)',
        ),
      )
      .option('json', flag('one JSON object')),
  async run({ config: named, run: given, json }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const text = namedOrOnly(given, config)
    const { run, has_later } = await withPromptsView(config.state_dir, (view) =>
      runShown(text, view, config),
    )
    if (json) printJson(terminal, wholeAnswer(run, config))
    else {
      const { text: report, lost } = await onPaths(terminal, (paths) =>
        // The codes of the front matter are for programs.
        terminal.is_interactive ? reportBody(run, paths) : reportOf(run, paths),
      )
      printRun(run, config, terminal, report)
      if (lost !== undefined) {
        printWarning(
          terminal,
          `${run.report_path}: ${lost}; this is the answer as the ledger keeps it`,
        )
      }
      if (report !== '') {
        terminal.out(terminal.is_interactive ? '' : '---')
        printMarkdown(terminal, report)
      }
    }
    if (has_later)
      printNote(terminal, `a later run has no report: \`sluice prompts history ${text}\` says why`)
    return exit_codes.ok
  },
})
