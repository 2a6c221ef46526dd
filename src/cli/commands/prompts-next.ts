import { isoTime, system_clock } from '../../base/time.ts'
import { loadConfig } from '../../config/load.ts'
import { nextTimes } from '../../prompts/schedule.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { no_prompts_hint } from '../prompt-named.ts'
import { sayAll } from '../say-all.ts'
import { sayWhole } from '../say-whole.ts'
import { scheduleText } from '../schedule-text.ts'

/** Version of the JSON answer: it grows when a field goes or changes its meaning, not when one is added. */
const answer_version = 1

interface Options extends GlobalOptions {
  json: boolean
}

/** Reads the configuration alone. */
export const command: Command<Options> = {
  options: (yargs) => yargs.option('json', { type: 'boolean', default: false, describe: 'one JSON object' }),
  async run({ config: named, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const now_ms = system_clock.now_ms()
    const prompts = config.prompts.map(({ name, schedule }) => ({ name, schedule, next: nextTimes(schedule, now_ms) }))
    if (json) {
      const answer = prompts.map((prompt) => ({
        ...prompt,
        next: prompt.next.map(({ at_ms, text }) => ({ at: isoTime(at_ms), local: text })),
      }))
      terminal.out(JSON.stringify({ version: answer_version, prompts: answer }, null, 2))
      return exit_codes.ok
    }
    if (prompts.length === 0) sayWhole(terminal, `no prompts are configured: ${no_prompts_hint}`, 'err')
    for (const { name, schedule, next } of prompts) {
      sayAll(terminal, `${name}  ${scheduleText(schedule)}`, { strong: name })
      for (const { text } of next) terminal.out(`  ${text}`)
    }
    return exit_codes.ok
  },
}
