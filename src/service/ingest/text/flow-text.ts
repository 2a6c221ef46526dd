import type { DocumentText } from '../document-text.ts'
import { type Cell, type Row, TableRows } from '../table-rows.ts'

/** Deeper tables are read as running text. Each level costs a copy of the text. */
export const max_table_depth = 8

interface OpenTable {
  /** The rows so far of a table in a cell; those of the outermost table are written at once. */
  rows: Row[]
  row: Row | undefined
  cell: Cell | undefined
}

/**
 * Writes running text with tables in it. Readers say where paragraphs, tables, rows and cells begin
 * and end, also in a wrong order: text outside of a cell stands before its row.
 */
export class FlowText {
  readonly #text: DocumentText
  /** The open paragraph. */
  #line = ''
  /** Line ends before the next paragraph. */
  #gap = 0
  readonly #tables: OpenTable[] = []
  #written: TableRows | undefined
  readonly #asides: { label: string; words: string }[] = []
  /** Open paragraphs around an aside that is open. */
  readonly #outside: { label: string; line: string }[] = []

  constructor(text: DocumentText) {
    this.#text = text
  }

  /** A paragraph has begun, so a text box in it would part a sentence. */
  get has_open_line(): boolean {
    return this.#line.trim() !== ''
  }

  get is_in_table(): boolean {
    return this.#tables.length > 0
  }

  add(words: string): void {
    this.#line += words
  }

  /** Ends a paragraph, with `gap` line ends before the next one. */
  break(gap: 1 | 2): void {
    if (this.#outside.length > 0) {
      this.#line += '\n'
      return
    }
    if (this.#line.trim() !== '') this.#write(this.#line.replace(/ \n/g, '\n').trim())
    this.#line = ''
    this.#gap = Math.max(this.#gap, gap)
    if (!this.is_in_table) this.#writeAsides()
  }

  /** Adds a text that is found, but no word of the document's own. */
  addLabel(words: string): void {
    this.break(2)
    if (words === '') return
    this.#text.addLabel(`${this.#takeGap()}${words}`)
    this.#gap = 2
  }

  /** Begins a note: its text stands behind the paragraph, or behind the table. */
  beginAside(label: string): void {
    this.#outside.push({ label, line: this.#line })
    this.#line = ''
  }

  endAside(): void {
    const outside = this.#outside.pop()
    if (outside === undefined) return
    const words = this.#line.replace(/\s+/g, ' ').trim()
    if (words !== '') this.#asides.push({ label: outside.label, words })
    this.#line = outside.line
  }

  beginTable(): void {
    this.break(2)
    if (!this.is_in_table) {
      this.#text.addLabel(this.#takeGap())
      this.#written = new TableRows(this.#text)
    }
    this.#tables.push({ rows: [], row: undefined, cell: undefined })
  }

  beginRow(): void {
    this.endRow()
    const table = this.#tables.at(-1)
    if (table) table.row = { cells: [], remark: '' }
  }

  /** `column` counts from 0. */
  beginCell(column: number): void {
    this.break(1)
    const table = this.#tables.at(-1)
    if (!table) return
    table.row ??= { cells: [], remark: '' }
    table.cell = { column, blocks: [] }
    table.row.cells.push(table.cell)
  }

  /** Ends a cell that stands for `times` equal ones. */
  endCell(times = 1): void {
    this.break(1)
    const table = this.#tables.at(-1)
    if (!table?.cell) return
    const { column, blocks } = table.cell
    table.cell = undefined
    if (blocks.length === 0) return
    for (let at = 1; at < times; at++) table.row?.cells.push({ column: column + at, blocks })
  }

  /**
   * Ends a row that stands for `times` equal ones. `remark` stands behind it; it is none of the
   * document's own words.
   */
  endRow(remark = '', times = 1): void {
    this.endCell()
    const table = this.#tables.at(-1)
    if (!table?.row) return
    const row = { ...table.row, remark }
    table.row = undefined
    for (let at = 0; at < times; at++) {
      if (this.#tables.length > 1) table.rows.push(row)
      else this.#written?.add(row)
    }
  }

  endTable(): void {
    this.endRow()
    const table = this.#tables.pop()
    const around = this.#place()
    if (around && table && table.rows.length > 0) around.blocks.push(table.rows)
    if (this.is_in_table) return
    this.#written?.end()
    this.#written = undefined
    this.#gap = 1
    this.#writeAsides()
  }

  end(): void {
    while (this.#outside.length > 0) this.endAside()
    while (this.is_in_table) this.endTable()
    this.break(2)
  }

  /** The innermost open cell. */
  #place(): Cell | undefined {
    return this.#tables.findLast(({ cell }) => cell !== undefined)?.cell
  }

  #write(words: string): void {
    const cell = this.#place()
    const gap = this.#gap
    if (cell) cell.blocks.push({ words, gap })
    else if (this.is_in_table) this.#text.add(`${words}\n`)
    else this.#text.add(this.#takeGap() + words)
    this.#gap = 0
  }

  #writeAsides(): void {
    for (const { label, words } of this.#asides.splice(0)) {
      this.#text.addLabel(`${this.#takeGap()}${label}`)
      this.#text.add(words)
      this.#gap = 2
    }
  }

  #takeGap(): string {
    const gap = this.#has_begun ? this.#gap : 0
    this.#has_begun = true
    this.#gap = 0
    return '\n'.repeat(gap)
  }

  #has_begun = false
}
