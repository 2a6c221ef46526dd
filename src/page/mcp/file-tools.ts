import { z } from 'zod'
import { isSluiceError } from '../../base/run/errors.ts'
import { printable } from '../../base/text/format.ts'
import { zonedText } from '../../base/time/time.ts'
import { amountRead, readingText } from '../../domain/reading.ts'
import type { Explanation } from '../../inspect/explain/explain.ts'
import { fileAnswer } from '../../inspect/files/known-files.ts'
import { max_path_chars } from '../../inspect/files/no-place.ts'
import type { Place } from '../../inspect/files/place.ts'
import { type FileView, stages_wanted } from '../../ledger/views/view-files.ts'
import { configFor } from '../access/viewer.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { max_query_chars } from '../reads/search-words.ts'
import {
  filesMeant,
  foldersMeant,
  type Listed,
  nameOf,
  placeMeant,
  placesNotRecorded,
  search,
  timeOf,
} from './named-by-agent.ts'
import { type Agent, folders, paged, type Tool, text_or_none, toolOf } from './tool.ts'

const file = z.string().min(1).max(max_path_chars, 'is longer than any path')
export const since = z
  .string()
  .min(1)
  .max(64)
  .describe('a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d')
const state = z.enum(stages_wanted, `must be one of ${stages_wanted.join(', ')}`)
const files_output = z.object({
  files: z.array(
    // Size, times and the id of the asset stand beside these.
    z.looseObject({
      is_in: z.boolean(),
      folder: z.string(),
      path: z.string(),
      state: z.string().describe('also ignored or unknown, for a file that is not recorded'),
      reason: text_or_none,
      detail: text_or_none,
      ready: text_or_none.describe('since when it is in'),
      reading: z
        .looseObject({ text: text_or_none.describe('what is missing or in doubt') })
        .nullable()
        .describe('how much of it the service could read; null: nothing says so'),
    }),
  ),
  total: z.int().describe('how many there are on all pages together'),
  next_cursor: text_or_none.describe('null on the last page'),
  has_more: z.boolean(),
})

const isItIn = toolOf({
  name: 'is_it_in',
  title: 'Is it in?',
  description:
    'Says of a file, or of all files with a name, whether the assistant can use it, and since when.',
  input: z.strictObject({
    file: file.describe('FOLDER/PATH, a path on the disk, a name, or parts of one'),
    ...paged,
  }),
  output: files_output,
  async run({ file, ...given }, agent) {
    const reader = { config: agent.tools.config, viewer: agent.viewer }
    const places = await placesNotRecorded(file, reader)
    const found = await filesMeant(file, reader, { ...given, cursors: agent.cursors }).catch(
      (error: unknown) => {
        if (places.length === 0 || !isSluiceError(error, 'usage.path')) throw error
        return { files: [], total: 0, next_cursor: null }
      },
    )
    const listed = answerOf({ ...found, files: await withRemovals(found.files, agent) })
    const explained = await Promise.all(places.map((place) => explanationFor(place, agent)))
    const others = found.total === 0 ? explained : explained.filter(isApart)
    if (others.length === 0) return listed
    return withNotRecorded(others, listed, given.cursor === undefined)
  },
})

/** The disk and the rules say more about a path that is not recorded. */
function explanationFor(place: Place, { tools, viewer }: Agent): Promise<Explanation> {
  return ownExplanation(tools, viewer, place)
}

/** False for what the list of known files has: the file itself, or those in the directory. */
function isApart({ times, on_disk }: Explanation): boolean {
  return times === null && on_disk.kind !== 'directory'
}

/** The content of a deleted file may still answer. */
function withRemovals(files: readonly FileView[], agent: Agent): Promise<FileView[]> {
  return Promise.all(
    files.map(async (file) => {
      if (file.stage !== 'gone') return file
      const { why } = await explanationFor(file, agent)
      return { ...file, detail: why.join('; ') }
    }),
  )
}

type Answer = ReturnType<typeof answerOf>

/** The first page has them. */
function withNotRecorded(
  explained: readonly Explanation[],
  { text, data }: Answer,
  is_first: boolean,
) {
  const total = data.total + explained.length
  if (!is_first) return { text, data: { ...data, total } }
  const files = explained.map(({ folder, path, state, why }) => {
    return {
      is_in: false,
      folder,
      path,
      state,
      reason: null,
      detail: why.join(' '),
      ready: null,
      reading: null,
    }
  })
  const lines = files.map((file) => `${nameOf(file)}: not in: ${file.detail}`)
  const rest = data.total > 0 ? [text] : []
  return {
    text: [...lines, ...rest].join('\n'),
    data: { ...data, files: [...files, ...data.files], total },
  }
}

const whyNot = toolOf({
  name: 'why_not',
  title: 'Why is it not in?',
  description:
    'Explains the state of one file: the reason, the next step, and what somebody must do.',
  input: z.strictObject({
    file: file.describe('FOLDER/PATH, a path on the disk, or a name that only one file has'),
  }),
  output: z.looseObject({
    folder: z.string(),
    path: z.string(),
    state: z.string(),
    why: z.array(z.string()).describe('the reason, the next step and the remedy'),
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
  title: 'Search files',
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
      .max(stages_wanted.length)
      .default([])
      .describe('only these (default: all but gone)'),
    ...paged,
  }),
  output: files_output,
  async run({ text, states, folders, ...page }, { tools: { config }, viewer, cursors }) {
    const over = foldersMeant(folders, configFor(config, viewer))
    const wanted = { folders: over, query: text, stages: states }
    return answerOf(await search({ config, viewer }, wanted, { ...page, cursors }))
  },
})

const whatArrivedSince = toolOf({
  name: 'what_arrived_since',
  title: 'What has arrived?',
  description:
    'Lists the files that became usable in the assistant since a time, the newest first.',
  input: z.strictObject({ since, folders, ...paged }),
  output: files_output,
  async run({ since, folders, ...page }, { tools: { config, clock }, viewer, cursors }) {
    const over = foldersMeant(folders, configFor(config, viewer))
    const since_ms = timeOf(since, clock.now_ms())
    const wanted = { folders: over, query: '', stages: ['ready'] as const, since_ms }
    return answerOf(await search({ config, viewer }, wanted, { ...page, cursors }))
  },
})

export const file_tools: readonly Tool[] = [isItIn, whyNot, searchFiles, whatArrivedSince]

function answerOf({ files, total, next_cursor }: Listed) {
  const next = next_cursor === null ? '' : `; cursor ${next_cursor} has the next ones`
  const rest = files.length < total ? [`(${files.length} of ${total}${next})`] : []
  const text = [...files.map(fileLine), ...rest].join('\n') || 'no file matches'
  const listed = files.map((each) => ({ is_in: each.stage === 'ready', ...fileAnswer(each) }))
  return { text, data: { files: listed, total, next_cursor, has_more: next_cursor !== null } }
}

function fileLine({ stage, ready_ms, reason, detail, reading, ...of }: FileView): string {
  const why = detail ?? reason
  if (stage !== 'ready')
    return `${nameOf(of)}: not in: ${stage.replaceAll('_', ' ')}${why ? ` (${printable(why)})` : ''}`
  const since = ready_ms === undefined ? '' : ` since ${zonedText(ready_ms)}`
  const read = readingText(reading)
  const part = amountRead(reading) === 'in_part' ? ', in part' : ''
  return `${nameOf(of)}: in${since}${part}${read === undefined ? '' : ` (${printable(read)})`}`
}
