import type { DocumentText, ReadDocument } from '../../document-text.ts'
import { TableText } from '../../table-text.ts'
import { addAltText } from '../alt-text.ts'
import { ElementPath } from '../element-path.ts'
import { formattedNumber } from '../number-format.ts'
import { idIn } from '../relationships.ts'
import type { XmlListener } from '../xml.ts'
import { Fields } from './fields.ts'
import type { Numbering } from './numbering.ts'
import type { PageParts } from './page-parts.ts'
import { type ListPlace, setListPlace } from './paragraph-styles.ts'
import { Pictures } from './pictures.ts'
import { symbolText } from './symbols.ts'
import { addRow, addRows, type Row, WordTable } from './word-tables.ts'

/** What the parts of a Word document share. */
export interface WordSources {
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
  `del moveFrom delText instrText delInstrText rt pPrChange rPrChange sectPrChange tblPrChange
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
const opens: Readonly<Record<string, string>> = {
  tab: '\t',
  ptab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
  den: '/',
}
const powers: Readonly<Record<string, string>> = { sup: '^', sub: '_' }

const max_quote_length = 200
/** Comments whose range is open at one place. */
const max_open_ranges = 16

/** A text that runs by itself: that of a part, or of a text box in it. */
interface Flow {
  line: string
  place: ListPlace
  /** What joins the paragraph to the next one, if it goes on there. */
  join: string | undefined
  tables: WordTable[]
  /** Rows of each open table that cannot be written yet. */
  rows: Row[][]
}

/** Adds the text of a part of a Word document: of the body, a header, notes or comments. */
export class WordFlow implements XmlListener {
  readonly #text: DocumentText
  readonly #sources: WordSources
  readonly #parts: PageParts | undefined
  readonly #fields = new Fields()
  readonly #pictures: Pictures
  readonly #path = new ElementPath()
  readonly #flows: Flow[] = [newFlow()]
  readonly #ranges = new Set<string>()
  /** Text boxes and tables in cells, which come behind the paragraph or row they stand in. */
  #later: (() => void)[] = []
  #table: TableText | undefined
  /** Stands before the next text, such as the mark of a note. */
  #label = ''

  constructor(text: DocumentText, sources: WordSources, parts?: PageParts) {
    this.#text = text
    this.#sources = sources
    this.#parts = parts
    this.#pictures = new Pictures(parts)
  }

  open(name: string, attributes: Record<string, string>, written: Record<string, unknown>): void {
    const parent = this.#path.last
    if (!this.#path.open(name) || without_meaning.has(name)) return
    const { val = '' } = attributes
    this.#flow.tables.at(-1)?.open(name, parent, val)
    if (isLeftOut(name, attributes)) {
      // The mark of the paragraph is deleted.
      if (this.#path.isIn('pPr', 'rPr')) this.#flow.join = ' '
      this.#path.leaveOut()
      return
    }
    this.#fields.open(name, parent, attributes)
    this.#pictures.open(name, attributes)
    this.#openText(name, parent, attributes)
    this.#openBlock(name, attributes)
    // A large first letter has a paragraph of its own.
    if (attributes.dropCap === 'drop' || attributes.dropCap === 'margin') this.#flow.join = ''
    if (name === 'pStyle') this.#flow.place.style = val
    if (parent === 'numPr') setListPlace(this.#flow.place, name, val)
    if (name === 'altChunk') this.#addChunk(idIn(written))
  }

  text(piece: string): void {
    if (this.#path.isTextOf('t') && !this.#fields.isCode) this.#write(piece)
  }

  close(name: string): void {
    if (!this.#path.close(name)) return
    const field = this.#fields.close(name)
    if (field !== undefined) this.#write(field)
    if (name === 'd') this.#write(')')
    if (name === 'p') this.#endParagraph()
    if (name === 'txbxContent') this.#endBox()
    if (name === 'tc') this.#flow.tables.at(-1)?.endCell()
    if (name === 'tr') this.#endRow()
    if (name === 'tbl') this.#endTable()
  }

  end(): void {
    this.#flow.join = undefined
    this.#endParagraph('')
    this.#addLater()
  }

  get #flow(): Flow {
    return this.#flows.at(-1)!
  }

  #openText(name: string, parent: string, attributes: Record<string, string>): void {
    const { id = '', font = '', char = '', val = '' } = attributes
    // A tab in properties is a tab stop.
    if (Object.hasOwn(opens, name) && parent !== 'tabs' && !this.#fields.isCode)
      this.#write(opens[name]!)
    if (Object.hasOwn(powers, name) && /^sS/.test(parent)) this.#write(powers[name]!)
    if (name === 'd') this.#write('(')
    if (name === 'chr' && parent === 'naryPr') this.#write(val)
    if (name === 'sym') this.#write(symbolText(font, char))
    if (name === 'docPr' || name === 'shape') this.#noteAltText(attributes)
    if (name === 'footnoteReference') this.#addMark('footnote', id, 'decimal')
    if (name === 'endnoteReference') this.#addMark('endnote', id, 'lowerRoman')
    if (name === 'commentRangeStart' && this.#ranges.size < max_open_ranges) this.#ranges.add(id)
    if (name === 'commentRangeEnd') this.#ranges.delete(id)
  }

  #openBlock(name: string, { id = '', author = '' }: Record<string, string>): void {
    const { marks, quotes } = this.#sources
    if (name === 'p') this.#flow.place = {}
    if (name === 'txbxContent') this.#flows.push(newFlow())
    if (name === 'tbl') {
      this.#flow.tables.push(new WordTable())
      this.#flow.rows.push([])
    }
    if (name === 'footnote' || name === 'endnote') {
      const mark = marks[name].get(id)
      this.#label = mark === undefined ? '' : `[${mark}] `
    }
    if (name !== 'comment') return
    const quote = quotes.get(id)?.replace(/\s+/g, ' ').trim()
    this.#label = `Comment${author && ` by ${author}`}${quote ? ` on “${quote}”` : ''}: `
  }

  #addMark(kind: 'footnote' | 'endnote', id: string, format: string): void {
    const marks = this.#sources.marks[kind]
    const mark = formattedNumber(marks.size + 1, format)
    marks.set(id, mark)
    this.#write(`[${mark}]`)
  }

  #noteAltText(attributes: Record<string, string>): void {
    this.#later.push(() => addAltText(attributes, this.#text))
  }

  #write(words: string): void {
    this.#flow.line += words
    const { quotes } = this.#sources
    for (const id of this.#ranges)
      quotes.set(id, `${quotes.get(id) ?? ''}${words}`.slice(0, max_quote_length))
  }

  #endParagraph(end = '\n\n'): void {
    this.#fields.endParagraph()
    const flow = this.#flow
    if (flow.join !== undefined) {
      flow.line += flow.join
      flow.join = undefined
      return
    }
    const words = flow.line.trim()
    const number = this.#sources.numbering.next(flow.place)
    const line = number === '' ? words : `${number} ${words}`
    flow.line = ''
    flow.place = {}
    const table = flow.tables.at(-1)
    // The cells of a column with numbers are empty. Elsewhere, such a paragraph says nothing.
    if (table) table.addParagraph(/[\p{L}\p{N}]/u.test(line) ? line : words)
    else if (this.#flows.length > 1) this.#later.push(() => this.#add(words, line, end))
    else {
      this.#add(words, line, end)
      this.#addLater()
    }
  }

  #add(words: string, line: string, end: string): void {
    if (words === '') return
    this.#parts?.beforeText(line)
    this.#text.addLabel(this.#label)
    this.#label = ''
    this.#text.add(`${line}${end}`)
  }

  #addLater(): void {
    const later = this.#later
    this.#later = []
    for (const add of later) add()
  }

  #endBox(): void {
    this.#flow.join = undefined
    this.#endParagraph()
    if (this.#flows.length > 1) this.#flows.pop()
  }

  #endRow(): void {
    const { tables, rows } = this.#flow
    const row = tables.at(-1)?.takeRow() ?? []
    if (this.#flows.length > 1 || tables.length !== 1) {
      rows.at(-1)?.push(row)
      return
    }
    this.#parts?.beforeText(row.map(({ words }) => words).join(' '))
    this.#text.addLabel(this.#label)
    this.#label = ''
    this.#table ??= new TableText(this.#text)
    addRow(row, this.#table)
    this.#addLater()
  }

  #endTable(): void {
    const { tables, rows } = this.#flow
    tables.pop()
    const left = rows.pop() ?? []
    if (this.#flows.length > 1 || tables.length > 0) {
      this.#later.push(() => {
        addRows(left, this.#text, this.#table === undefined)
        this.#text.add('\n')
      })
      return
    }
    this.#table?.end()
    this.#table = undefined
    this.#text.add('\n')
    this.#addLater()
  }

  #addChunk(id: string): void {
    const chunk = this.#sources.chunks.get(id)
    if (chunk === undefined) return
    this.#text.begin()
    if (typeof chunk === 'string') {
      this.#text.noteFault(chunk)
    } else {
      const from = this.#text.length
      this.#text.add(`${chunk.text}\n\n`)
      for (const table of chunk.tables)
        this.#text.noteTable({ ...table, from: table.from + from, to: table.to + from })
      const { of, seen, why } = chunk.reading
      if (seen < of) this.#text.noteFault(`is in part unread (${why})`)
    }
    this.#text.begin()
  }
}

/** Notes have types for the lines above them. */
function isLeftOut(name: string, { type = 'normal' }: Record<string, string>): boolean {
  const is_note = name === 'footnote' || name === 'endnote'
  return left_out.has(name) || (is_note && type !== 'normal')
}

function newFlow(): Flow {
  return { line: '', place: {}, join: undefined, tables: [], rows: [] }
}
