import { Parser } from 'htmlparser2'

/** Elements without readable text. */
const silent = new Set(['script', 'style', 'template', 'svg'])
/** Elements that begin a line, and elements that end a paragraph before and after them. */
const line_starts = new Set(['br', 'li', 'tr', 'dt', 'dd', 'option'])
const paragraph_ends = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'aside',
    'nav',
    'figure',
    'figcaption',
  ],
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'ul',
    'ol',
    'dl',
    'table',
    'blockquote',
    'pre',
    'form',
    'title',
    'body',
  ],
])

/** The readable text of an HTML page, with an empty line between paragraphs. Scripts do not run. */
export function htmlToText(html: string): string {
  const parts: string[] = []
  let silent_depth = 0
  const parser = new Parser({
    onopentag(name) {
      if (silent.has(name)) silent_depth += 1
      if (paragraph_ends.has(name)) parts.push('\n\n')
      else if (line_starts.has(name)) parts.push('\n')
      else if (name === 'td' || name === 'th') parts.push(' ')
    },
    onclosetag(name) {
      if (silent.has(name)) silent_depth -= 1
      if (paragraph_ends.has(name)) parts.push('\n\n')
    },
    ontext(text) {
      if (silent_depth === 0) parts.push(text)
    },
  })
  parser.end(html)
  return tidy(parts.join(''))
}

function tidy(text: string): string {
  return text
    .replace(/\u00ad/g, '')
    .replace(/[ \t\r\f\v\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
