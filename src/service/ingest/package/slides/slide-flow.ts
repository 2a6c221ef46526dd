import type { DocumentText } from '../../document-text.ts'
import { TableText } from '../../table-text.ts'
import { addAltText } from '../alt-text.ts'
import { ElementPath } from '../element-path.ts'
import type { XmlListener } from '../xml.ts'
import { SlidePictures } from './slide-pictures.ts'

/** Shapes whose words each slide repeats: they are found once, and are none of the slide's own. */
const repeated = new Set(['dt', 'ftr', 'hdr'])
const shapes = new Set(['sp', 'pic', 'graphicFrame', 'bg'])
/** Elements that stand for a text; `den` is the lower part of a fraction. */
const opens: Readonly<Record<string, string>> = { br: '\n', tab: '\t', den: '/' }

/** Adds the words of a slide or of speaker notes, and notes the pictures of a slide. */
export class SlideFlow implements XmlListener {
  readonly #text: DocumentText
  readonly #pictures: SlidePictures
  readonly #is_notes: boolean
  readonly #repeated: Set<string>
  readonly #path = new ElementPath()
  #line = ''
  /** The kind of placeholder that the present shape is. */
  #placeholder = ''
  #has_picture = false
  #has_words = false
  #table: { text: TableText; column: number; cell: string } | undefined

  /**
   * `repeated_words`: headers, footers and dates of the slides before. `slide_emu2`: undefined for
   * speaker notes.
   */
  constructor(text: DocumentText, repeated_words: Set<string>, slide_emu2?: number) {
    this.#text = text
    this.#repeated = repeated_words
    this.#is_notes = slide_emu2 === undefined
    this.#pictures = new SlidePictures(text, slide_emu2 ?? Number.POSITIVE_INFINITY)
  }

  open(name: string, attributes: Record<string, string>): void {
    const parent = this.#path.last
    if (!this.#path.open(name)) return
    // The number of a slide is none of its words.
    if (name === 'fld' && attributes.type === 'slidenum') {
      this.#path.leaveOut()
      return
    }
    this.#pictures.open(name, parent, attributes)
    if (shapes.has(name)) {
      this.#placeholder = ''
      this.#has_picture = name === 'pic'
    }
    // A shape, a cell or a background can be filled with a picture.
    if (name === 'blipFill') this.#has_picture = true
    if (name === 'ph') this.#placeholder = attributes.type ?? ''
    // A tab in a list of tabs is a tab stop.
    if (Object.hasOwn(opens, name) && parent !== 'tabLst') this.#line += opens[name]!
    if (name === 'cNvPr' && !this.#is_notes) addAltText(attributes, this.#text)
    if (name === 'sld' && /^(0|false)$/.test(attributes.show ?? ''))
      this.#text.addLabel('(hidden slide)\n')
    if (name === 'tbl') this.#table = { text: new TableText(this.#text), column: 0, cell: '' }
  }

  text(piece: string): void {
    if (this.#path.isTextOf('t')) this.#line += piece
  }

  close(name: string): void {
    if (!this.#path.close(name)) return
    if (name === 'p') this.#endParagraph()
    if (this.#table) this.#closeTable(name, this.#table)
    if (name === 'grpSp') this.#pictures.closeGroup()
    if (!shapes.has(name)) return
    if (this.#has_picture) this.#pictures.note()
    this.#placeholder = ''
    this.#has_picture = false
  }

  end(): void {
    this.#endParagraph('')
    if (!this.#is_notes) this.#pictures.end(this.#has_words)
  }

  #endParagraph(end = '\n'): void {
    const words = this.#line.trim()
    this.#line = ''
    if (this.#table) {
      this.#table.cell += `${words}\n`
      return
    }
    if (words === '' || this.#placeholder === 'sldNum') return
    if (repeated.has(this.#placeholder)) {
      if (!this.#repeated.has(words)) this.#text.addLabel(`${words}${end}`)
      this.#repeated.add(words)
      return
    }
    if (this.#is_notes && !this.#has_words) this.#text.addLabel('Notes:\n')
    this.#has_words = true
    this.#text.add(`${words}${end}`)
  }

  #closeTable(name: string, table: { text: TableText; column: number; cell: string }): void {
    if (name === 'tc') {
      // Cells that others cover are there, too, so each cell has its own column.
      table.text.put(table.column++, table.cell)
      this.#has_words ||= table.cell.trim() !== ''
      table.cell = ''
    }
    if (name === 'tr') {
      table.text.endRow()
      table.column = 0
    }
    if (name !== 'tbl') return
    table.text.end()
    this.#table = undefined
  }
}
