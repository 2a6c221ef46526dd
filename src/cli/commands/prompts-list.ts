import { counted } from '../../base/text/format.ts'
import { isoTime, system_clock } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import type { RunSummary } from '../../ledger/views/view-prompts.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { defineCommand, flag } from '../command.ts'
import { withPromptsView } from '../daemon/ledger-fault.ts'
import { exit_codes } from '../exit-codes.ts'
import { no_prompts_hint, runAnswer, scheduleText, stateText } from '../text/prompt-runs.ts'
import { sayJson, sayWhole } from '../text/say-whole.ts'
import { tableLines } from '../text/table.ts'

export const command = defineCommand({
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
      sayJson(terminal, { prompts: answer })
      return exit_codes.ok
    }
    if (prompts.length === 0) {
      sayWhole(terminal, `no prompts are configured: ${no_prompts_hint}`, 'err')
      return exit_codes.ok
    }
    const columns = ['PROMPT', 'WHEN', 'FOLDERS', 'LAST RUN', 'NEXT'].map((title) => ({ title, shrinks: true }))
    const rows = prompts.map(({ settings: { name, schedule, scope }, last, next }) => [
      name,
      scheduleText(schedule),
      scope.folders.join(', '),
      last ? lastText(last) : 'none yet',
      next?.text ?? 'never',
    ])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
})

function lastText({ run, state, assets }: RunSummary): string {
  return `${run}: ${stateText(state)}${state === 'written' ? `, ${counted(assets, 'file')}` : ''}`
}
