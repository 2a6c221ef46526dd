import { type Handler, Parser } from 'htmlparser2'
import type { DocumentText } from '../document-text.ts'
import { broken } from '../extract-limits.ts'
import { addAltText, isAltText } from './alt-text.ts'
import { FlowText } from './flow-text.ts'

/** Elements without readable text. Readings of Asian letters and formulas as TeX say it again. */
const silent = new Set([
  ...['script', 'style', 'template', 'rt', 'rp', 'annotation', 'annotation-xml'],
  ...['noembed', 'noframes'],
])
/** Elements that stand in lines of their own. */
const lines = new Set(['li', 'dt', 'dd', 'option', 'optgroup', 'text', 'desc', 'summary', 'tr'])
/** Elements that have an empty line before and after them. */
const paragraphs = new Set([
  ...['p', 'div', 'section', 'article', 'header', 'footer', 'main', 'aside', 'nav', 'address'],
  ...['figure', 'figcaption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hgroup', 'ul', 'ol', 'menu'],
  ...['dl', 'blockquote', 'pre', 'form', 'fieldset', 'legend', 'details', 'dialog', 'body', 'hr'],
  ...['table', 'caption', 'center', 'select', 'textarea', 'noscript'],
])
/** Row groups of a table. */
const groups = new Set(['thead', 'tbody', 'tfoot'])
/** Boxes in a line, and the numbers and names of formulas: the words in them stand apart. */
const boxes = new Set([
  ...['button', 'iframe', 'object', 'video', 'audio', 'canvas', 'meter', 'progress', 'svg'],
  ...['mi', 'mn', 'mo', 'ms', 'mtext'],
])
const preformatted = new Set(['pre', 'textarea', 'listing', 'xmp', 'plaintext'])
/** Kinds of input fields whose value nobody sees, or that is none of words. */
const silent_inputs = /^(hidden|password|checkbox|radio|file|image|color|range)$/i
/** The parser needs time by the square of the depth: half a second for so many. */
const max_depth = 20_000

/**
 * Adds the readable text of an HTML page, with an empty line between paragraphs, and tables with
 * their columns. Scripts do not run. What a style hides is read: scripts show it, as tabs do.
 * `is_xhtml`: an element can end where it begins, such as `<script/>`, and CDATA is text. All else
 * is read as HTML, because many pages of XHTML are not well-formed.
 */
export function addHtml(html: string, text: DocumentText, is_xhtml: boolean): void {
  const page = new HtmlPage(text, is_xhtml)
  new Parser(page, { recognizeSelfClosing: is_xhtml, recognizeCDATA: is_xhtml }).end(html)
}

class HtmlPage implements Partial<Handler> {
  readonly #text: DocumentText
  readonly #flow: FlowText
  /** Names can have a prefix, as in `svg:text`. */
  readonly #has_prefixes: boolean
  /** Numbers of the next items of the open lists; undefined for bullets. */
  readonly #lists: (number | undefined)[] = []
  #depth = 0
  #silent_depth = 0
  #preformatted_depth = 0
  #svg_depth = 0
  /** The label that is open: the name of the page, or what it says without scripts. */
  #label: string | undefined
  /** It has a word that stands for no picture. */
  #has_words = false

  constructor(text: DocumentText, has_prefixes: boolean) {
    this.#text = text
    this.#has_prefixes = has_prefixes
    this.#flow = new FlowText(text)
  }

  onopentag(written: string, attributes: Record<string, string>): void {
    const name = this.#nameOf(written)
    if (++this.#depth > max_depth) throw broken(`more than ${max_depth} nested elements`)
    if (silent.has(name)) this.#silent_depth++
    if (this.#silent_depth > 0) return
    if (preformatted.has(name)) this.#preformatted_depth++
    if (name === 'svg') this.#svg_depth++
    this.#breakAt(name)
    if (this.#isLabel(name)) this.#label = ''
    if (/^h[1-6]$/.test(name)) this.#flow.beginHeading(Number(name[1]))
    if (name === 'br') this.#flow.add('\n')
    else if (name === 'table') this.#flow.tables.begin()
    else if (name === 'tr') this.#flow.tables.beginRow()
    else if (name === 'td' || name === 'th') this.#flow.tables.beginCell(attributes)
    else if (name === 'ol') this.#lists.push(startOf(attributes))
    else if (name === 'ul' || name === 'menu') this.#lists.push(undefined)
    else if (name === 'li') this.#beginItem(attributes)
    else this.#addSubstitute(name, attributes)
  }

  ontext(piece: string): void {
    if (this.#silent_depth > 0) return
    const words = piece.replace(/\u00ad/g, '')
    if (this.#label !== undefined) this.#label += words
    else this.#addText(words)
  }

  #addText(words: string): void {
    this.#has_words ||= /\S/.test(words)
    if (this.#preformatted_depth > 0) this.#flow.add(words.replace(/\r\n?/g, '\n'))
    else this.#flow.addWords(words)
  }

  onclosetag(written: string): void {
    const name = this.#nameOf(written)
    this.#depth--
    if (silent.has(name)) {
      this.#silent_depth--
      return
    }
    if (this.#silent_depth > 0) return
    if (this.#isLabel(name)) this.#endLabel()
    if (name === 'td' || name === 'th') this.#flow.tables.endCell()
    else if (name === 'tr') this.#flow.tables.endRow()
    else if (name === 'table') this.#flow.tables.end()
    else if (name === 'ol' || name === 'ul' || name === 'menu') this.#lists.pop()
    this.#breakAt(name)
    if (preformatted.has(name)) this.#preformatted_depth--
    if (name === 'svg') this.#svg_depth--
  }

  onend(): void {
    this.#endLabel()
    this.#flow.end()
    if (!this.#has_words) this.#text.disown()
  }

  #nameOf(written: string): string {
    return this.#has_prefixes ? written.slice(written.indexOf(':') + 1) : written
  }

  #breakAt(name: string): void {
    if (boxes.has(name)) this.#flow.addWords(' ')
    if (groups.has(name)) this.#flow.tables.endRowGroup()
    if (paragraphs.has(name)) this.#flow.break(2)
    else if (lines.has(name)) this.#flow.break(1)
  }

  /** A name is no word of the page. Nor is a text such as "enable JavaScript". */
  #isLabel(name: string): boolean {
    return name === 'noscript' || (name === 'title' && this.#svg_depth === 0)
  }

  #endLabel(): void {
    const label = this.#label?.replace(/\s+/g, ' ').trim() ?? ''
    this.#label = undefined
    if (label !== '') this.#flow.addLabel(label)
  }

  #beginItem({ value = '' }: Record<string, string>): void {
    const at = this.#lists.length - 1
    const next = this.#lists[at]
    if (next === undefined) return
    const number = /^\d{1,9}$/.test(value) ? Number(value) : next
    this.#flow.add(`${number}. `)
    this.#lists[at] = number + 1
  }

  /** Adds what stands for a picture, and the value of a field. */
  #addSubstitute(name: string, { alt = '', type = '', value = '' }: Record<string, string>): void {
    if (name === 'img' || name === 'image') this.#text.notePicture()
    const is_picture = name === 'img' || name === 'area'
    if (is_picture || (name === 'input' && /^image$/i.test(type))) this.#addAlt(alt)
    if (name === 'input' && !silent_inputs.test(type)) this.#addText(` ${value} `)
  }

  /** In a sentence or a cell, the alternative text stands for the picture (HTML 4.8.4.4). */
  #addAlt(alt: string): void {
    if (this.#flow.has_open_line || this.#flow.tables.is_open) {
      if (isAltText(alt)) this.#addApart(alt)
    } else addAltText([alt], this.#flow)
  }

  #addApart(words: string): void {
    if (words.trim() !== '') this.#flow.addWords(` ${words} `)
  }
}

function startOf({ start = '' }: Record<string, string>): number {
  return /^\d{1,9}$/.test(start) ? Number(start) : 1
}
