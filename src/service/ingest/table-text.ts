import type { DocumentText } from './document-text.ts'
import { TableBlocks } from './table-blocks.ts'

/** More blank columns in a row are written only while a table has few of them. */
const max_blank_columns = 64
/**
 * The blank columns of all wider gaps of a table that are written. Values far to the right would
 * make millions of tabs, so the others stand behind the letters of their column.
 */
const max_far_columns = 65_536

/** No program has more. */
const max_sheet_columns = 16_384

/**
 * Writes a table into a document: a line for each row, with a tab between the columns, so that each
 * cell stands under its header. Rows without text are left out.
 */
export class TableText {
  readonly #text: DocumentText
  readonly #blocks: TableBlocks
  #row: string[] = []
  #far_columns = max_far_columns
  readonly #hidden_columns = new Set<number>()
  /** Those that have cells. */
  readonly #hidden_found = new Set<number>()

  constructor(text: DocumentText) {
    this.#text = text
    this.#blocks = new TableBlocks(text)
  }

  /** Adds to a cell of the present row. `column` counts from 0. */
  put(column: number, words: string): void {
    const cell = words.replace(/\s+/g, ' ').trim()
    if (cell !== '') this.#row[column] = `${this.#row[column] ?? ''} ${cell}`.trimStart()
  }

  /** Marks columns that the document does not show. `to` is behind the last one. */
  hideColumns(from: number, to: number): void {
    for (let at = from; at < to && at < max_sheet_columns; at++) this.#hidden_columns.add(at)
  }

  /**
   * `remark` stands behind the row; it is none of the document's own words. `number`: of the row in
   * its sheet, from 1.
   */
  endRow(remark = '', number?: number): void {
    let next = 0
    let line = ''
    const cells: { column: number; words: string }[] = []
    // Only what was put: a span may have moved the last column to ten million.
    for (const [at, words] of Object.entries(this.#row)) {
      const column = Number(at)
      line += (cells.length > 0 ? '\t' : '') + this.#blanks(column, column - next) + words
      next = column + 1
      cells.push({ column, words })
      if (this.#hidden_columns.has(column)) this.#hidden_found.add(column)
    }
    this.#row = []
    if (cells.length === 0) {
      this.#blocks.addBlank()
      return
    }
    this.#blocks.add(cells, line)
    if (number !== undefined) this.#text.places.noteRow(this.#text.length, number)
    this.#text.add(line)
    this.#text.addLabel(remark === '' ? '\n' : `\t(${remark})\n`)
  }

  /** Ends the table, so that each passage of it has the header row. */
  end(): void {
    if (this.#row.length > 0) this.endRow()
    if (this.#hidden_found.size > 0) {
      const letters = [...this.#hidden_found].sort((a, b) => a - b).map(lettersOf)
      this.#text.addLabel(`(hidden columns: ${letters.join(', ')})\n`)
    }
    this.#blocks.end()
  }

  #blanks(column: number, count: number): string {
    if (count > max_blank_columns) {
      if (count > this.#far_columns) return `\t${lettersOf(column)}: `
      this.#far_columns -= count
    }
    return '\t'.repeat(count)
  }
}

/** Column 27 is `AB`. */
export function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : `${lettersOf(Math.floor(column / 26) - 1)}${last}`
}
