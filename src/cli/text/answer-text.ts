import { formatCount, printable } from '../../base/text/format.ts'
import { textRows } from '../../deliver/markdown.ts'
import { type Source, sourceText } from '../../prompts/ask/ask-question.ts'
import { isUnread, toldText } from '../../prompts/report/told.ts'
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
  const list = (title: string, shown: readonly Source[]) => {
    if (shown.length === 0) return
    writer.say(title, { tone: 'strong' })
    for (const source of shown.slice(0, max_sources)) writer.detail(sourceText(source))
    const more = shown.length - max_sources
    if (more > 0) writer.detail(`and ${formatCount(more)} more`)
  }
  const named = sources.filter(({ is_named }) => is_named)
  const others = sources.filter(({ is_named }) => !is_named)
  // A question over the whole project lists no other source.
  const which = named.every(({ is_deleted }) => is_deleted) ? 'deleted sources' : 'sources'
  list(`${which} named in the answer`, named)
  // Other files are counted: the answer may have used none of them.
  list('files of which not all was read', others.filter(isUnread))
  const about = asked_about === undefined ? [] : [`asked about ${asked_about}`]
  const told = sources.every(({ is_deleted }) => is_deleted) ? [] : [toldText(sources)]
  const asked = [...about, ...told].join(': ')
  if (asked !== '') writer.say(asked, { tone: 'faint' })
  return writer.lines
}
