import type { DocumentText } from '../../document-text.ts'
import { TableText } from '../../table-text.ts'

/** Word allows 63 columns; a cell that spans more is an error. */
const max_span = 64

/** The rows of a table, cell by cell, as Word writes them. */
export class WordTable {
  #cells: { column: number; words: string }[] = []
  #words = ''
  #column = 0
  #span = 1
  #is_deleted = false

  open(name: string, parent: string, val: string): void {
    if (name === 'tr') {
      this.#cells = []
      this.#column = 0
      this.#is_deleted = false
    }
    if (name === 'tc') {
      this.#words = ''
      this.#span = 1
    }
    if (name === 'gridBefore') this.#column = Math.min(Number(val) || 0, max_span)
    if (name === 'gridSpan') this.#span = Math.min(Math.max(Number(val) || 1, 1), max_span)
    if (name === 'del' && parent === 'trPr') this.#is_deleted = true
  }

  addParagraph(words: string): void {
    this.#words += `${words}\n`
  }

  endCell(): void {
    this.#cells.push({ column: this.#column, words: this.#words })
    this.#column += this.#span
  }

  /** The cells of the row that ends; none for a row that was deleted. */
  takeRow(): readonly { column: number; words: string }[] {
    return this.#is_deleted ? [] : this.#cells
  }
}

export type Row = ReturnType<WordTable['takeRow']>

/** Writes rows into a document; `ends` unless the table stands in another one. */
export function addRows(rows: readonly Row[], text: DocumentText, ends: boolean): void {
  const table = new TableText(text)
  for (const row of rows) addRow(row, table)
  if (ends) table.end()
}

export function addRow(row: Row, table: TableText): void {
  for (const { column, words } of row) table.put(column, words)
  table.endRow()
}
