import MarkdownIt from 'markdown-it'
import { printable } from '../base/text/format.ts'

// The text comes from files and models, so it is not trusted: no HTML, no images (their server
// would see who reads), and only links for a browser or a mail program. Answers repeat names of
// files as they are, so `a&amp;b.txt` must stay what it is.
const markdown = new MarkdownIt({ html: false }).disable(['image', 'entity'])
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url)
markdown.renderer.rules.link_open = (tokens, at, options, _env, renderer) => {
  tokens[at]!.attrSet('rel', 'noopener noreferrer')
  return renderer.renderToken(tokens, at, options)
}
// A passage of a file keeps its lines, and its headings do not stand above the file's name.
markdown.core.ruler.push('quotes', ({ tokens }) => {
  let depth = 0
  for (const token of tokens) {
    if (token.type.startsWith('blockquote_')) depth += token.nesting
    if (depth === 0) continue
    if (token.type.startsWith('heading_')) token.tag = 'h6'
    for (const inner of token.children ?? []) {
      if (inner.type === 'softbreak') inner.type = 'hardbreak'
    }
  }
})
// Mail programs drop style sheets.
markdown.core.ruler.push('styles', ({ tokens, env }) => {
  const { styles = {} } = env as { styles?: Styles }
  for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
    const style = token.nesting >= 0 ? styles[token.tag] : undefined
    if (style !== undefined) token.attrSet('style', style)
  }
})
/** They turn the writing direction, so a name or a link could seem to be another one. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g

/** Style declarations by the name of the element. */
export type Styles = Readonly<Record<string, string>>

/** Renders Markdown as HTML without a head. */
export function renderMarkdown(text: string, styles: Styles = {}): string {
  return markdown.render(text.replace(turns, printable), { styles })
}

/** A row of Markdown as text. */
export interface TextRow {
  kind: 'heading' | 'code' | 'text'
  /** Blanks before it. */
  indent: number
  /** The mark of a list or a quote, with its blank. */
  lead: string
  text: string
}

/** The beginning of a row: its indent, the mark of a heading, a list or a quote, and its text. */
const row_parts = /^(\s*)(#{1,6} |[-*+] |\d+[.)] |> ?)?(.*)$/

/** The rows of Markdown without its marks, but those of lists and quotes. Code stays as it is. */
export function textRows(rows: readonly string[]): TextRow[] {
  let is_code = false
  return rows.flatMap((row): TextRow[] => {
    const is_fence = /^\s*(```|~~~)/.test(row)
    if (is_fence) is_code = !is_code
    if (is_fence) return []
    return [is_code ? { kind: 'code', indent: 2, lead: '', text: row } : textRow(row)]
  })
}

function textRow(row: string): TextRow {
  const [, { length: indent } = '', mark = '', rest = ''] = row_parts.exec(row) ?? []
  if (mark.startsWith('#')) return { kind: 'heading', indent, lead: '', text: plainLine(rest) }
  const lead = mark.replace(/^[*+]/, '-')
  if (!mark.startsWith('>')) return { kind: 'text', indent, lead, text: plainLine(rest) }
  const quoted = textRow(rest)
  return { ...quoted, kind: 'text', indent, lead: `> ${' '.repeat(quoted.indent)}${quoted.lead}` }
}

/** Markdown as plain text. */
export function plainText(text: string): string {
  const rows = textRows(text.replace(turns, printable).split(/\r?\n/))
  return rows.map((row) => `${' '.repeat(row.indent)}${row.lead}${row.text}`.trimEnd()).join('\n')
}

/** One line of Markdown without its marks. The address of a link follows its text. */
function plainLine(line: string): string {
  let text = ''
  let address = ''
  for (const token of markdown.parseInline(line, {})[0]?.children ?? []) {
    address = String(token.attrGet('href') ?? address)
    if (token.type === 'link_close' && !text.endsWith(address)) text += ` (${address})`
    text += token.content
  }
  return text
}

export function escapeHtml(text: string): string {
  return markdown.utils.escapeHtml(text)
}
