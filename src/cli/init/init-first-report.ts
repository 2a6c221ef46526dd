import { prompt_schema } from '../../config/schema/schema-prompts.ts'
import type { StartingPrompt } from '../../config/starting-config.ts'
import { freePort } from '../free-port.ts'
import type { Dialog } from './init-dialog.ts'
import { faultOfField, faultOfName } from './init-flags.ts'
import { cronOf } from './when.ts'

/** The port in the docs. */
const usual_port = 8470

/** Asks for the page on this machine. Returns where it listens; undefined: it stays off. */
export async function askPage(dialog: Dialog): Promise<string | undefined> {
  const question = 'Show files, reports and problems on a page, for browsers on this machine?'
  if (!(await dialog.confirm(question, true))) return undefined
  return dialog.work('a free port', async () => `127.0.0.1:${await freePort(usual_port)}`)
}

/** Asks for a first prompt. Undefined: the user wants none now. */
export async function askPrompt(dialog: Dialog): Promise<StartingPrompt | undefined> {
  const question = 'Ask about new files on a schedule, and write a report?'
  if (!(await dialog.confirm(question, true))) return undefined
  const name = await dialog.text('Name of the report:', {
    usual: 'news',
    fault: faultOfName,
  })
  const prompt = await dialog.text('Question that it answers:', {
    usual: 'What is new in {{folders}}? Name the file behind each statement: {{files}}',
    fault: (answer) => faultOfField(prompt_schema.shape.prompt, answer),
  })
  const when = await dialog.text('When:', {
    usual: 'Mondays 08:00',
    fault: (answer) =>
      cronOf(answer) === undefined
        ? 'a time such as Mondays 08:00, weekdays 7:30 or daily 18:00, or the five fields of cron'
        : undefined,
  })
  return { name, prompt, when, cron: cronOf(when)! }
}
