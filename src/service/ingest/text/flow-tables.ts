import { TableRows } from '../table-rows.ts'
import type { FlowOutput, OpenTable } from './flow-output.ts'
import type { Spans } from './spanned-columns.ts'

/** Deeper tables are read as running text. Each level costs a copy of the text. */
const max_depth = 8
/**
 * A cell or a row can stand for many equal ones. More copies say nothing, and a few bytes could
 * make gigabytes.
 */
const max_repeated_rows = 256
const max_repeated_cells = 1_024

/** The tables of a running text. Each part of one ends the parts of it that are open. */
export class FlowTables {
  readonly #output: FlowOutput
  #depth = 0

  constructor(output: FlowOutput) {
    this.#output = output
  }

  get is_open(): boolean {
    return this.#output.flow.tables.length > 0
  }

  /** Of the open cell. Counts from 0. */
  get column(): number {
    return this.#table?.cell?.column ?? 0
  }

  begin(): void {
    if (++this.#depth <= max_depth) this.#output.beginTable()
  }

  beginRow(): void {
    this.endRow()
    const table = this.#table
    if (!table) return
    table.columns.beginRow()
    table.cells = []
  }

  endRowGroup(): void {
    this.endRow()
    this.#table?.columns.endGroup()
  }

  beginCell(spans: Spans = {}): void {
    const table = this.#table
    if (!table) {
      this.#output.add(' ')
      return
    }
    this.#output.break(1)
    table.cells ??= []
    table.cell = { column: table.columns.place(spans), blocks: [] }
    table.cells.push(table.cell)
  }

  /** Leaves out the open row. */
  dropRow(): void {
    const table = this.#table
    if (table?.cells) table.is_dropped = true
  }

  /** Marks columns of the table that are hidden. `to` is behind the last one. */
  hideColumns(from: number, to: number): void {
    const rows = this.#table?.rows
    if (rows instanceof TableRows) rows.hideColumns(from, to)
  }

  /** Passes over columns of the open row, which have no cells of their own. */
  passColumns(count: number): void {
    this.#table?.columns.pass(count)
  }

  /** Ends a cell that stands for `times` equal ones. `value` stands in it if it has no text. */
  endCell(times = 1, value = ''): void {
    const table = this.#table
    if (!table) return
    this.#output.break(1)
    if (!table.cell) return
    const { column, blocks } = table.cell
    table.cell = undefined
    table.columns.pass(times - 1)
    if (blocks.length === 0 && value !== '') blocks.push({ content: value, gap: 0 })
    const copies = blocks.length === 0 ? 1 : Math.min(times, max_repeated_cells)
    for (let at = 1; at < copies; at++) table.cells?.push({ column: column + at, blocks })
  }

  /** Ends a row that stands for `times` equal ones. `number`: of the first one in its sheet. */
  endRow(is_hidden = false, times = 1, number?: number): void {
    this.endCell()
    const table = this.#table
    if (!table?.cells) return
    const { cells } = table
    const copies = table.is_dropped ? 0 : Math.min(times, max_repeated_rows)
    table.cells = undefined
    table.is_dropped = false
    for (let at = 0; at < copies; at++) {
      const row = { cells, is_hidden, number: number === undefined ? undefined : number + at }
      if (table.rows instanceof TableRows) table.rows.add(row)
      else table.rows.push(row)
    }
  }

  end(): void {
    if (this.#depth-- > max_depth) return
    this.endRow()
    this.#output.endTable()
  }

  endAll(): void {
    while (this.is_open) this.end()
    this.#output.break(2)
  }

  /** Undefined outside of tables, and in one that is too deep. */
  get #table(): OpenTable | undefined {
    return this.#depth > max_depth ? undefined : this.#output.flow.tables.at(-1)
  }
}
