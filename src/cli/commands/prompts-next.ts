import { isoTime, system_clock } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { no_prompts_hint, scheduleText } from '../text/prompt-runs.ts'
import { sayAll, sayJson, sayWhole } from '../text/say-whole.ts'

/** Reads the configuration alone. */
export const command = defineCommand({
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
      sayJson(terminal, { prompts: answer })
      return exit_codes.ok
    }
    if (prompts.length === 0) sayWhole(terminal, `no prompts are configured: ${no_prompts_hint}`, 'err')
    for (const { name, schedule, next } of prompts) {
      sayAll(terminal, `${name}  ${scheduleText(schedule)}`, { strong: name })
      for (const { text } of next) terminal.out(`  ${text}`)
    }
    return exit_codes.ok
  },
})
