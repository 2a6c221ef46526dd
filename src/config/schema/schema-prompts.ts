import { optional, z } from 'zod'
import { cronFault } from '../../base/time/cron.ts'
import { isZone } from '../../base/time/time.ts'
import {
  choice,
  count,
  flag,
  list,
  matching,
  refusing,
  span,
  spanValue,
  wrong_flag,
} from './fields.ts'
import { deliver, lineOf, template } from './schema-deliver.ts'
import { known_name, label, name_field, pattern, project_id } from './schema-folder.ts'

const prompt_variables = ['folders', 'since', 'count', 'files', 'name', 'date', 'due']

const cron = lineOf(200)
  .check(refusing((text) => cronFault(text, 'UTC')))
  .describe(
    'When Sluice asks: minute, hour, day of month, month, day of week. "0 8 * * 1" is every Monday at eight. If ' +
      'the clocks skip a time in spring, the run is due at the end of the gap. A time that occurs twice in autumn ' +
      'has one run.',
  )

const timezone = lineOf(100)
  .refine(isZone, 'must be a time zone such as Europe/Berlin or UTC')
  .optional()
  .describe('The time zone of cron. Default: the zone of the machine.')

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
    'Which files of the folders are in scope: since_last_run (those that no earlier report covers), all, or ' +
      'those that arrived within a time before the run, such as 24h or 7d. Default since_last_run: each file is ' +
      'covered once, and none is left out.',
  )

function ids(kind: string, what: string) {
  const wrong = `must be ${kind}_ and 20 small letters or digits, as the service shows it`
  const id = matching(new RegExp(`^${kind}_[a-z0-9]{20}$`), wrong)
  return list(id, 100).describe(`${what} Empty by default: a question is about named things only.`)
}

const scope_schema = z.strictObject({
  folders: list(known_name, 1_000).describe(
    'Names of watched folders, all of one project. Empty by default: a prompt can ask about other things than ' +
      'files.',
  ),
  paths: list(pattern, 100).describe(
    'Patterns as in .gitignore, relative to the folder. Only files that match one are in scope. Empty by ' +
      'default: all files are.',
  ),
  fresh,
  labels: list(label, 100).describe(
    'Names of labels. All assets with one of them are in scope, new or not. Empty by default: the folders decide.',
  ),
  chats: ids('chat', 'Chats that are in scope.'),
  concepts: ids('concept', 'Concepts that are in scope.'),
  projects: ids('project', 'Projects that are in scope with everything in them.'),
  views: ids('view', 'Views that are in scope with everything that they show.'),
})

const provider_rule =
  'must be small letters, digits, dashes or underscores, beginning with a letter'

const wrong_read = 'must be search or every_file'

export const prompt_schema = z.strictObject({
  name: name_field.describe(
    'The name of the prompt in status, in the log and in the names of its reports. Unique. Do not change it ' +
      'later: Sluice finds by it which files the reports cover.',
  ),
  project_id: optional(project_id).describe(
    'The project in which it asks. Default: the project of its folders, else service.project_id.',
  ),
  cron,
  timezone,
  prompt: template(20_000, prompt_variables).describe(
    'The question, 1 to 20000 characters. Sluice fills in {{folders}}, {{since}}, {{count}}, {{files}}, ' +
      '{{name}}, {{date}} and {{due}}.',
  ),
  intelligence: choice(['auto', 'fast', 'expert', 'research'], 'auto').describe(
    'How thoroughly the service works: auto, fast, expert or research. Default auto: the service chooses.',
  ),
  provider: lineOf(64)
    .regex(/^[a-z][a-z0-9_-]*$/, provider_rule)
    .optional()
    .describe(
      'The preferred provider of models, by its name on the service. Default: the service chooses.',
    ),
  skills: list(lineOf(255), 20).describe(
    'Names of skills that the service loads, in this order. Empty by default.',
  ),
  public_data: optional(z.boolean(wrong_flag)).describe(
    'false: the service does not search the web. Default: as the service decides.',
  ),
  read: optional(z.enum(['search', 'every_file'], wrong_read)).describe(
    'How the files in scope are read: search (the service looks for passages that match the question, which takes ' +
      'one call of its model) or every_file (the model reads each file whole, in as many calls as that takes). ' +
      'Default: every_file where the service lists the skill sluice-read-every-file, else search.',
  ),
  language: choice(['en', 'de'], 'en').describe(
    'The language of what Sluice itself writes into the report: en (English) or de (German). The answer is in the ' +
      'language that the prompt asks for. Default en: the language of Sluice.',
  ),
  scope: scope_schema.describe(
    'What the question is about. It must name something, because an empty scope would mean everything.',
  ),
  first_run: choice(['from_now', 'all'], 'from_now').describe(
    'Which files are new in the first run: from_now (those that arrived since the prompt was set up, without ' +
      'files that were in a folder when that was set up) or all. Default from_now: the files of an old archive are ' +
      'not new.',
  ),
  when_nothing_new: choice(['skip', 'run'], 'skip').describe(
    'If its folders have no new file: skip the run, or run it with the rest of its scope. Default skip: there is ' +
      'nothing to report. A prompt without folders always runs.',
  ),
  wait_for_files: span({ usual: '20m', min: '0ms', max: '1d' }).describe(
    'How long a run waits for files that Sluice has found and that are not ready yet. Default 20m: by then most ' +
      'are ready. The report names the others, and the next report covers them first.',
  ),
  max_assets: count({ usual: 200, min: 1, max: 10_000 }).describe(
    'The most files in the scope of one turn. Default 200: with more the answer gets less precise. At most ' +
      '10000, the largest scope of the service.',
  ),
  when_too_many: choice(['next_run', 'more_turns'], 'next_run').describe(
    'With more files than max_assets: leave the rest to the next run, or ask several turns, each in a chat ' +
      'of its own, and a last one that sums up. Default next_run: each turn costs money.',
  ),
  continue_chat: flag(false).describe(
    'true: a run continues the chat of the run before. Default false: each report is independent.',
  ),
  catch_up: span({ usual: '6h', min: '0ms', max: '30d' }).describe(
    'If no daemon ran at a due time, the run is made up once, unless the time is longer ago than this. Default ' +
      '6h: a report of the morning is still useful in the afternoon.',
  ),
  overlap: choice(['skip', 'queue'], 'skip').describe(
    'If a run is due while the one before it has not ended: skip it, or queue it. Default skip: the next run ' +
      'covers its files.',
  ),
  deliver,
})

/** Fields of a prompt that `sluice ask` has as options, with the same rules. */
export const question_schema = prompt_schema
  .pick({ provider: true, skills: true })
  .extend(scope_schema.omit({ folders: true, fresh: true }).shape)

export type CheckedPrompt = z.output<typeof prompt_schema>
