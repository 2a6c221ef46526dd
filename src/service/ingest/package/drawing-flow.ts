import type { DocumentText } from '../document-text.ts'
import { addAltText } from '../text/alt-text.ts'
import { FlowText } from '../text/flow-text.ts'
import type { SlidePictures } from './slides/slide-pictures.ts'
import type { XmlAttributes, XmlListener } from './xml.ts'

/** Tab stops, and the numbers of charts, but for those that name a category. */
const left_out = new Set(['tabLst', 'numCache', 'numLit', 'numDim'])
/** Shapes whose words each slide repeats: they are found once, and are none of the slide's own. */
const repeated = new Set(['dt', 'ftr', 'hdr'])
const shapes = new Set(['sp', 'pic', 'graphicFrame', 'bg'])
/** Text of shapes, and names of the series and categories of charts. */
const texts = new Set(['t', 'v', 'pt'])
/** Elements that end a line: `pt` and `tx` are of charts. */
const lines = new Set(['p', 'pt', 'tx'])
/** Elements that stand for a text; `den` is the lower part of a fraction. */
const opens = new Map([
  ['br', '\n'],
  ['tab', '\t'],
  ['den', '/'],
])

interface SlideSources {
  /** Headers, footers and dates of the slides before. */
  repeated?: Set<string>
  /** Undefined where pictures do not count, as in speaker notes. */
  pictures?: SlidePictures
  /** Stands before the words, such as `Notes:`. */
  label?: string
}

/** Adds the words of DrawingML: of a slide, its speaker notes, a drawing, a chart or SmartArt. */
export class DrawingFlow implements XmlListener {
  readonly #flow: FlowText
  readonly #pictures: SlidePictures | undefined
  readonly #repeated: Set<string>
  /** The kind of placeholder that the present shape is. */
  #placeholder = ''
  /** Words of a shape whose words each slide repeats. */
  #margin = ''
  #has_picture = false
  /** In the names of the categories of a chart, which can be years. */
  #is_category = false

  constructor(text: DocumentText, sources: SlideSources = {}) {
    this.#flow = new FlowText(text)
    this.#pictures = sources.pictures
    this.#repeated = sources.repeated ?? new Set()
    if (sources.label) this.#flow.beginAside(sources.label, true)
  }

  open(name: string, attributes: XmlAttributes, parent: string): boolean {
    // The number of a slide is none of its words.
    if (name === 'cat') this.#is_category = true
    const is_left_out = left_out.has(name) && !(this.#is_category && name === 'numCache')
    // A date is a number that only its sheet shows as one.
    const is_date = name === 'pt' && parent === 'numCache' && !this.#is_category
    if (is_left_out || is_date || (name === 'fld' && attributes.type === 'slidenum')) return false
    this.#pictures?.open(name, parent, attributes)
    if (shapes.has(name)) {
      this.#placeholder = ''
      this.#has_picture = name === 'pic'
    }
    // A shape, a cell or a background can be filled with a picture.
    if (name === 'blipFill') this.#has_picture = true
    if (name === 'ph') this.#placeholder = attributes.type ?? ''
    this.#flow.add(opens.get(name) ?? '')
    if (name === 'cNvPr' && this.#pictures)
      addAltText([attributes.title, attributes.descr], this.#flow)
    if (name === 'sld' && /^(0|false)$/.test(attributes.show ?? ''))
      this.#flow.addLabel('(hidden slide)')
    if (name === 'tbl') this.#flow.tables.begin()
    if (name === 'tr') this.#flow.tables.beginRow()
    // Cells that others cover are there, too, so each cell has its own column.
    if (name === 'tc') this.#flow.tables.beginCell()
    return true
  }

  text(piece: string, name: string): void {
    if (name === 'formatCode') this.#is_category = /^(general|0)$/i.test(piece)
    if (!texts.has(name) || this.#placeholder === 'sldNum') return
    if (repeated.has(this.#placeholder)) this.#margin += piece
    else this.#flow.add(piece)
  }

  close(name: string): void {
    if (name === 'cat') this.#is_category = false
    if (lines.has(name)) this.#endLine()
    if (name === 'tc') this.#flow.tables.endCell()
    if (name === 'tr') this.#flow.tables.endRow()
    if (name === 'tbl') this.#flow.tables.end()
    if (name === 'grpSp') this.#pictures?.closeGroup()
    if (!shapes.has(name)) return
    if (this.#has_picture) this.#pictures?.note()
    this.#placeholder = ''
    this.#has_picture = false
  }

  end(): void {
    this.#flow.end()
  }

  #endLine(): void {
    const margin = this.#margin.trim()
    this.#margin = ''
    if (margin !== '' && !this.#repeated.has(margin)) this.#flow.addLabel(margin)
    this.#repeated.add(margin)
    this.#flow.break(1)
  }
}
