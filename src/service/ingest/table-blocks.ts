import type { DocumentText, Table } from './document-text.ts'
import { beginsAnew, type FilledRow, type FoundHeader, findHeader } from './table-header.ts'

/** Rows of a block that decide which of them is its header. Below, a table has only data. */
const max_sample_rows = 12

/** More blank rows say nothing more. */
export const max_gap = 2

/** Rows of a sheet that stand together. */
interface Block {
  from: number
  /** Blank rows above. */
  gap: number
  /** The first ones. */
  rows: FilledRow[]
  lines: string[]
}

/**
 * Finds the tables among the rows of a table or a sheet, and notes each with its header, so that
 * each passage of it begins with the header. A sheet can have several, one below the other.
 */
export class TableBlocks {
  readonly #text: DocumentText
  #block: Block
  #before: FilledRow = []
  #gap = 0
  #table: Table | undefined
  /** The columns of its header. */
  #columns: ReadonlySet<number> = new Set()

  constructor(text: DocumentText) {
    this.#text = text
    this.#block = { from: text.length, gap: 0, rows: [], lines: [] }
  }

  addBlank(): void {
    this.#gap++
  }

  /** Call this before the line of the row is written. */
  add(row: FilledRow, line: string): void {
    if (this.#canEnd && (this.#gap > 0 || beginsAnew(row, this.#before))) {
      this.#endBlock()
      this.#block = { from: this.#text.length, gap: this.#gap, rows: [], lines: [] }
    }
    this.#gap = 0
    this.#before = row
    if (this.#block.rows.length === max_sample_rows) return
    this.#block.rows.push(row)
    this.#block.lines.push(line)
  }

  end(): void {
    this.#endBlock()
    if (this.#table) this.#text.noteTable(this.#table)
  }

  /** A title and a header can stand apart from the rows below. */
  get #canEnd(): boolean {
    const { rows } = this.#block
    const can_be_table = rows.filter(({ length }) => length > 1).length > 1
    return this.#text.unit === 'sheet' && (this.#table !== undefined || can_be_table)
  }

  #endBlock(): void {
    const { from, rows, lines } = this.#block
    if (!rows.some(({ length }) => length > 1)) return
    const found = findHeader(rows)
    if (this.#table && !(found && this.#isNew(found))) {
      this.#table.to = this.#text.length
      return
    }
    if (this.#table) this.#text.noteTable(this.#table)
    const header = found ? lines.slice(found.from, found.to).join('\n') : ''
    const columns = found ? rows.slice(found.from, found.to).flat() : []
    this.#columns = new Set(columns.map(({ column }) => column))
    this.#table = { from, to: this.#text.length, header }
  }

  /**
   * Whether a block is a table of its own. Rows of words below a blank row can also belong to the
   * table above, if they stand in its columns.
   */
  #isNew({ from, is_sure }: FoundHeader): boolean {
    const { gap, rows } = this.#block
    if (is_sure) return true
    const columns = rows[from]!.map(({ column }) => column)
    const is_other =
      columns.length !== this.#columns.size || columns.some((column) => !this.#columns.has(column))
    return gap >= max_gap || (gap > 0 && (from > 0 || is_other))
  }
}
