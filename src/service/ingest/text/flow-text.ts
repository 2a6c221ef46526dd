import type { DocumentText } from '../document-text.ts'
import { addBlocks, type Block, type Cell, type Row, TableRows } from '../table-rows.ts'
import { SpannedColumns, type Spans } from './spanned-columns.ts'

/** Deeper tables are read as running text. Each level costs a copy of the text. */
const max_table_depth = 8
/**
 * A cell or a row can stand for many equal ones. More copies say nothing, and a few bytes could
 * make gigabytes.
 */
const max_repeated = 256

interface OpenTable {
  columns: SpannedColumns
  /** The rows so far of a table in a cell; those of the outermost table are written at once. */
  rows: Row[]
  row: (Row & { is_dropped?: boolean }) | undefined
  cell: Cell | undefined
}

/** A text that runs by itself: that of the document, of a text box, or of a note. */
interface Flow {
  label: string
  /** It stands behind the paragraph or table that it is in. */
  is_apart: boolean
  /** The open paragraph. */
  line: string
  /** Kept apart, because reading the end of a text that grows costs a copy of it. */
  ends_blank: boolean
  /** Line ends before the next paragraph. */
  gap: number
  blocks: Block[]
  tables: OpenTable[]
}

/**
 * Writes running text with tables in it. Readers say where paragraphs, tables, rows and cells begin
 * and end, also in a wrong order: text outside of a cell stands before its row.
 */
export class FlowText {
  readonly #text: DocumentText
  /** From the outside. */
  readonly #flows: Flow[] = [newFlow('', false, 2)]
  #table_depth = 0
  #written: TableRows | undefined
  readonly #asides: { label: string; blocks: readonly Block[] }[] = []

  constructor(text: DocumentText) {
    this.#text = text
  }

  get has_open_line(): boolean {
    return this.#flow.line.trim() !== ''
  }

  get is_in_table(): boolean {
    return this.#flow.tables.length > 0
  }

  /** Of the open cell. Counts from 0. */
  get column(): number {
    return this.#table?.cell?.column ?? 0
  }

  add(words: string): void {
    const flow = this.#flow
    flow.line += words
    if (words !== '') flow.ends_blank = /\s$/.test(words)
  }

  /** Adds words of a file in which white space only parts them. */
  addWords(piece: string): void {
    const words = piece.replace(/\s+/g, ' ')
    this.add(this.#flow.ends_blank ? words.trimStart() : words)
  }

  /** Adds words before those of the open paragraph. */
  addBefore(words: string): void {
    this.#flow.line = words + this.#flow.line
  }

  /** Ends a paragraph, with `gap` line ends before the next one. */
  break(gap: 1 | 2): void {
    const flow = this.#flow
    const content = flow.line.replace(/ \n/g, '\n').trim()
    flow.line = ''
    flow.ends_blank = true
    if (content !== '') this.#put({ content, gap: flow.gap })
    flow.gap = Math.max(flow.gap, gap)
    this.#writeAsides()
  }

  /** Adds a text that is found, but no word of the document's own. */
  addLabel(words: string): void {
    this.break(2)
    if (words === '') return
    this.#text.addLabel(`${this.#takeGap()}${words}`)
    this.#flow.gap = 2
  }

  /** Adds such a text behind the open paragraph or table. */
  addLabelApart(label: string): void {
    this.#asides.push({ label, blocks: [] })
  }

  /**
   * Begins a note or a text box. A note stands behind the paragraph or the table that it is in, and
   * so does a box in a sentence.
   */
  beginAside(label: string, is_apart = this.has_open_line): void {
    this.#flows.push(newFlow(label, is_apart))
  }

  endAside(): void {
    if (this.#flows.length === 1) return
    this.#endTables()
    const { label, is_apart, blocks } = this.#flows.pop()!
    if (is_apart && blocks.length > 0) this.#asides.push({ label, blocks })
    if (is_apart) return
    for (const block of blocks) this.#put(block)
    this.break(2)
  }

  beginTable(): void {
    if (++this.#table_depth > max_table_depth) return
    this.break(2)
    const { tables } = this.#flow
    tables.push({ columns: new SpannedColumns(), rows: [], row: undefined, cell: undefined })
    if (!this.#is_written) return
    this.#text.addLabel(this.#takeGap())
    this.#written = new TableRows(this.#text)
  }

  beginRow(): void {
    this.endRow()
    const table = this.#table
    if (!table) return
    table.columns.beginRow()
    table.row = { cells: [], is_hidden: false }
  }

  endRowGroup(): void {
    this.endRow()
    this.#table?.columns.endGroup()
  }

  beginCell(spans: Spans = {}): void {
    const table = this.#table
    if (!table) {
      this.add(' ')
      return
    }
    this.break(1)
    table.row ??= { cells: [], is_hidden: false }
    table.cell = { column: table.columns.place(spans), blocks: [] }
    table.row.cells.push(table.cell)
  }

  /** Leaves out the open row. */
  dropRow(): void {
    const row = this.#table?.row
    if (row) row.is_dropped = true
  }

  /** Passes over columns of the open row, which have no cells of their own. */
  passColumns(count: number): void {
    this.#table?.columns.pass(count)
  }

  /** Ends a cell that stands for `times` equal ones. `value` stands in it if it has no text. */
  endCell(times = 1, value = ''): void {
    const table = this.#table
    if (!table) return
    this.break(1)
    if (!table.cell) return
    const { column, blocks } = table.cell
    table.cell = undefined
    table.columns.pass(times - 1)
    if (blocks.length === 0 && value !== '') blocks.push({ content: value, gap: 0 })
    const copies = blocks.length === 0 ? 1 : Math.min(times, max_repeated)
    for (let at = 1; at < copies; at++) table.row?.cells.push({ column: column + at, blocks })
  }

  /** Ends a row that stands for `times` equal ones. */
  endRow(is_hidden = false, times = 1): void {
    this.endCell()
    const table = this.#table
    if (!table?.row) return
    const row = { ...table.row, is_hidden }
    table.row = undefined
    const copies = row.is_dropped ? 0 : Math.min(times, max_repeated)
    for (let at = 0; at < copies; at++) {
      if (this.#is_written) this.#written?.add(row)
      else table.rows.push(row)
    }
  }

  endTable(): void {
    if (this.#table_depth-- > max_table_depth) return
    this.endRow()
    const flow = this.#flow
    const is_written = this.#is_written
    const table = flow.tables.pop()
    if (is_written) this.#written?.end()
    else if (table && table.rows.length > 0) this.#put({ content: table.rows, gap: 1 })
    if (is_written) flow.gap = 1
    this.#writeAsides()
  }

  end(): void {
    while (this.#flows.length > 1) this.endAside()
    this.#endTables()
  }

  get #flow(): Flow {
    return this.#flows.at(-1)!
  }

  /** Undefined outside of tables, and in one that is too deep. */
  get #table(): OpenTable | undefined {
    return this.#table_depth > max_table_depth ? undefined : this.#flow.tables.at(-1)
  }

  /** Rows are written as they end: those of a table in no other one and in no text box. */
  get #is_written(): boolean {
    return this.#flows.length === 1 && this.#flow.tables.length === 1
  }

  #endTables(): void {
    while (this.is_in_table) this.endTable()
    this.break(2)
  }

  #put(block: Block): void {
    const flow = this.#flow
    const cell = flow.tables.findLast((table) => table.cell)?.cell
    if (cell) cell.blocks.push(block)
    else if (this.#flows.length > 1) flow.blocks.push(block)
    else this.#write(block)
    flow.gap = 0
  }

  #write({ content, gap }: Block): void {
    const flow = this.#flow
    flow.gap = Math.max(flow.gap, gap)
    // Text outside of a cell.
    if (this.is_in_table) addBlocks([{ content, gap: 0 }], this.#text)
    else if (typeof content === 'string') this.#text.add(this.#takeGap() + content)
    else {
      this.#text.addLabel(this.#takeGap())
      addBlocks([{ content, gap }], this.#text)
    }
  }

  #writeAsides(): void {
    if (this.#flows.length > 1 || this.is_in_table) return
    for (const { label, blocks } of this.#asides.splice(0)) {
      this.#text.addLabel(`${this.#takeGap()}${label}`)
      addBlocks(blocks, this.#text)
      this.#flow.gap = blocks.length > 0 ? 1 : 2
    }
  }

  #takeGap(): string {
    const { gap } = this.#flow
    this.#flow.gap = 0
    return this.#text.length === 0 ? '' : '\n'.repeat(gap)
  }
}

function newFlow(label: string, is_apart: boolean, gap = 0): Flow {
  return { label, is_apart, line: '', ends_blank: true, gap, blocks: [], tables: [] }
}
