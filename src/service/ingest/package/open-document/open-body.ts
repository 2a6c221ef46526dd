import type { DocumentText } from '../../document-text.ts'
import { lettersOf } from '../../table-text.ts'
import { addAltText } from '../../text/alt-text.ts'
import { FlowText } from '../../text/flow-text.ts'
import type { XmlAttributes, XmlListener } from '../xml.ts'
import { cellValue } from './cell-value.ts'
import { HiddenParts } from './hidden-parts.ts'
import { type FrameSources, OpenFrames } from './open-frames.ts'
import type { OpenLists } from './open-lists.ts'

export interface OpenSources extends FrameSources {
  /** Knows the styles of `styles.xml`. */
  lists: OpenLists
}

/**
 * Deleted text, readings of Asian letters, pictures as text, programs, and texts that appear when a
 * user chooses a cell.
 */
const skipped = new Set([
  ...['tracked-changes', 'ruby-text', 'binary-data', 'scripts', 'script', 'event-listeners'],
  ...['content-validations', 'dde-links', 'styles', 'master-styles', 'font-face-decls', 'meta'],
])
/** Texts that are in no paragraph: alternative texts, and headers and footers of slides. */
const labels = new Set(['title', 'desc', 'header-decl', 'footer-decl'])
/** Shapes with a text of their own. In a paragraph it would part the sentence. */
const boxes = new Set([
  ...['text-box', 'custom-shape', 'rect', 'circle', 'ellipse', 'caption', 'polygon', 'polyline'],
  ...['path', 'line', 'connector', 'measure'],
])
const cells = new Set(['table-cell', 'covered-table-cell'])
const asides = new Set([...boxes, 'note-body', 'annotation'])
/** Who wrote a comment, and when. */
const comment_fact = /^(date|date-string|creator|creator-initials|sender-initials)$/
/** A sheet of another file, kept for the formulas that use it. */
const external_sheet = /^'?(file|https?):/
/** A paragraph has at most so many spaces in a row. */
const max_spaces = 100

/** Hears the body of an OpenDocument file, and writes it into a document (ODF 1.3 part 3). */
export class OpenBody implements XmlListener {
  readonly #text: DocumentText
  readonly #sources: OpenSources
  #flow: FlowText
  readonly #frames: OpenFrames
  /** Rows of the present sheet before this one. */
  #rows = 0
  /** Columns that the present table declared so far. */
  #columns = 0
  readonly #hidden = new HiddenParts()
  #form_depth = 0
  /** How deep in paragraphs: other texts are none of the document. */
  #paragraph_depth = 0
  #citation = ''
  #label = ''

  constructor(text: DocumentText, sources: OpenSources) {
    this.#text = text
    this.#sources = sources
    this.#flow = new FlowText(text)
    this.#frames = new OpenFrames(text, sources)
  }

  open(name: string, attributes: XmlAttributes, parent: string): boolean {
    const is_external = name === 'table' && external_sheet.test(attributes.name ?? '')
    const is_fact = parent === 'annotation' && comment_fact.test(name)
    if (is_external || is_fact || skipped.has(name)) return false
    this.#hidden.open(name, attributes)
    this.#openTable(name, attributes, parent)
    this.#openAside(name)
    if (name === 'page') this.#beginPage(attributes)
    if (name === 'forms') this.#form_depth++
    if (this.#form_depth > 0) this.#addFormValue(attributes)
    const words = this.#frames.open(name, attributes)
    if (words !== '') this.#flow.add(` ${words} `)
    this.#sources.lists.open(name, attributes)
    if (name === 'p' || name === 'h') {
      this.#paragraph_depth++
      if (name === 'h') this.#flow.beginHeading(Number(attributes['outline-level'] ?? 1))
      this.#flow.add(this.#sources.lists.numberOf(name, attributes))
    }
    if (name === 'tab') this.#flow.add('\t')
    if (name === 's') this.#flow.add(' '.repeat(Math.min(Number(attributes.c) || 1, max_spaces)))
    if (name === 'line-break') this.#flow.add('\n')
    return true
  }

  text(piece: string, name: string): void {
    if (name === 'note-citation') this.#citation += piece
    else if (labels.has(name)) this.#label += piece
    else if (this.#paragraph_depth > 0) this.#flow.addWords(piece)
  }

  close(name: string, attributes: XmlAttributes): void {
    if (name === 'note-citation') this.#flow.add(this.#mark)
    if (labels.has(name)) this.#endLabel(name)
    if (name === 'p' || name === 'h') {
      this.#paragraph_depth--
      this.#flow.break(2)
    }
    if (asides.has(name)) this.#flow.endAside()
    if (name === 'note') this.#citation = ''
    if (name === 'forms') this.#form_depth--
    this.#frames.close(name)
    this.#sources.lists.close(name)
    this.#closeTable(name, attributes)
    this.#hidden.close(name, attributes)
  }

  end(): void {
    this.#flow.end()
  }

  get #mark(): string {
    return `[${this.#citation.trim()}]`
  }

  #endLabel(name: string): void {
    if (name === 'title' || name === 'desc') addAltText([this.#label], this.#flow)
    else this.#flow.addLabel(this.#label.trim())
    this.#label = ''
  }

  #beginUnit(name: string, attributes: XmlAttributes): void {
    this.#flow.end()
    this.#text.begin(this.#sources.unit === 'slide' ? '' : name)
    this.#flow = new FlowText(this.#text)
    const hidden = this.#hidden.has(attributes) ? ` (hidden ${this.#sources.unit})` : ''
    this.#flow.addLabel(`${name}${hidden}`.trimStart())
  }

  /** The usual name of a slide says only its number. */
  #beginPage(attributes: XmlAttributes): void {
    const { name = '' } = attributes
    this.#beginUnit(/^page\d+$/.test(name) ? '' : name, attributes)
  }

  #openTable(name: string, attributes: XmlAttributes, parent: string): void {
    if (name === 'table') {
      if (parent === 'spreadsheet') this.#beginUnit(attributes.name ?? '', attributes)
      this.#rows = 0
      this.#columns = 0
      this.#flow.tables.begin()
    }
    if (name === 'table-column') this.#passColumns(attributes)
    if (name === 'table-row') this.#flow.tables.beginRow()
    if (cells.has(name)) this.#flow.tables.beginCell()
  }

  #passColumns(attributes: XmlAttributes): void {
    const from = this.#columns
    this.#columns += repeated(attributes['number-columns-repeated'])
    if (this.#hidden.has(attributes)) this.#flow.tables.hideColumns(from, this.#columns)
  }

  #closeTable(name: string, attributes: XmlAttributes): void {
    if (name === 'table') this.#flow.tables.end()
    if (name === 'table-row') {
      const rows = repeated(attributes['number-rows-repeated'])
      const number = this.#sources.unit === 'sheet' ? this.#rows + 1 : undefined
      this.#flow.tables.endRow(this.#hidden.has(attributes), rows, number)
      this.#rows += rows
    }
    if (cells.has(name))
      this.#flow.tables.endCell(
        repeated(attributes['number-columns-repeated']),
        cellValue(attributes),
      )
  }

  /** Comments, notes, and text boxes stand behind the paragraph or the table they are in. */
  #openAside(name: string): void {
    const is_sheet = this.#sources.unit === 'sheet'
    if (name === 'annotation') {
      const cell = `${lettersOf(this.#flow.tables.column)}${this.#rows + 1}`
      this.#flow.beginAside(is_sheet ? `Comment on ${cell}: ` : 'Comment: ', true)
    }
    if (name === 'note-body') this.#flow.beginAside(`${this.#mark} `, true)
    if (boxes.has(name)) this.#flow.beginAside('', is_sheet || this.#flow.has_open_line)
  }

  /** The value of a field of a form, or what stands on it. */
  #addFormValue({ label = '', 'current-value': value = '' }: XmlAttributes): void {
    for (const words of [label, value]) {
      this.#flow.add(words)
      this.#flow.break(1)
    }
  }
}

function repeated(written = '1'): number {
  const number = Number.parseInt(written, 10)
  return number >= 1 ? number : 1
}
