import { formatCount, printable } from '../../base/text/format.ts'
import { textRows } from '../../deliver/markdown.ts'
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

/** Rows of Markdown as text. Words stay whole, and rows of code as they are. */
function textLines(rows: readonly string[], width: number): Line[] {
  return textRows(rows).flatMap(({ kind, indent, lead, text }): Line[] => {
    if (kind === 'code')
      return [{ tone: 'faint', text: `  ${printable(text.replaceAll('\t', '  '))}` }]
    const tone = kind === 'heading' ? 'strong' : 'plain'
    const lines = wrapped(lead + printable(text), width, indent, (word) => word, lead.length)
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
