import { z } from 'zod'
import { counted, formatDuration, printable } from '../../base/text/format.ts'
import { isoTime, second_ms, zonedText } from '../../base/time/time.ts'
import type { AskAnswer } from '../../control/control-verbs.ts'
import { amounts_read, type Told } from '../../domain/source-read.ts'
import { sourceText } from '../../prompts/ask/ask-question.ts'
import { leftOutText } from '../../prompts/ask/ask-scope.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { type ToldFile, toldFiles, toldText } from '../../prompts/report/told.ts'
import { promptNamed } from '../../prompts/show/find-run.ts'
import { coverageText, reportBody } from '../../prompts/show/run-answers.ts'
import { configFor } from '../access/viewer.ts'
import { refuseOddQuestion } from '../reads/asking.ts'
import { type OwnRuns, otherNamesText, withOwnRuns } from '../reads/own-runs.ts'
import { connector_tools } from './connector-tools.ts'
import type { Cursors } from './cursors.ts'
import { file_tools, since } from './file-tools.ts'
import { foldersMeant, timeOf } from './named-by-agent.ts'
import { status } from './status-tool.ts'
import {
  type AgentCall,
  cursor,
  folders,
  max_listed,
  type Tool,
  text_or_none,
  toolOf,
} from './tool.ts'

const max_report_characters = 60_000
const progress_every_ms = 5 * second_ms

const told_file = z.looseObject({
  name: z.string(),
  asset_id: z.string(),
  read: z.enum(amounts_read).nullable().describe('null: the service does not say it'),
  places: z.array(z.string()).describe('where in the file it was read'),
  why: text_or_none.describe('why not all of it was read'),
  is_named: z.boolean().describe('the answer names it'),
})
/** Files by what became of them, in `ask` and `last_report`. */
const told_output = {
  covered: z.array(told_file).describe('asked about, less those that the service did not read'),
  covered_files: z.int().describe('how many are listed on all pages together, equal bytes once'),
  left: z.array(told_file).describe('those that it did not read'),
  left_files: z.int(),
}

/** A file in a text. */
function lineOf(file: Parameters<typeof sourceText>[0]): string {
  return printable(sourceText(file))
}

type Listed = Pick<AskAnswer['sources'][number], 'name' | 'asset_id'> &
  Partial<Told & Pick<ToldFile, 'fate'>>

function toldLists(files: readonly Listed[], from = 0) {
  // A question covers nothing: what it did not read is left.
  const isLeft = ({ read, fate = read === 'not' ? 'left' : 'covered' }: Listed) => fate === 'left'
  const left = files.filter(isLeft)
  const covered = files.filter((file) => !isLeft(file))
  const shown = ({ name, asset_id, ...told }: Listed) => {
    const { read = null, places = [], why = null, is_named = false } = told
    return { name, asset_id, read, places, why, is_named }
  }
  return {
    covered: covered.slice(from, from + max_listed).map(shown),
    covered_files: covered.length,
    left: left.slice(from, from + max_listed).map(shown),
    left_files: left.length,
  }
}

const ask = toolOf({
  name: 'ask',
  title: 'Ask the assistant',
  description:
    'Asks the assistant about files that are in, and waits for the answer: seconds to minutes.',
  input: z.strictObject({
    question: z.string().max(4_000).describe('what you want to know'),
    folders,
    path: z
      .string()
      .max(1_024)
      .default('')
      .describe('a pattern as in .gitignore, such as contracts/*.pdf'),
    label: z.string().max(255).default('').describe('a label; only for who sees all folders'),
    since: since.optional(),
  }),
  output: z.looseObject({
    answer: z.string(),
    note: z.string().nullable(),
    sources: z.array(z.looseObject({ name: z.string() })).describe('files that the answer names'),
    asked_over: z.int().describe('how many contents the assistant was asked over'),
    calls: z.int().nullable().describe('calls of a model; null: the service does not say it'),
    ...told_output,
    left_out: z.int().describe('how many files were left out for their names'),
  }),
  async run({ since: from, ...wish }, call) {
    const { config, clock } = call.tools
    refuseOddQuestion(wish.question)
    foldersMeant(wish.folders, configFor(config, call.viewer))
    const now_ms = clock.now_ms()
    const within_ms = from === undefined ? undefined : now_ms - timeOf(from, now_ms)
    const ended = new AbortController()
    void reportWaiting(call, ended.signal)
    const asked = call.ask({ ...wish, within_ms }, call.stopped).finally(() => ended.abort())
    const { answer, note, chat_id, sources, calls = null, left_out = 0 } = await asked
    const named = sources.filter(({ is_named }) => is_named)
    const files = sources.filter(({ is_deleted }) => !is_deleted)
    const told =
      files.length === 0 ? '' : `\nAsked about ${counted(files.length, 'file')}: ${toldText(files)}`
    const text = `${answer}\n\n${note === null ? '' : `Note: ${note}\n\n`}Files that it names: ${named.map(lineOf).join(', ') || 'none'}${told}`
    const of_question = {
      answer,
      note,
      chat_id,
      sources: named,
      asked_over: files.length,
      left_out,
    }
    const data = { ...of_question, calls, ...toldLists(files) }
    return { text: `${text}${leftOutText(data)}`, data }
  },
})

const lastReport = toolOf({
  name: 'last_report',
  title: 'Newest report',
  description: 'Gives the newest report of a scheduled prompt, and which files it covers.',
  input: z.strictObject({
    prompt: z.string().min(1).max(255).describe('the name of the prompt'),
    cursor,
  }),
  // Without a report that the user may see, `run` is null and the rest is absent.
  output: z.looseObject({
    prompt: z.string(),
    run: z.int().nullable(),
    due: z.string().optional(),
    report: z.string().optional().describe('absent with a cursor'),
    ...z.object(told_output).partial().shape,
    next_cursor: z
      .string()
      .nullable()
      .optional()
      .describe('more covered files, or more left ones; null: no more'),
  }),
  run: ({ prompt, cursor: given }, { tools, viewer, cursors }) =>
    withOwnRuns(tools, viewer, (own) => {
      // That none is configured would be false for them.
      if (own.config.prompts.length === 0 && (viewer.role === 'reader' || viewer.folders !== 'all'))
        own.prompt(prompt)
      const { schedule } = promptNamed(prompt, own.config)
      const at = cursors.at<ReportPlace>(given)
      const written = own.lastReport(prompt)
      const run = at?.run ?? written?.run
      const not_shown = own.withOtherNames()
      const why = not_shown > 0 ? `\n${otherNamesText(not_shown)}` : ''
      if (run === undefined) {
        const next = nextTimes(schedule, tools.clock.now_ms(), 1)[0]?.text ?? null
        const none = not_shown > 0 ? 'that you may see' : 'yet'
        return {
          text: `${prompt} has written no report ${none}; its next run: ${next}${why}`,
          data: { prompt, run: null, next, not_shown },
        }
      }
      const { text, ...report } = reportOf(own, run, { cursors, from: at?.from })
      const data = { prompt, run, ...report, not_shown }
      return { text: `The report of ${prompt} ${text}${why}`, data }
    }),
})

type ReportPlace = { run: number; from: number }

/** The report and its first files. `from`: only the files after so many of each list. */
function reportOf(
  own: OwnRuns,
  id: number,
  { cursors, from }: { cursors: Cursors; from: number | undefined },
) {
  const run = own.run(id)
  const due = isoTime(run.due_ms)
  const coverage = coverageText(run, own.config) ?? ''
  const to = (from ?? 0) + max_listed
  const lists = toldLists(toldFiles({ ...run, assets: run.planned_assets }), from)
  const is_more = to < Math.max(lists.covered_files, lists.left_files)
  const next_cursor = is_more ? cursors.of({ run: id, from: to } satisfies ReportPlace) : null
  const files = { due, coverage, ...lists, next_cursor }
  const head = `for ${zonedText(run.due_ms)} (run ${id})\n${coverage}\n\n`
  if (from !== undefined)
    return { ...files, text: head + [...lists.covered, ...lists.left].map(lineOf).join('\n') }
  const whole = reportBody(run, own.paths).text
  const is_cut = whole.length > max_report_characters
  const report = is_cut
    ? `${whole.slice(0, max_report_characters)}\n\n… the report goes on: it is cut here`
    : whole
  return { ...files, report, is_cut, text: head + report }
}

/** All tools of agents. None changes a file, a folder or a setting. */
export const agent_tools: readonly Tool[] = [
  status,
  ...file_tools,
  ask,
  lastReport,
  ...connector_tools,
]

/** An agent that hears nothing for long gives up. */
async function reportWaiting({ tools, progress }: AgentCall, ended: AbortSignal): Promise<void> {
  for (let waited_ms = 0; !ended.aborted; waited_ms += progress_every_ms) {
    progress(`waiting for the answer for ${formatDuration(waited_ms)}`)
    await tools.clock.sleep(progress_every_ms, ended)
  }
}
