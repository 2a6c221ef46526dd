import type { DocumentText } from '../document-text.ts'
import { addBlocks, type Block, type Cell, type Row, TableRows } from '../table-rows.ts'
import { SpannedColumns } from './spanned-columns.ts'

/** A text that runs by itself: that of the document, of a text box, or of a note. */
interface Flow {
  label: string
  /** It stands behind the paragraph or table that it is in. */
  is_apart: boolean
  /** The open paragraph. */
  line: string
  /** These are kept apart, because reading in a text that grows costs a copy of it. */
  ends_blank: boolean
  has_words: boolean
  /** Of the open paragraph, if it is a heading. */
  level: number | undefined
  /** Line ends before the next paragraph. */
  gap: number
  blocks: Block[]
  /** Those that are open, from the outside. */
  tables: OpenTable[]
}

export interface OpenTable {
  columns: SpannedColumns
  /** Those so far. Rows of a table in no other one and in no aside are written as they end. */
  rows: Row[] | TableRows
  /** Of the open row. */
  cells: Cell[] | undefined
  /** The open row is left out. */
  is_dropped: boolean
  cell: Cell | undefined
}

/** Puts paragraphs and tables where they belong: into the document, an open cell, or an aside. */
export class FlowOutput {
  readonly #text: DocumentText
  /** From the outside. */
  readonly #flows: Flow[] = [newFlow('', false, 2)]
  readonly #asides: { label: string; blocks: readonly Block[] }[] = []

  constructor(text: DocumentText) {
    this.#text = text
  }

  /** The innermost text. */
  get flow(): Flow {
    return this.#flows.at(-1)!
  }

  get is_in_aside(): boolean {
    return this.#flows.length > 1
  }

  add(words: string): void {
    const { flow } = this
    flow.line += words
    flow.has_words ||= /\S/.test(words)
    if (words !== '') flow.ends_blank = /\s$/.test(words)
  }

  addBefore(words: string): void {
    this.flow.line = words + this.flow.line
    this.flow.has_words ||= /\S/.test(words)
  }

  beginAside(label: string, is_apart: boolean): void {
    this.#flows.push(newFlow(label, is_apart))
  }

  endAside(): void {
    const { label, is_apart, blocks } = this.#flows.pop()!
    if (is_apart && blocks.length > 0) this.keepAside(label, blocks)
    if (is_apart) return
    for (const block of blocks) this.#put(block)
    this.break(2)
  }

  /** Keeps a text that stands behind the open paragraph or table. */
  keepAside(label: string, blocks: readonly Block[]): void {
    this.#asides.push({ label, blocks })
  }

  /** Ends a paragraph, with `gap` line ends before the next one. */
  break(gap: 1 | 2): void {
    const { flow } = this
    const content = flow.line.replace(/ \n/g, '\n').trim()
    flow.line = ''
    flow.ends_blank = true
    flow.has_words = false
    if (content !== '') {
      this.#put({ content, gap: flow.gap }, flow.level)
      flow.level = undefined
    }
    flow.gap = Math.max(flow.gap, gap)
    this.#writeAsides()
  }

  beginTable(): void {
    this.break(2)
    const { tables } = this.flow
    const is_written = !this.is_in_aside && tables.length === 0
    if (is_written) this.#writeLabel('')
    const rows = is_written ? new TableRows(this.#text) : []
    tables.push({
      columns: new SpannedColumns(),
      rows,
      cells: undefined,
      is_dropped: false,
      cell: undefined,
    })
  }

  endTable(): void {
    const { flow } = this
    const rows = flow.tables.pop()?.rows ?? []
    if (rows instanceof TableRows) {
      rows.end()
      flow.gap = 1
    } else if (rows.length > 0) this.#put({ content: rows, gap: 1 })
    this.#writeAsides()
  }

  /** Writes a text behind a label, which is no word of the document's own. */
  writeAside(label: string, blocks: readonly Block[]): void {
    this.#writeLabel(label)
    addBlocks(blocks, this.#text)
    this.flow.gap = blocks.length > 0 ? 1 : 2
  }

  #put(block: Block, level?: number): void {
    const { flow } = this
    const cell = flow.tables.findLast((table) => table.cell)?.cell
    if (cell) cell.blocks.push(block)
    else if (this.is_in_aside) flow.blocks.push(block)
    else this.#write(block, level)
    flow.gap = 0
  }

  #write({ content, gap }: Block, level: number | undefined): void {
    const { flow } = this
    flow.gap = Math.max(flow.gap, gap)
    const is_in_table = flow.tables.length > 0
    if (!is_in_table) this.#writeLabel('')
    if (!is_in_table && typeof content === 'string') {
      if (level !== undefined) this.#text.places.noteHeading(this.#text.length, level, content)
      this.#text.add(content)
    } else addBlocks([{ content, gap: is_in_table ? 0 : gap }], this.#text)
  }

  #writeAsides(): void {
    if (this.is_in_aside || this.flow.tables.length > 0) return
    for (const { label, blocks } of this.#asides.splice(0)) this.writeAside(label, blocks)
  }

  /** Writes the line ends before a text, and its label. */
  #writeLabel(words: string): void {
    const gap = this.#text.length === 0 ? '' : '\n'.repeat(this.flow.gap)
    this.#text.addLabel(gap + words)
    this.flow.gap = 0
  }
}

function newFlow(label: string, is_apart: boolean, gap = 0): Flow {
  const open = { line: '', ends_blank: true, has_words: false, level: undefined }
  return { label, is_apart, ...open, gap, blocks: [], tables: [] }
}
