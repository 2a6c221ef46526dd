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
/** They turn the writing direction, so a name or a link could seem to be another one. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g

/** Renders Markdown as HTML without a head. */
export function renderMarkdown(text: string): string {
  return markdown.render(text.replace(turns, printable))
}

/** One line of Markdown without its marks. The address of a link follows its text. */
export function plainLine(line: string): string {
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
