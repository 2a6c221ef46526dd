import { escaped } from '../../base/text/escaped.ts'
import { printable } from '../../base/text/format.ts'
import { escapeHtml, renderMarkdown } from '../../deliver/markdown.ts'

/** Text that is HTML already. Only this file makes it, so nothing unescaped gets into a page. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Insert = Html | string | number | undefined | false | readonly Insert[]

/** A piece of HTML. Inserted texts are escaped, lists joined; undefined and false give nothing. */
export function html(pieces: TemplateStringsArray, ...inserts: Insert[]): Html {
  return new Html(pieces.reduce((text, piece, at) => `${text}${markup(inserts[at - 1])}${piece}`))
}

function markup(insert: Insert): string {
  if (insert instanceof Html) return insert.text
  if (insert === undefined || insert === false) return ''
  if (typeof insert === 'object') return insert.map(markup).join('')
  return escaped(String(insert))
}

/** A sentence of Sluice, as it begins on a page. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * A name or a path from a disk or a service. It cannot turn the writing direction or hide
 * characters. Each name of a path is turned alone, so the first directory is always on the left.
 */
export function nameText(name: string): Html {
  const [first, ...below] = printable(name)
    .split('/')
    .map((part) => html`<bdi>${part}</bdi>`)
  if (below.length === 0) return first!
  return html`<span dir="ltr">${first}${below.map((part) => html`/${part}`)}</span>`
}

/** Words that are written from right to left, with what clings to them, but no `/`. */
const letter =
  '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]'
const word = `[^\\s/]*${letter}[^\\s/]*`
const from_right = new RegExp(`(${word}(?: ${word})*)`, 'u')

/** A sentence in which names may stand. They do not turn the words beside them. */
export function sentenceText(sentence: string): Html {
  const pieces = printable(sentence).split(from_right)
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? piece : html`<bdi>${piece}</bdi>`))}`
}

/** A time in UTC; the script of the page shows it in the reader's zone. */
export function timeText(
  time: string | number | null | undefined,
  to: 'minute' | 'second' = 'minute',
): Html {
  if (time === null || time === undefined) return html`–`
  const iso = typeof time === 'number' ? new Date(time).toISOString() : time
  return html`<time datetime="${iso}">${iso.slice(0, to === 'minute' ? 16 : 19).replace('T', ' ')} UTC</time>`
}

/** A text of a report or an answer. It brings no HTML, no image and no script of its own. */
export function markdownText(text: string): Html {
  return new Html(renderMarkdown(text))
}

/** The same with a link in place of each of these texts, where it stands as a whole in no link. */
export function withLinks({ text }: Html, links: ReadonlyMap<string, Html>): Html {
  const found = new Map([...links].map(([name, link]) => [escapeHtml(printable(name)), link.text]))
  if (found.size === 0) return new Html(text)
  const names = [...found.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const name = `(?<![\\p{L}\\p{N}_/-])(?:${names.join('|')})(?![\\p{L}\\p{N}_-])`
  const pieces = new RegExp(`<a\\b[^>]*>.*?</a>|<[^>]*>|${name}`, 'gsu')
  return new Html(text.replace(pieces, (piece) => found.get(piece) ?? piece))
}
