import type { DocumentText, ReadDocument } from '../../document-text.ts'
import { addAltText } from '../../text/alt-text.ts'
import { FlowText } from '../../text/flow-text.ts'
import { formattedNumber } from '../list-numbers.ts'
import type { XmlAttributes, XmlListener } from '../xml.ts'
import { Fields, isPageNumber } from './fields.ts'
import type { Numbering } from './numbering.ts'
import { headingLevel, type ListPlace, setListPlace } from './paragraph-styles.ts'
import { Pictures } from './pictures.ts'
import { symbolText } from './symbols.ts'

/** What the parts of a Word document share. */
export interface WordSources {
  styles: ReadonlyMap<string, ListPlace>
  numbering: Numbering
  /** Documents that a document holds, by id; a text says why one cannot be read. */
  chunks: ReadonlyMap<string, ReadDocument | string>
  /** Marks of notes by id, in the order of the document. */
  marks: { footnote: Map<string, string>; endnote: Map<string, string> }
  /** What comments are about, by the id of the comment. */
  quotes: Map<string, string>
}

/** Text that was deleted or moved away, former properties, codes, and readings above letters. */
const left_out = new Set(
  `del moveFrom delText delInstrText rt pPrChange rPrChange sectPrChange tblPrChange
tblPrExChange tcPrChange trPrChange tblGridChange numberingChange`.split(/\s+/),
)

/** Most elements are these. They say nothing about a text, so they are passed over early. */
const without_meaning = new Set(
  `r rPr rFonts sz szCs lang color b bCs i iCs u noProof kern spacing ind jc proofErr bookmarkStart
bookmarkEnd gridCol tcW tcPr tblBorders tcBorders shd top left bottom right lastRenderedPageBreak`.split(
    /\s+/,
  ),
)

/** Elements that stand for a text. Those of formulas have the names of their ECMA-376 elements. */
const opens = new Map([
  ['tab', '\t'],
  ['ptab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
  ['den', '/'],
])
const powers = new Map([
  ['sup', '^'],
  ['sub', '_'],
])

const max_quote_length = 200
/** Comments whose range is open at one place. */
const max_open_ranges = 16
/** Word allows 63 columns; a cell that spans more is an error. */
const max_span = 64
const notes = new Set(['footnote', 'endnote'])

/** Adds the text of a part of a Word document: of the body, a header, notes or comments. */
export class WordFlow implements XmlListener {
  readonly #text: DocumentText
  readonly #sources: WordSources
  readonly #flow: FlowText
  readonly #fields = new Fields()
  readonly #pictures: Pictures | undefined
  readonly #ranges = new Set<string>()
  /** Of the open paragraphs, from the outside: a text box stands in one, and has others. */
  readonly #places: ListPlace[] = []
  /** What joins the paragraph to the next one, if it goes on there. */
  #join: string | undefined

  /** `page_emu2`: undefined where pictures do not count, as in headers. */
  constructor(text: DocumentText, sources: WordSources, page_emu2?: number) {
    this.#text = text
    this.#sources = sources
    this.#flow = new FlowText(text)
    this.#pictures = page_emu2 === undefined ? undefined : new Pictures(text, page_emu2)
  }

  open(name: string, attributes: XmlAttributes, parent: string): boolean {
    if (without_meaning.has(name)) return true
    const { val = '' } = attributes
    if (name === 'del' && parent === 'trPr') this.#flow.tables.dropRow()
    // The mark of the paragraph is deleted, or moved away.
    if ((name === 'del' || name === 'moveFrom') && parent === 'rPr') this.#join = ' '
    // Notes have types for the lines above them.
    const is_line = notes.has(name) && (attributes.type ?? 'normal') !== 'normal'
    if (is_line || left_out.has(name) || isPageNumber(attributes.instr)) return false
    this.#fields.open(name, parent, attributes)
    this.#pictures?.open(name, attributes)
    this.#openText(name, parent, attributes)
    this.#openBlock(name, attributes)
    // A large first letter has a paragraph of its own.
    if (attributes.dropCap === 'drop' || attributes.dropCap === 'margin') this.#join = ''
    const place = this.#places.at(-1)
    if (place && name === 'pStyle') place.style = val
    if (place && (parent === 'numPr' || name === 'outlineLvl')) setListPlace(place, name, val)
    return true
  }

  text(piece: string, name: string): void {
    if (name === 'instrText') this.#fields.addCode(piece)
    if (name === 't' && !this.#fields.isCode) this.#write(piece)
  }

  close(name: string): void {
    const field = this.#fields.close(name)
    if (field !== undefined) this.#write(field)
    if (name === 'd') this.#write(')')
    if (name === 'p') this.#endParagraph()
    if (name === 'txbxContent' || name === 'comment' || notes.has(name)) {
      this.#join = undefined
      this.#flow.endAside()
    }
    if (name === 'tc') this.#flow.tables.endCell()
    if (name === 'tr') this.#flow.tables.endRow()
    if (name === 'tbl') this.#flow.tables.end()
  }

  end(): void {
    this.#flow.end()
  }

  #openText(name: string, parent: string, attributes: XmlAttributes): void {
    const { id = '', font = '', char = '', val = '' } = attributes
    // A tab in properties is a tab stop.
    const text = opens.get(name)
    if (text && parent !== 'tabs' && !this.#fields.isCode) this.#write(text)
    const power = powers.get(name)
    if (power && /^sS/.test(parent)) this.#write(power)
    if (name === 'd') this.#write('(')
    if (name === 'chr' && parent === 'naryPr') this.#write(val)
    if (name === 'sym') this.#write(symbolText(font, char))
    // WordArt of old documents.
    if (name === 'textpath') this.#write(attributes.string ?? '')
    if (name === 'docPr' || name === 'shape')
      addAltText([attributes.title, attributes.descr, attributes.alt], this.#flow)
    if (name === 'footnoteReference') this.#addMark('footnote', id, 'decimal')
    if (name === 'endnoteReference') this.#addMark('endnote', id, 'lowerRoman')
    if (name === 'commentRangeStart' && this.#ranges.size < max_open_ranges) this.#ranges.add(id)
    if (name === 'commentRangeEnd') this.#ranges.delete(id)
  }

  #openBlock(name: string, attributes: XmlAttributes): void {
    const { id = '', author = '', val = '' } = attributes
    const columns = Math.min(Number(val) || 0, max_span)
    if (name === 'p') this.#places.push({})
    if (name === 'tbl') this.#flow.tables.begin()
    if (name === 'tr') this.#flow.tables.beginRow()
    if (name === 'tc') this.#flow.tables.beginCell()
    if (name === 'gridBefore') this.#flow.tables.passColumns(columns)
    if (name === 'gridSpan' && columns > 1) this.#flow.tables.passColumns(columns - 1)
    if (name === 'txbxContent') this.#flow.beginAside('')
    if (name === 'footnote' || name === 'endnote') {
      const mark = this.#sources.marks[name].get(id)
      this.#flow.beginAside(mark === undefined ? '' : `[${mark}] `, true)
    }
    if (name === 'comment') {
      const quote = this.#sources.quotes.get(id)?.replace(/\s+/g, ' ').trim()
      const about = `${author && ` by ${author}`}${quote ? ` on “${quote}”` : ''}`
      this.#flow.beginAside(`Comment${about}: `, true)
    }
    if (name === 'altChunk') this.#addChunk(id)
  }

  #addMark(kind: 'footnote' | 'endnote', id: string, format: string): void {
    const marks = this.#sources.marks[kind]
    const mark = formattedNumber(marks.size + 1, format)
    marks.set(id, mark)
    this.#write(`[${mark}]`)
  }

  #write(words: string): void {
    this.#flow.add(words)
    const { quotes } = this.#sources
    for (const id of this.#ranges)
      quotes.set(id, `${quotes.get(id) ?? ''}${words}`.slice(0, max_quote_length))
  }

  #endParagraph(): void {
    this.#fields.endParagraph()
    const place = this.#places.pop() ?? {}
    if (this.#join !== undefined) {
      this.#flow.add(this.#join)
      this.#join = undefined
      return
    }
    const number = this.#sources.numbering.next(place)
    // The cells of a column with numbers are empty. Elsewhere, such a paragraph says nothing.
    const is_alone = this.#flow.tables.is_open && /[\p{L}\p{N}]/u.test(number)
    if (number !== '' && (is_alone || this.#flow.has_open_line)) this.#flow.addBefore(`${number} `)
    const level = headingLevel(place, this.#sources.styles)
    if (level !== undefined) this.#flow.beginHeading(level)
    this.#flow.break(2)
  }

  #addChunk(id: string): void {
    const chunk = this.#sources.chunks.get(id)
    if (chunk === undefined) return
    this.#text.begin()
    if (typeof chunk === 'string') {
      this.#text.noteFault(chunk)
    } else {
      this.#text.addLabel('\n\n')
      const from = this.#text.length
      this.#text.add(chunk.text)
      for (const table of chunk.tables)
        this.#text.noteTable({ ...table, from: table.from + from, to: table.to + from })
      const { of, seen, why } = chunk.reading
      if (seen < of) this.#text.noteFault(`is in part unread (${withoutNesting(why)})`)
    }
    this.#text.begin()
  }
}

/** A document in a document in a document says its reason once. */
function withoutNesting(why = ''): string {
  return /^part \d+ is in part unread \((.*)\)$/.exec(why)?.[1] ?? why
}
