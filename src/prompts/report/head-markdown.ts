import { codeSpan, escapeMarkdown } from '../../base/text/format.ts'
import type { HeadLine, ReportHead } from '../../deliver/report-head.ts'

/** The head as it stands above the answer. */
export function headMarkdown(head: ReportHead): string {
  const { labels, lines, others, more } = head
  const below = others.length > 0 ? [labels.others_below] : more
  return [
    `# ${escapeMarkdown(head.title)}`,
    `${labels.question}: ${escapeMarkdown(head.question)}`,
    `${labels.period}: ${escapeMarkdown(head.period)}`,
    `**${head.counts}**`,
    [head.coverage, ...head.remarks].map((text) => `*${escapeMarkdown(text)}*`).join('\n\n'),
    listOf([...lines.map(lineMarkdown), ...below]),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
}

/** The lines that stand behind the answer, with their title; an empty text without any. */
export function othersMarkdown({ labels, others, more }: ReportHead): string {
  if (others.length === 0) return ''
  return `## ${labels.others}\n\n${listOf([...others.map(lineMarkdown), ...more])}`
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function lineMarkdown({ name, text, url }: HeadLine): string {
  const shown = url === undefined ? codeSpan(name) : `[${codeSpan(name)}](${url})`
  return `${shown}: ${escapeMarkdown(text)}`
}
