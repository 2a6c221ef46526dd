import type { DocumentText } from '../../document-text.ts'
import { FlowText, max_table_depth } from '../../text/flow-text.ts'
import { type FrameSources, OpenFrames } from './open-frames.ts'
import type { OpenLists } from './open-lists.ts'
import { OpenTable } from './open-table.ts'

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
  ...['content-validations', 'dde-links', 'styles', 'master-styles', 'font-face-decls'],
])
/** Elements with a text that is in no paragraph: alternative texts, footers of slides. */
const titles = new Set(['title', 'desc', 'header-decl', 'footer-decl'])
/** Shapes with a text of their own. In a paragraph it would part the sentence. */
const boxes = new Set([
  ...['text-box', 'custom-shape', 'rect', 'circle', 'ellipse', 'caption', 'polygon', 'polyline'],
  ...['path', 'line', 'connector', 'measure'],
])
/** A sheet of another file, kept for the formulas that use it. */
const external_sheet = /^'?(file|https?):/
/** A paragraph has at most so many spaces in a row. */
const max_spaces = 100

/** Hears the body of an OpenDocument file, and writes it into a document (ODF 1.3 part 3). */
export class OpenBody {
  readonly #text: DocumentText
  readonly #sources: OpenSources
  #flow: FlowText
  readonly #frames: OpenFrames
  readonly #tables: OpenTable[] = []
  #table_depth = 0
  readonly #hidden_styles = new Set<string>()
  #style = ''
  #skip_depth = 0
  #is_external = false
  #form_depth = 0
  /** How deep in paragraphs and titles. An aside begins anew: what is around it is none of it. */
  #depth = 0
  readonly #outer_depths: number[] = []
  /** The mark of the note that is open, while it is read. */
  #citation: string | undefined
  #mark = ''

  constructor(text: DocumentText, sources: OpenSources) {
    this.#text = text
    this.#sources = sources
    this.#flow = new FlowText(text)
    this.#frames = new OpenFrames(text, sources)
  }

  open(name: string, attributes: Record<string, string>): void {
    const is_external = name === 'table' && external_sheet.test(attributes.name ?? '')
    if (is_external) this.#is_external = true
    if (is_external || skipped.has(name)) this.#skip_depth++
    if (this.#skip_depth > 0) return
    this.#noteStyle(name, attributes)
    this.#openTable(name, attributes)
    this.#openAside(name)
    if (name === 'page') this.#beginPage(attributes)
    if (name === 'forms') this.#form_depth++
    if (this.#form_depth > 0) this.#addFormValue(attributes)
    const words = this.#frames.open(name, attributes)
    if (words !== '') this.#flow.add(` ${words} `)
    this.#sources.lists.open(name, attributes)
    if (name === 'p' || name === 'h') this.#beginParagraph(name, attributes)
    if (titles.has(name)) this.#depth++
    if (titles.has(name)) this.#flow.add(' ')
    if (name === 'tab') this.#flow.add('\t')
    if (name === 's')
      this.#flow.add(' '.repeat(Math.min(Number(attributes.c ?? 1) || 1, max_spaces)))
    if (name === 'line-break') this.#flow.add('\n')
    if (name === 'note-citation') this.#citation = ''
  }

  text(piece: string): void {
    if (this.#skip_depth > 0) return
    if (this.#citation !== undefined) this.#citation += piece
    else if (this.#depth > 0) this.#flow.add(piece.replace(/\s+/g, ' '))
  }

  close(name: string): void {
    const is_external = name === 'table' && this.#is_external
    if (is_external) this.#is_external = false
    if (is_external || skipped.has(name)) {
      this.#skip_depth--
      return
    }
    if (this.#skip_depth > 0) return
    if (name === 'note-citation') this.#endCitation()
    if (titles.has(name)) this.#endTitle()
    if (name === 'p' || name === 'h') this.#endParagraph()
    if (boxes.has(name) || name === 'note-body' || name === 'annotation') this.#endAside()
    if (name === 'forms') this.#form_depth--
    this.#frames.close(name)
    this.#sources.lists.close(name)
    this.#closeTable(name)
  }

  end(): void {
    this.#flow.end()
  }

  #beginParagraph(name: string, attributes: Record<string, string>): void {
    this.#depth++
    if (!this.#isAside()) this.#flow.add(this.#sources.lists.numberOf(name, attributes))
  }

  #endParagraph(): void {
    if (this.#depth > 0) this.#depth--
    this.#flow.break(2)
  }

  #endTitle(): void {
    this.#depth--
    if (this.#depth > 0) this.#flow.add(' ')
    else this.#flow.break(1)
  }

  #endCitation(): void {
    this.#mark = `[${this.#citation?.trim() ?? ''}]`
    this.#citation = undefined
    this.#flow.add(this.#mark)
  }

  /** Styles stand before the body. They say which sheets and slides are hidden. */
  #noteStyle(name: string, attributes: Record<string, string>): void {
    if (name === 'style') this.#style = attributes.name ?? ''
    const is_hidden =
      (name === 'table-properties' && attributes.display === 'false') ||
      (name === 'drawing-page-properties' && attributes.visibility === 'hidden')
    if (is_hidden) this.#hidden_styles.add(this.#style)
  }

  #beginUnit(name: string, { 'style-name': style = '' }: Record<string, string>): void {
    this.#flow.end()
    if (this.#text.length > 0) this.#text.addLabel('\n\n')
    this.#text.begin()
    this.#flow = new FlowText(this.#text)
    const hidden = this.#hidden_styles.has(style) ? ` (hidden ${this.#sources.unit})` : ''
    const label = `${name}${hidden}`.trimStart()
    if (label !== '') this.#text.addLabel(`${label}\n\n`)
  }

  /** The usual name of a slide says only its number. */
  #beginPage(attributes: Record<string, string>): void {
    const { name = '' } = attributes
    this.#beginUnit(/^page\d+$/.test(name) ? '' : name, attributes)
  }

  #openTable(name: string, attributes: Record<string, string>): void {
    if (name === 'table') {
      if (this.#sources.unit === 'sheet' && this.#table_depth === 0)
        this.#beginUnit(attributes.name ?? '', attributes)
      if (++this.#table_depth > max_table_depth) return
      this.#flow.beginTable()
      this.#tables.push(new OpenTable(this.#flow))
      return
    }
    // The paragraphs of a comment are not those of its cell.
    if (this.#isAside() || this.#table_depth > max_table_depth) return
    this.#tables.at(-1)?.open(name, attributes)
  }

  #closeTable(name: string): void {
    if (name !== 'table') {
      if (this.#table_depth <= max_table_depth && !this.#isAside()) this.#tables.at(-1)?.close(name)
      return
    }
    if (--this.#table_depth >= max_table_depth) return
    this.#flow.endTable()
    this.#tables.pop()
  }

  /** Comments, notes, and text boxes stand behind the paragraph or the table they are in. */
  #openAside(name: string): void {
    const is_sheet = this.#sources.unit === 'sheet'
    if (name === 'annotation') {
      const cell = is_sheet ? this.#tables.at(-1)?.cellName : undefined
      this.#beginAside(cell === undefined ? 'Comment: ' : `Comment on ${cell}: `)
    } else if (name === 'note-body') {
      this.#beginAside(`${this.#mark} `)
    } else if (boxes.has(name)) {
      const is_apart = this.#flow.has_open_line || (is_sheet && this.#flow.is_in_table)
      if (is_apart) this.#beginAside('')
      else this.#outer_depths.push(-1)
    }
  }

  #beginAside(label: string): void {
    this.#outer_depths.push(this.#depth)
    this.#depth = 0
    this.#flow.beginAside(label)
  }

  #isAside(): boolean {
    return this.#outer_depths.some((depth) => depth >= 0)
  }

  #endAside(): void {
    const depth = this.#outer_depths.pop() ?? -1
    if (depth < 0) return
    this.#depth = depth
    this.#flow.endAside()
  }

  /** The value of a field of a form, or what stands on it. */
  #addFormValue({ label = '', 'current-value': value = '' }: Record<string, string>): void {
    for (const words of [label, value]) {
      if (words.trim() === '') continue
      this.#flow.add(words)
      this.#flow.break(1)
    }
  }
}
