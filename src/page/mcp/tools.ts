import { z } from 'zod'
import { formatDuration, printable } from '../../base/text/format.ts'
import { isoTime, second_ms } from '../../base/time/time.ts'
import type { AskAnswer } from '../../control/control-verbs.ts'
import { fileAnswer } from '../../inspect/files/known-files.ts'
import { type FileView, stages } from '../../ledger/views/view-files.ts'
import { leftOutText } from '../../prompts/ask/ask-scope.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { promptNamed } from '../../prompts/show/find-run.ts'
import { coverageText } from '../../prompts/show/run-answers.ts'
import { configFor, type Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { refuseOddQuestion } from '../reads/asking.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { otherNamesText, reportBody, withOwnRuns } from '../reads/own-runs.ts'
import type { AskWish } from '../reads/question-rows.ts'
import { max_query_chars } from '../reads/search-words.ts'
import {
  filesMeant,
  foldersMeant,
  type Listed,
  nameOf,
  placeMeant,
  search,
  timeOf,
} from './named-by-agent.ts'

/** Files and sources that one answer lists; more would fill the memory of a model. */
const max_files = 100
const max_report_characters = 60_000
const progress_every_ms = 5 * second_ms

/** The user for whom an agent acts, and the tools of its calls. */
export interface Agent {
  tools: Pick<PageTools, 'config' | 'clock' | 'log'>
  viewer: Viewer
  /** Resolves with the answer. `stopped`: the agent waits for it no longer. */
  ask(wish: AskWish, stopped: AbortSignal): Promise<AskAnswer>
  /** Called before each call: reads the configuration again. Never rejects. */
  refresh?(): Promise<void>
}

/** One call of an agent. */
export interface AgentCall extends Agent {
  /** Aborts when the agent no longer wants the answer. */
  stopped: AbortSignal
  /** Reports to the agent what its call waits for. */
  progress(message: string): void
}

interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string
  /** A sentence about its answer, for the model that chooses a tool. */
  description: string
  input: Input
  /**
   * `text` has sentences for users, and for agents that read only text. `data` is the same as JSON.
   * Times are ISO 8601 UTC. Null stands for unknown, or none.
   */
  run(
    input: z.output<Input>,
    call: AgentCall,
  ): Promise<{ text: string; data: Record<string, unknown> }>
}

const file = z.string().min(1).max(4_096)
const folders = z
  .array(z.string())
  .max(100)
  .default([])
  .describe('only these folders of Sluice, by name')
const since = z
  .string()
  .max(64)
  .describe('a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d')
const limit_fault = `must be a whole number from 1 to ${max_files}`
const limit = z.int(limit_fault).min(1, limit_fault).max(max_files, limit_fault).default(50)
const state = z.enum(stages, `must be one of ${stages.join(', ')}`)

const isItIn = toolOf({
  name: 'is_it_in',
  description:
    'Says of a file, or of all files with a name, whether the assistant can use it, and since when.',
  input: z.strictObject({
    file: file.describe('FOLDER/PATH, a path on the disk, a name, or parts of one'),
  }),
  run: async (asked, { tools: { config }, viewer }) =>
    answerOf(await filesMeant(asked.file, { config, viewer })),
})

const whyNot = toolOf({
  name: 'why_not',
  description:
    'Explains the state of one file: the reason, the next step, and what somebody must do.',
  input: z.strictObject({
    file: file.describe('FOLDER/PATH, a path on the disk, or a name that only one file has'),
  }),
  async run(asked, { tools, viewer }) {
    const place = await placeMeant(asked.file, { config: tools.config, viewer })
    const {
      place: _,
      project_id: _project,
      on_disk: _disk,
      ...data
    } = await ownExplanation(tools, viewer, place)
    return {
      text: [`${nameOf(place)}: ${data.state.replaceAll('_', ' ')}`, ...data.why].join('\n'),
      data,
    }
  },
})

const searchFiles = toolOf({
  name: 'search_files',
  description: 'Finds files by parts of their names or paths, and lists them with their states.',
  input: z.strictObject({
    text: z
      .string()
      .max(max_query_chars)
      .default('')
      .describe('parts of a name or path; all must occur; case and accents do not matter'),
    folders,
    states: z
      .array(state)
      .max(stages.length)
      .default([])
      .describe('only these (default: all but gone)'),
    limit,
  }),
  async run({ text, states, ...asked }, { tools: { config }, viewer }) {
    const over = foldersMeant(asked.folders, configFor(config, viewer))
    return answerOf(
      await search(
        { config, viewer },
        { folders: over, query: text, stages: states, limit: asked.limit },
      ),
    )
  },
})

const whatArrivedSince = toolOf({
  name: 'what_arrived_since',
  description:
    'Lists the files that became usable in the assistant since a time, the newest first.',
  input: z.strictObject({ since, folders, limit }),
  async run(asked, { tools: { config, clock }, viewer }) {
    const over = foldersMeant(asked.folders, configFor(config, viewer))
    const since_ms = timeOf(asked.since, clock.now_ms())
    const wanted = {
      folders: over,
      query: '',
      stages: ['ready'] as const,
      since_ms,
      limit: asked.limit,
    }
    return answerOf(await search({ config, viewer }, wanted))
  },
})

const ask = toolOf({
  name: 'ask',
  description:
    'Asks the assistant about files that are in, and waits for the answer: seconds to minutes.',
  input: z.strictObject({
    question: z.string().min(1).max(4_000),
    folders,
    path: z
      .string()
      .max(1_024)
      .default('')
      .describe('a pattern as in .gitignore, such as contracts/*.pdf'),
    label: z.string().max(255).default('').describe('a label; only for who sees all folders'),
    since: since.optional(),
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
    const { answer, note, chat_id, sources, left_out = 0 } = await asked
    const named = sources.filter(({ is_named }) => is_named).slice(0, max_files)
    const names = named.map(({ name }) => printable(name)).join(', ') || 'none'
    const text = `${answer}\n\n${note === null ? '' : `Note: ${note}\n\n`}Files that it names: ${names}`
    const data = { answer, note, chat_id, sources: named, asked_over: sources.length, left_out }
    return { text: `${text}${leftOutText(data)}`, data }
  },
})

const lastReport = toolOf({
  name: 'last_report',
  description: 'Gives the newest report of a scheduled prompt, and which files it covers.',
  input: z.strictObject({ prompt: z.string().min(1).max(255).describe('the name of the prompt') }),
  run: ({ prompt }, { tools, viewer }) =>
    withOwnRuns(tools, viewer, (own) => {
      // That none is configured would be false for them.
      if (own.config.prompts.length === 0 && (viewer.role === 'reader' || viewer.folders !== 'all'))
        own.prompt(prompt)
      const { schedule } = promptNamed(prompt, own.config)
      const written = own.history(prompt, 0, max_files).find((run) => run.state === 'written')
      const not_shown = own.withOtherNames()
      const why = not_shown > 0 ? `\n${otherNamesText(not_shown)}` : ''
      if (!written) {
        const next = nextTimes(schedule, tools.clock.now_ms(), 1)[0]?.text ?? null
        const none = not_shown > 0 ? 'that you may see' : 'yet'
        return {
          text: `${prompt} has written no report ${none}; its next run: ${next}${why}`,
          data: { prompt, run: null, next, not_shown },
        }
      }
      const run = own.run(written.run)
      const whole = reportBody(run, own.paths).text
      const is_cut = whole.length > max_report_characters
      const report = is_cut
        ? `${whole.slice(0, max_report_characters)}\n\n… the report goes on: it is cut here`
        : whole
      const due = isoTime(run.due_ms)
      const coverage = coverageText(run, own.config) ?? ''
      const covered = run.planned_assets
        .slice(0, max_files)
        .map(({ name, asset_id }) => ({ name, asset_id }))
      const text = `The report of ${prompt} for ${due} (run ${run.run})\n${coverage}\n\n${report}${why}`
      const covered_files = run.planned_assets.length
      return {
        text,
        data: {
          prompt,
          run: run.run,
          due,
          coverage,
          report,
          is_cut,
          covered,
          covered_files,
          not_shown,
        },
      }
    }),
})

/** All tools of agents. None changes a file, a folder or a setting. */
export const agent_tools: readonly Tool[] = [
  isItIn,
  whyNot,
  searchFiles,
  whatArrivedSince,
  ask,
  lastReport,
]

/** Gives `run` the type of its input. */
function toolOf<Input extends z.ZodObject>(tool: Tool<Input>): Tool<Input> {
  return tool
}

/** An agent that hears nothing for long gives up. */
async function reportWaiting({ tools, progress }: AgentCall, ended: AbortSignal): Promise<void> {
  for (let waited_ms = 0; !ended.aborted; waited_ms += progress_every_ms) {
    progress(`waiting for the answer for ${formatDuration(waited_ms)}`)
    await tools.clock.sleep(progress_every_ms, ended)
  }
}

function answerOf({ files, next }: Listed) {
  const has_more = next !== undefined
  const lines = [...files.map(fileLine), ...(has_more ? ['… and more: narrow it down'] : [])]
  const data = files.map((each) => ({ is_in: each.stage === 'ready', ...fileAnswer(each) }))
  return { text: lines.join('\n') || 'no file matches', data: { files: data, has_more } }
}

function fileLine({ stage, ready_ms, reason, detail, ...of }: FileView): string {
  const why = detail ?? reason
  if (stage !== 'ready')
    return `${nameOf(of)}: not in: ${stage.replaceAll('_', ' ')}${why ? ` (${printable(why)})` : ''}`
  return `${nameOf(of)}: in${ready_ms === undefined ? '' : ` since ${isoTime(ready_ms)}`}`
}
