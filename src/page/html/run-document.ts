import { basename } from 'node:path'
import { formatCount } from '../../base/text/format.ts'
import type { HeadLine, ReportHead } from '../../deliver/report-head.ts'
import type { RunView } from '../../ledger/views/view-prompts.ts'
import { bodyOf, coverageOf } from '../../prompts/report/report.ts'
import { isUnread, type ToldFile, toldFiles } from '../../prompts/report/told.ts'
import { type Configured, runHead } from '../../prompts/show/find-run.ts'
import {
  type Html,
  html,
  markdownText,
  nameText,
  sentenceText,
  timeText,
  withLinks,
} from './html.ts'
import { namedFileLink, table } from './layout.ts'

/** Files with links in an answer, and names in one row. */
const max_names = 500

/** A planned run as a document: its question, its facts, its answer, and what was not read. */
export function runDocument(
  run: RunView,
  config: Configured,
  { zone, base_path }: { zone: string; base_path: string },
): Html {
  const asked = { ...run, assets: [...run.planned_assets] }
  const files = toldFiles(asked)
  const head = runHead(run, config, zone)
  const { labels, others } = head
  const answer = markdownText(bodyOf(asked, { ...head, others: [] }))
  const has_answer = run.turns.some((turn) => turn.answer !== undefined)
  return html`<section lang="${head.language}"><dl><dt>${labels.question}</dt><dd>${head.question}</dd>
<dt>${labels.period}</dt><dd>${head.period}</dd></dl>
<p class="verdict">${head.counts}</p>
${[head.coverage, ...head.remarks].map((text) => html`<p>${sentenceText(text)}</p>`)}
${linesHtml(head.lines, base_path)}
${others.length > 0 ? html`<p class="soft">${labels.others_below}</p>` : moreHtml(head)}
${has_answer && html`<article dir="auto">${withLinks(answer, linksTo(files, base_path))}</article>`}
${others.length > 0 && html`<h2>${labels.others}</h2>${linesHtml(others, base_path)}${moreHtml(head)}`}</section>
${has_answer && unreadHtml(run, linesHtml([...head.lines, ...others].filter(isNotRead), base_path))}${foldersHtml(run)}`
}

function linesHtml(lines: readonly HeadLine[], base_path: string): Html | undefined {
  if (lines.length === 0) return undefined
  const tones = { not: 'bad', part: 'warn', whole: '' }
  return html`<ul>${lines.map(({ kind, name, text, read }) => {
    const file = kind === 'gone' ? nameText(name) : namedFileLink(base_path, name)
    return html`<li>${file}: <span class="${read && tones[read]}">${sentenceText(text)}</span></li>`
  })}</ul>`
}

/** No question is about a file that is refused, so nothing of it was read. */
function isNotRead(line: HeadLine): boolean {
  return isUnread(line) || line.kind === 'refused' || line.kind === 'still_refused'
}

function moreHtml({ more }: ReportHead): Html {
  return html`${more.map((text) => html`<p class="soft">${text}</p>`)}`
}

/** Links for an answer. A name that two files share says of neither where it leads. A place beside it leads there too. */
export function linksTo(
  files: readonly (Pick<ToldFile, 'name' | 'is_named'> & Partial<ToldFile>)[],
  base_path: string,
): Map<string, Html> {
  const links = new Map<string, Html>()
  const named = files.filter(({ is_named }) => is_named).slice(0, max_names)
  const own_names = files.map(({ name }) => basename(name))
  for (const { name, places = [] } of named) {
    const own_name = basename(name)
    const is_only = own_names.indexOf(own_name) === own_names.lastIndexOf(own_name)
    for (const text of is_only ? [name, own_name] : [name])
      for (const whole of [text, ...places.flatMap((at) => [`${text}, ${at}`, `${text} (${at})`])])
        links.set(whole, namedFileLink(base_path, name, whole))
  }
  return links
}

const stages = ['moving', 'on_the_way', 'blocked', 'removed'] as const

function unreadHtml(run: RunView, lines: Html | undefined): Html | undefined {
  const coverage = coverageOf(run)
  const rows = [
    [coverage.left_are, formatCount(coverage.left_for_next), ''],
    ...stages.map((stage) => {
      const { total, files } = coverage[stage]
      const names = files.map(({ name }) => html`${nameText(name)} `)
      return [stage.replaceAll('_', ' '), formatCount(total), html`${names}`]
    }),
  ].filter(([, count]) => count !== '0')
  if (lines === undefined && rows.length === 0) return undefined
  return html`<h2>What was not read</h2>${lines}
${rows.length > 0 && table('Files by state', ['State', 'Files', 'Names'], rows)}`
}

function foldersHtml(run: RunView): Html {
  const scans = coverageOf(run).folders.map(({ name, scanned_ms, offline_reason }) => [
    nameText(name),
    timeText(scanned_ms),
    offline_reason === undefined ? 'online' : html`<span class="bad">${offline_reason}</span>`,
  ])
  return html`<h2>Folders</h2>${table('Folders in its scope', ['Folder', 'Last scan', 'State'], scans)}`
}
