import { optional, z } from 'zod'
import { cronFault } from '../../base/time/cron.ts'
import { isZone } from '../../base/time/time.ts'
import { choice, count, flag, matching, refusing, span, spanValue, texts } from './fields.ts'
import { deliver, lineOf, template } from './schema-deliver.ts'
import { label, name_field, pattern, project_id } from './schema-folder.ts'

const prompt_variables = ['folders', 'since', 'count', 'files', 'name', 'date', 'due']

const cron = lineOf(200)
  .check(refusing((text) => cronFault(text, 'UTC')))
  .describe(
    'When it is asked: minute, hour, day of month, month, day of week. "0 8 * * 1" is every Monday at eight. A time that the ' +
      'clocks jump over in spring comes at the end of the jump; one that autumn brings twice comes once.',
  )

const timezone = lineOf(100)
  .refine(isZone, 'must be a time zone such as Europe/Berlin or UTC')
  .optional()
  .describe('The zone of that time. Default: the zone of the machine.')

const wrong_fresh = 'must be since_last_run, all, or an age from 1m to 3650d such as 24h or 7d'
const fresh = z
  .union(
    [
      z.enum(['since_last_run', 'all']),
      spanValue('1m', '3650d', wrong_fresh).transform((within_ms) => ({ within_ms })),
    ],
    wrong_fresh,
  )
  .optional()
  .describe(
    'Which files of the folders: since_last_run (those that no earlier report covers), all, or what arrived in a time ' +
      'before the run, such as 24h or 7d. Default since_last_run: each file is covered once, and none is left out.',
  )

function ids(kind: string, what: string) {
  const wrong = `must be ${kind}_ and 20 small letters or digits, as the service shows it`
  const id = matching(new RegExp(`^${kind}_[a-z0-9]{20}$`), wrong)
  return texts(id, 100).describe(`${what} Empty by default: a question is about named things only.`)
}

const scope_schema = z.strictObject({
  folders: texts(name_field, 1_000).describe(
    'Names of watched folders, all of one project. Empty by default: a prompt may ask about other things than files.',
  ),
  paths: texts(pattern, 100).describe(
    'Patterns as in .gitignore, relative to the folder: only files that match one. Empty by default: every file.',
  ),
  fresh,
  labels: texts(label, 100).describe(
    'Names of labels: what carries one of them, new or not. Empty by default: the folders say what is meant.',
  ),
  chats: ids('chat', 'What was said in these chats.'),
  concepts: ids('concept', 'These concepts.'),
  projects: ids('project', 'Everything in these projects.'),
  views: ids('view', 'What these views show.'),
})

const provider_rule = 'must be small letters, digits, dashes or underscores, beginning with a letter'

export const prompt_schema = z.strictObject({
  name: name_field.describe(
    'The name of the prompt in status, in the log and in the names of its reports. Unique. Sluice knows by it which files ' +
      'its reports cover, so keep it.',
  ),
  project_id: optional(project_id).describe(
    'The project it asks in. Default: that of its folders, else service.project_id.',
  ),
  cron,
  timezone,
  prompt: template(20_000, prompt_variables).describe(
    'What is asked, 1 to 20000 characters. {{folders}}, {{since}}, {{count}}, {{files}}, {{name}}, {{date}} and {{due}} are ' +
      'filled in.',
  ),
  intelligence: choice(['auto', 'fast', 'expert', 'research'], 'auto').describe(
    'How hard the service thinks: auto, fast, expert or research. Default auto: the service chooses.',
  ),
  provider: lineOf(64)
    .regex(/^[a-z][a-z0-9_-]*$/, provider_rule)
    .optional()
    .describe('Whose model is preferred, as the service names them. Default: the service chooses.'),
  skills: texts(lineOf(255), 20).describe(
    'Names of skills to be loaded, in this order. Empty by default: none is needed.',
  ),
  public_data: optional(z.boolean('must be true or false')).describe(
    'false: no search of the web. Default: the service’s own.',
  ),
  scope: scope_schema.describe(
    'What the question is about; it must name something, for an empty scope would mean everything.',
  ),
  first_run: choice(['from_now', 'all'], 'from_now').describe(
    'What is new in the first run: from_now (what arrived since the prompt was set up, without what was in a folder before it ' +
      'was set up) or all. Default from_now: an old archive is no news.',
  ),
  when_nothing_new: choice(['skip', 'run'], 'skip').describe(
    'If its folders have no new file: skip the run, or run it with the rest of its scope. Default skip: there is ' +
      'nothing to report. A prompt without folders is always run.',
  ),
  wait_for_files: span({ usual: '20m', min: '0ms', max: '1d' }).describe(
    'How long a run waits for files that are seen but not ready yet. Default 20m: most are read by then; the others are ' +
      'named in the report and come first in the next one.',
  ),
  max_assets: count({ usual: 200, min: 1, max: 10_000 }).describe(
    'The most files that one turn is asked about. Default 200: more blur an answer. Most 10000, the largest scope.',
  ),
  when_too_many: choice(['next_run', 'more_turns'], 'next_run').describe(
    'With more files than max_assets: leave the rest to the next run, or ask more turns in one chat and a closing one. ' +
      'Default next_run: each turn costs.',
  ),
  continue_chat: flag(false).describe(
    'Whether a run goes on with the chat of the run before. Default false: each report stands on its own.',
  ),
  catch_up: span({ usual: '6h', min: '0ms', max: '30d' }).describe(
    'A time missed while nothing ran is made up, once, when it is not longer ago than this. Default 6h: the morning’s ' +
      'report is of use until the afternoon.',
  ),
  overlap: choice(['skip', 'queue'], 'skip').describe(
    'What happens when a run is due while the one before it is not done: skip it, or queue it. Default skip: what is new ' +
      'stays new for the next run.',
  ),
  deliver,
})

export type CheckedPrompt = z.output<typeof prompt_schema>
