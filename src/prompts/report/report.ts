import { hostname } from 'node:os'
import { codeSpan, escapeMarkdown, formatCount } from '../../base/text/format.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import { type Message, messageId } from '../../deliver/message.ts'
import type { RaisedAlert, ReportToDeliver, RunWork } from '../../ledger/prompt-work.ts'
import {
  chatIdsOf,
  composeManifest,
  type Manifest,
  manifestPath,
  type RunContent,
} from '../manifest.ts'
import {
  type Coverage,
  composeCoverage,
  coverageLine,
  expectedFiles,
  givenUpNotes,
  noChanges,
  sameBytesText,
} from '../plan/coverage.ts'
import { missingLabel } from '../plan/plan-run.ts'
import { scopeIn } from '../plan/question.ts'
import { type NamedFiles, noUnready, refused_by_service } from '../plan/unready.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { type ToldFile, toldFiles } from './told.ts'

/** Maximum length of the lists of sources and of refusals in a report; the manifest has more. */
const max_sources = 200

/** The report of an answered run (Markdown, YAML front matter), and its manifest. */
export function composeReport(
  run: RunContent,
  settings: PromptSettings,
  coverage: Coverage,
  zone: string,
  now_ms: number,
): { markdown: string; manifest: Manifest } {
  const told: Told = { files: toldFiles(run), coverage, zone }
  return {
    markdown: `${frontMatter(frontMatterOf(run, settings, told))}\n${bodyOf(run, told)}`,
    manifest: composeManifest(run, coverage, zone, now_ms),
  }
}

/** Coverage by the run's plan; without a plan it has no files. */
export function coverageOf({ coverage, due_ms }: Pick<RunWork, 'coverage' | 'due_ms'>): Coverage {
  // Earlier versions kept fewer of the lists.
  if (coverage !== undefined) {
    const none = { total: 0, files: [] }
    const absent = { copies: 0, in_part: none, still_refused: none, ...noChanges() }
    return { ...absent, ...(JSON.parse(coverage) as Coverage) }
  }
  return composeCoverage({ fresh: [], taken: [], unready: noUnready(), folders: [], due_ms })
}

/** What is known of a run once its answers are there. */
interface Told {
  files: readonly ToldFile[]
  coverage: Coverage
  zone: string
}

export interface ReportDelivery extends Pick<ReportToDeliver, 'report_path' | 'target'> {
  written: RunContent & { written_ms: number }
}

/** Every try has the same id and text. The link comes first, because chats cut long reports. */
export function reportMessage(
  { written, report_path, target }: ReportDelivery,
  settings: PromptSettings,
  page_url?: string,
): Message {
  const link =
    page_url === undefined ? '' : `[This report on the page](${page_url}/runs/${written.run})\n\n`
  const zone = settings.schedule.timezone
  const coverage = coverageOf(written)
  const files = toldFiles(written)
  const date = localDate(written.due_ms, zone)
  const values = {
    name: written.prompt,
    date,
    due: localTime(written.due_ms, zone),
    report: report_path,
    manifest: manifestPath(report_path),
    count: formatCount(coverage.taken),
  }
  return {
    // The id includes the project: another installation may have a prompt of the same name.
    id: messageId('run', [written.project_id, written.prompt, written.due_ms, target]),
    subject: `${written.prompt} ${date}`,
    text: `${link}${bodyOf(written, { files, coverage, zone })}`,
    at_ms: written.written_ms,
    values,
    data: {
      prompt: written.prompt,
      due: values.due,
      report: report_path,
      manifest: values.manifest,
      count: coverage.taken,
      coverage: coverageLine(coverage, zone, files),
      chat_ids: chatIdsOf(written),
      answer: mainAnswer(written),
    },
  }
}

function frontMatterOf(run: RunContent, settings: PromptSettings, { files, coverage, zone }: Told) {
  const { turns, prompt, due_ms, cause } = run
  const { scope, intelligence } = settings
  // Uses the scope that was sent: missing ids were left out, and the config may have changed since.
  const {
    chat_ids = [],
    concept_ids = [],
    project_ids = [],
    view_ids = [],
  } = scopeIn(turns[0]?.body ?? '{}')
  const asked = turns.map(({ asked_ms }) => asked_ms).find((at_ms) => at_ms !== undefined)
  const answered = turns
    .map(({ answered_ms }) => answered_ms)
    .findLast((at_ms) => at_ms !== undefined)
  const fresh = typeof scope.fresh === 'string' ? scope.fresh : `${scope.fresh.within_ms} ms`
  const fields: Record<string, FrontMatterValue | undefined> = {
    name: prompt,
    due: localTime(due_ms, zone),
    cause,
    asked: asked === undefined ? undefined : localTime(asked, zone),
    answered: answered === undefined ? undefined : localTime(answered, zone),
    intelligence,
    chats: chatIdsOf(run),
    messages: turns.flatMap(({ message_id }) => (message_id === undefined ? [] : [message_id])),
    fresh,
    folders: scope.folders,
    ...filled({
      paths: scope.paths,
      labels: scope.labels.filter((label) => !run.notes.includes(missingLabel(label))),
    }),
    ...filled({
      chats_in_scope: chat_ids,
      concepts: concept_ids,
      projects: project_ids,
      views: view_ids,
    }),
    empty: run.empty,
    coverage: coverageLine(coverage, zone, files),
    files_ready: coverage.ready,
    files_expected: expectedFiles(coverage),
    files_asked: coverage.taken,
    ...askedFields(files, coverage),
    files_refused: coverage.refused.total,
    files_in_part: coverage.in_part.total === 0 ? undefined : coverage.in_part.total,
    files_next_time: coverage.left_for_next,
  }
  return fields
}

/** `files_read` is absent if the service does not say what it read. */
function askedFields(
  files: readonly ToldFile[],
  { taken }: Coverage,
): Record<string, number | undefined> {
  const count = (is: (file: ToldFile) => boolean) => files.filter(is).length
  const is_told = files.some(({ read }) => read !== undefined)
  return {
    files_read: is_told ? count(({ read }) => read === 'whole' || read === 'part') : undefined,
    files_named: count(({ is_named }) => is_named),
    files_covered: taken - count(({ fate }) => fate === 'left'),
  }
}

function filled(lists: Record<string, readonly string[]>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0))
}

/** If there are several turns, the last one covers all of them. */
function mainAnswer({ turns }: RunContent): string {
  return (turns.at(-1)?.answer ?? '').trim()
}

function bodyOf(run: RunContent, { files, coverage, zone }: Told): string {
  const parts = run.turns.slice(0, -1)
  const notes = [...run.notes, ...givenUpNotes(files, run.empty)].map(
    (note) => `- ${escapeMarkdown(note)}`,
  )
  const refused = coverage.refused.files.map(lineWithWhy)
  const blocks = [
    ...(run.empty === undefined ? [] : [`**Empty**: ${run.empty}.`]),
    mainAnswer(run),
    ...parts.map(
      ({ answer }, index) => `## Part ${index + 1} of ${parts.length}\n\n${(answer ?? '').trim()}`,
    ),
    '---',
    `*${escapeMarkdown(coverageLine(coverage, zone, files))}*`,
    ...titled('Notes', notes),
    ...titled('Refused', bounded(refused)),
    ...titled('Read in part', bounded(coverage.in_part.files.map(lineWithWhy))),
    ...titled('Sources', [
      ...bounded(run.assets.map(({ name }) => `- ${codeSpan(name)}`)),
      ...(coverage.copies > 0 ? [`- … ${sameBytesText(coverage.copies)}`] : []),
    ]),
  ]
  return `${blocks.join('\n\n')}\n`
}

function lineWithWhy({ name, why = refused_by_service }: NamedFiles['files'][number]): string {
  return `- ${codeSpan(name)}: ${escapeMarkdown(why)}`
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}\n\n${lines.join('\n')}`]
}

function bounded(lines: readonly string[]): string[] {
  const rest = lines.length - max_sources
  return rest <= 0
    ? [...lines]
    : [...lines.slice(0, max_sources), `- … and ${formatCount(rest)} more, in the manifest`]
}

type FrontMatterValue = string | number | readonly string[]

/**
 * Formats YAML front matter. Every text becomes a JSON string with escapes for special characters,
 * which YAML 1.2 reads as the same text. So no name can end the block or add a field.
 */
function frontMatter(fields: Readonly<Record<string, FrontMatterValue | undefined>>): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${quoted(value)}`],
  )
  return ['---', ...lines, '---', ''].join('\n')
}

// Characters that JSON does not escape, and YAML counts as unprintable or as a line end.
const not_plain = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function quoted(value: FrontMatterValue): string {
  if (typeof value === 'object') return `[${value.map(quoted).join(', ')}]`
  return JSON.stringify(value).replace(not_plain, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** An alert also has the values that templates of reports use: one delivery can serve both. */
export function alertMessage(
  { message_id, at_ms, subject, text, problems }: RaisedAlert,
  target: string,
): Message {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const times = { date: localDate(at_ms, zone), due: localTime(at_ms, zone) }
  return {
    id: messageId('alert', [message_id, target]),
    subject,
    text,
    at_ms,
    values: {
      name: 'sluice-alert',
      ...times,
      report: '',
      manifest: '',
      count: String(problems.length),
    },
    data: { host: hostname(), healthy: problems.length === 0, problems },
  }
}
