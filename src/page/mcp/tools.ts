import { z } from 'zod'
import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText } from '../../base/text/did-you-mean.ts'
import { counted, printable } from '../../base/text/format.ts'
import { isoTime } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { duration_pattern, parseDuration_ms } from '../../config/schema/units.ts'
import { fileAnswer, knownFiles } from '../../inspect/files/known-files.ts'
import { findPlace, type Place } from '../../inspect/files/place.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import { type FileView, stages } from '../../ledger/views/view-files.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { promptNamed } from '../../prompts/show/find-run.ts'
import { coverageText, reportOf } from '../../prompts/show/run-answers.ts'
import { noLedgerYet, withArrivalsView, withLedgerView, withPromptsView } from '../../status/with-view.ts'
import { configFor, maySee } from '../access/viewer.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { defineTool, type Tool } from './agent.ts'

/** Files that one answer lists; more would fill the memory of a model. */
const max_files = 100
/** Files that a name may mean in one answer. */
const max_meant = 20
const max_report_characters = 60_000

const file = z.string().min(1).max(4_096)
const folder = z.string().max(255).optional().describe('only this folder of Sluice, by its name')
const limit_fault = `must be a whole number from 1 to ${max_files}`
const limit = z
  .int(limit_fault)
  .min(1, limit_fault)
  .max(max_files, limit_fault)
  .default(50)
  .describe('files to list at most')
const state = z.enum(stages, `must be one of ${stages.join(', ')}`)

const isItIn = defineTool({
  name: 'is_it_in',
  title: 'Is this file in the assistant?',
  description: 'Says of a file, or of all files with a name, whether the assistant can use it, and since when.',
  input: z.strictObject({ file: file.describe('FOLDER/PATH, a path on the disk, or a name or a part of it') }),
  async run({ file: text }, { tools, viewer }) {
    const own = configFor(tools.config, viewer)
    const found = await withLedger(own, (view) => filesMeant(view, text, own))
    if (found.length === 0) throw unknownFile(text)
    const { files, more } = cut(found, max_meant)
    const data = files.map((each) => ({ is_in: each.stage === 'ready', ...fileAnswer(each) }))
    return { text: lines(files.map(fileLine), more), data: { files: data, more } }
  },
})

const whyNot = defineTool({
  name: 'why_not',
  title: 'Why is this file not in?',
  description: 'Explains the state of one file: the reason, the next step, and what somebody must do.',
  input: z.strictObject({ file: file.describe('FOLDER/PATH, a path on the disk, or a name that only one file has') }),
  async run({ file: text }, { tools, viewer }) {
    const own = configFor(tools.config, viewer)
    const explanation = await ownExplanation(tools, viewer, await placeMeant(text, own))
    const { place: _place, project_id: _project, on_disk: _disk, md5: _md5, ...data } = explanation
    const { state, why } = explanation
    return { text: [`${nameOf(explanation)}: ${state.replaceAll('_', ' ')}`, ...why].join('\n'), data }
  },
})

const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search files',
  description: 'Lists the files whose path has a text in it, with their states.',
  input: z.strictObject({
    text: z.string().max(1_024).default('').describe('a part of a name or path; case does not count'),
    folder,
    states: z.array(state).max(stages.length).default([]).describe('only these (default: all but gone)'),
    limit,
  }),
  async run({ text, folder: name, states, limit: max }, { tools, viewer }) {
    const folders = foldersMeant(name, configFor(tools.config, viewer))
    const found = await withLedger(tools.config, (view) => search(view, text, folders, states, max + 1))
    const { files, more } = cut(found, max)
    const none = 'no file matches'
    return { text: lines(files.map(fileLine), more) || none, data: { files: files.map(fileAnswer), more } }
  },
})

const whatArrivedSince = defineTool({
  name: 'what_arrived_since',
  title: 'What arrived since?',
  description: 'Lists the files that became usable in the assistant since a time, the newest first.',
  input: z.strictObject({
    since: z.string().max(64).describe('a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d'),
    folder,
    limit,
  }),
  async run({ since, folder: name, limit: max }, { tools, viewer }) {
    const { config, clock } = tools
    const since_ms = timeOf(since, clock.now_ms())
    const folders = foldersMeant(name, configFor(config, viewer))
    const found = await withArrivalsView(config.state_dir, (view) => {
      if (!view) throw noLedger(config)
      return take(view.newest({ folders, since_ms }), max + 1)
    })
    const { files, more } = cut(found, max)
    const data = files.map(({ arrived_ms, ...rest }) => ({ ...rest, arrived: isoTime(arrived_ms) }))
    const said = data.map((each) => `${each.arrived} ${nameOf(each)}`)
    const none = `nothing arrived since ${isoTime(since_ms)}`
    return { text: lines(said, more) || none, data: { since: isoTime(since_ms), files: data, more } }
  },
})

const lastReport = defineTool({
  name: 'last_report',
  title: 'The last report',
  description: 'Gives the newest report of a scheduled prompt, and which files it covers.',
  input: z.strictObject({ prompt: z.string().min(1).max(255).describe('the name of the prompt') }),
  async run({ prompt }, { tools, viewer }) {
    const own = configFor(tools.config, viewer)
    const { schedule } = promptNamed(prompt, own)
    const run = await withPromptsView(own.state_dir, (view) => {
      if (!view) throw noLedger(own)
      const written = view.runs(prompt, max_files).find(({ state }) => state === 'written')
      return written && view.run(written.run)
    })
    // The prompt may have been about more folders when it ran.
    const is_own = run?.planned_assets.every(({ name }) => maySee(viewer, name.split('/')[0]!))
    if (!run || !is_own) {
      const next = nextTimes(schedule, tools.clock.now_ms(), 1)[0]?.text ?? null
      return { text: `${prompt} has written no report yet; its next run: ${next}`, data: { prompt, run: null, next } }
    }
    const report = reportOf(run).text.slice(0, max_report_characters)
    const due = isoTime(run.due_ms)
    const coverage = coverageText(run, own) ?? null
    const covered = run.planned_assets.map(({ name, asset_id }) => ({ name, asset_id }))
    return {
      text: `The report of ${prompt} for ${due} (run ${run.run})\n${coverage ?? ''}\n\n${report}`,
      data: { prompt, run: run.run, due, coverage, report, covered },
    }
  },
})

/** What agents can do. Nothing here changes a file, a folder or a setting. */
export const agent_tools: readonly Tool[] = [isItIn, whyNot, searchFiles, whatArrivedSince, lastReport]

/** The file of a path, the files of a directory, else those that a name means. */
function filesMeant(view: LedgerView, text: string, { folders }: Config): FileView[] {
  const place = placeIn(text, folders)
  if (place)
    return view.files({ folder: place.folder, prefix: place.path, stages, after: undefined, limit: max_meant + 1 })
  const names = folders.map(({ name }) => name)
  const found = search(view, text, names, stages, max_meant + 1)
  const exact = found.filter(({ path }) => `/${path}`.endsWith(`/${text}`))
  return exact.length > 0 ? exact : found
}

async function placeMeant(text: string, own: Config): Promise<Place> {
  const place = placeIn(text, own.folders)
  if (place) return place
  const [only, ...others] = await withLedger(own, (view) => filesMeant(view, text, own))
  if (!only) throw unknownFile(text)
  if (others.length === 0) return only
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(text)} may be ${counted(others.length + 1, 'file')}`,
    hint: `name one of them: ${[only, ...others].map(nameOf).join(', ')}`,
  })
}

function placeIn(text: string, folders: Config['folders']): Place | undefined {
  const place = findPlace(text, folders, '/')
  return place?.path.split('/').includes('..') ? undefined : place
}

function search(
  view: LedgerView,
  text: string,
  folders: readonly string[],
  states: readonly FileView['stage'][],
  max: number,
): FileView[] {
  const part = text.toLowerCase()
  const matches = (path: string) => path.toLowerCase().includes(part)
  const named = folders.map((name) => ({ folder: name, path: '', matches }))
  return take(knownFiles(view, named, states), max, (page) => page)
}

/** Names of the folders that an answer is about. Error `usage.folder`. */
function foldersMeant(name: string | undefined, { folders }: Config): string[] {
  const names = folders.map((each) => each.name)
  if (name === undefined) return names
  if (names.includes(name)) return [name]
  const message = `there is no folder ${printable(name)}, or you may not see it`
  throw new SluiceError({ code: 'usage.folder', message, hint: didYouMeanText(name, names) })
}

function timeOf(text: string, now_ms: number): number {
  if (duration_pattern.test(text)) return now_ms - parseDuration_ms(text)
  const time_ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time_ms)) return time_ms
  const message = `since takes a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d, not ${printable(text)}`
  throw new SluiceError({ code: 'usage.invalid', message })
}

function withLedger<Answer>(config: Config, use: (view: LedgerView) => Answer): Promise<Answer> {
  return withLedgerView(config.state_dir, (view) => {
    if (!view) throw noLedger(config)
    return use(view)
  })
}

function noLedger({ state_dir }: Config): SluiceError {
  return new SluiceError({ code: 'answer.no_ledger', message: noLedgerYet(state_dir) })
}

function unknownFile(text: string): SluiceError {
  return new SluiceError({
    code: 'usage.path',
    message: `nothing is known of ${printable(text)} in the folders that you may see`,
    hint: 'why_not with FOLDER/PATH says whether a rule leaves it out',
  })
}

function fileLine({ stage, ready_ms, reason, detail, ...of }: FileView): string {
  const why = detail ?? reason
  const state = stage === 'ready' ? 'in' : `not in: ${stage.replaceAll('_', ' ')}`
  const more = stage === 'ready' ? ready_ms && ` since ${isoTime(ready_ms)}` : why && ` (${printable(why)})`
  return `${nameOf(of)}: ${state}${more ?? ''}`
}

function nameOf({ folder, path }: Place): string {
  return printable(path === '' ? folder : `${folder}/${path}`)
}

function lines(all: readonly string[], more: boolean): string {
  return [...all, ...(more ? ['… and more: narrow it down'] : [])].join('\n')
}

function cut<Item>(found: readonly Item[], max: number): { files: Item[]; more: boolean } {
  return { files: found.slice(0, max), more: found.length > max }
}

function take<Item>(items: Iterable<Item>, max: number): Item[]
function take<Page, Item>(pages: Iterable<Page>, max: number, itemsOf: (page: Page) => readonly Item[]): Item[]
function take(items: Iterable<unknown>, max: number, itemsOf = (item: unknown): readonly unknown[] => [item]) {
  const taken: unknown[] = []
  for (const item of items) {
    taken.push(...itemsOf(item))
    if (taken.length >= max) break
  }
  return taken.slice(0, max)
}
