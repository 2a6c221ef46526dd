import { hostname } from 'node:os'
import { withClosedFence } from '../../base/text/fences.ts'
import { escapeMarkdown, formatCount } from '../../base/text/format.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import { type Message, messageId } from '../../deliver/message.ts'
import type { ReportHead } from '../../deliver/report-head.ts'
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
} from '../plan/coverage.ts'
import { missingLabel } from '../plan/plan-run.ts'
import { scopeIn } from '../plan/question.ts'
import { noUnready } from '../plan/unready.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { noteIn, wordsIn } from '../words.ts'
import { headOf } from './head.ts'
import { headMarkdown, othersMarkdown } from './head-markdown.ts'
import { type ToldFile, toldFiles } from './told.ts'

/** The report of an answered run (Markdown, YAML front matter), and its manifest. */
export function composeReport(
  run: RunContent,
  settings: PromptSettings,
  coverage: Coverage,
  { now_ms, page_url }: { now_ms: number; page_url?: string | undefined },
): { markdown: string; manifest: Manifest } {
  const head = headOf(run, settings, coverage, page_url)
  const fields = frontMatter(frontMatterOf(run, settings, coverage))
  return {
    markdown: `${fields}\n${headMarkdown(head)}\n\n---\n\n${bodyOf(run, head)}`,
    manifest: composeManifest(run, coverage, settings.schedule.timezone, now_ms),
  }
}

/** Coverage by the run's plan; without a plan it has no files. */
export function coverageOf({ coverage, due_ms }: Pick<RunWork, 'coverage' | 'due_ms'>): Coverage {
  // Earlier versions kept fewer of the lists.
  if (coverage !== undefined) {
    const none = { total: 0, files: [] }
    const absent = { copies: 0, again: 0, in_part: none, still_refused: none, ...noChanges() }
    return { ...absent, ...(JSON.parse(coverage) as Coverage) }
  }
  return composeCoverage({ fresh: [], taken: [], unready: noUnready(), folders: [], due_ms })
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
  const { run, due_ms, prompt } = written
  const zone = settings.schedule.timezone
  const coverage = coverageOf(written)
  const head = headOf(written, settings, coverage, page_url)
  const body = bodyOf(written, head)
  const page = page_url === undefined ? undefined : `${page_url}/runs/${run}`
  const link = page === undefined ? '' : `[${head.labels.page}](${page})\n\n`
  const values = {
    name: prompt,
    date: localDate(due_ms, zone),
    due: localTime(due_ms, zone),
    report: report_path,
    manifest: manifestPath(report_path),
    count: formatCount(coverage.taken),
  }
  return {
    // The id includes the project: another installation may have a prompt of the same name.
    id: messageId('run', [written.project_id, prompt, due_ms, target]),
    subject: head.subject,
    text: `${link}${headMarkdown(head)}\n\n---\n\n${body}`,
    report: { head, body, ...(page !== undefined && { page }) },
    at_ms: written.written_ms,
    values,
    data: {
      prompt,
      due: values.due,
      report: report_path,
      manifest: values.manifest,
      count: coverage.taken,
      coverage: head.coverage,
      head,
      chat_ids: chatIdsOf(written),
      answer: mainAnswer(written),
    },
  }
}

function frontMatterOf(run: RunContent, settings: PromptSettings, coverage: Coverage) {
  const { turns, prompt, due_ms, cause } = run
  const { scope, intelligence } = settings
  const zone = settings.schedule.timezone
  const files = toldFiles(run)
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
function mainAnswer({ turns }: Pick<RunContent, 'turns'>): string {
  return answerText(turns.at(-1))
}

function answerText(turn: Pick<RunContent['turns'][number], 'answer'> | undefined): string {
  return withClosedFence((turn?.answer ?? '').trim())
}

/** What follows the head: the answer, its parts, notes, and the rest of the head's lines. */
export function bodyOf(
  run: Pick<RunContent, 'turns' | 'assets' | 'empty' | 'coverage' | 'due_ms'> & {
    notes: readonly string[]
  },
  head: ReportHead,
): string {
  const parts = run.turns.slice(0, -1)
  const { language } = head
  const { part_of, notes: title } = wordsIn(language)
  const given_up = givenUpNotes(coverageOf(run), toldFiles(run), run.empty, language)
  const notes = [...run.notes, ...given_up].map(
    (note) => `- ${escapeMarkdown(noteIn(language, note))}`,
  )
  const blocks = [
    mainAnswer(run),
    ...parts.map((turn, index) => `## ${part_of(index + 1, parts.length)}\n\n${answerText(turn)}`),
    notes.length === 0 ? '' : `## ${title}\n\n${notes.join('\n')}`,
    othersMarkdown(head),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
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
