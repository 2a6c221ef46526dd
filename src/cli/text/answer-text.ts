import { formatCount, printable } from '../../base/text/format.ts'
import { plainLine } from '../../deliver/markdown.ts'
import { type Source, sourceText } from '../../prompts/ask/ask-question.ts'
import { type Line, LineWriter, wrapped } from '../../status/text/lines.ts'
import { printLines } from './print.ts'
import type { Terminal } from './terminal.ts'

/** Sources shown, because a user reads no more. `--json` has them all. */
const max_sources = 20

/**
 * Prints the Markdown of an answer or a report: on a terminal as text, elsewhere as it is. Control
 * characters are made visible, so that they cannot steer the terminal.
 */
export function printMarkdown(terminal: Terminal, markdown: string): void {
  const rows = markdown.trimEnd().split(/\r?\n/)
  if (terminal.is_interactive) printLines(terminal, textLines(rows, terminal.width))
  else for (const row of rows) terminal.out(row.split('\t').map(printable).join('\t'))
}

/** The beginning of a row: its indent, the mark of a heading, a list or a quote, and its text. */
const row_parts = /^(\s*)(#{1,6} |[-*+] |\d+[.)] |> ?)?(.*)$/

/** Rows of Markdown as text. Words stay whole, and rows of code as they are. */
function textLines(rows: readonly string[], width: number): Line[] {
  let is_code = false
  return rows.flatMap((row): Line[] => {
    const is_fence = /^\s*(```|~~~)/.test(row)
    if (is_fence) is_code = !is_code
    if (is_fence) return []
    if (is_code) return [{ tone: 'faint', text: `  ${printable(row.replaceAll('\t', '  '))}` }]
    const [, indent = '', mark = '', rest = ''] = row_parts.exec(row) ?? []
    const is_heading = mark.startsWith('#')
    const lead = is_heading ? '' : mark.replace(/^[*+]/, '-')
    const text = lead + printable(plainLine(rest))
    const tone = is_heading ? 'strong' : 'plain'
    const lines = wrapped(text, width, indent.length, (word) => word, lead.length)
    return lines.map((line) => ({ tone, text: line }))
  })
}

/** `asked_about`: see scopeText; undefined where it is on the screen already. */
export function sourceLines(
  sources: readonly Source[],
  asked_about: string | undefined,
  width: number,
): Line[] {
  const writer = new LineWriter(width)
  // The files that the answer does not name are counted: it may have used none of them.
  const shown = sources.filter(({ is_named }) => is_named)
  if (shown.length > 0) {
    // A question over the whole project lists no other source.
    const which = shown.every(({ is_deleted }) => is_deleted) ? 'deleted sources' : 'sources'
    writer.say(`${which} named in the answer`, { tone: 'strong' })
    for (const source of shown.slice(0, max_sources)) writer.detail(sourceText(source))
    const more = shown.length - max_sources
    if (more > 0) writer.detail(`and ${formatCount(more)} more`)
  }
  if (asked_about !== undefined) writer.say(`asked about ${asked_about}`, { tone: 'faint' })
  return writer.lines
}
