import type { DocumentText } from './document-text.ts'

/**
 * Blank columns in a row that are written. A value far to the right would make millions of tabs.
 */
const max_blank_columns = 64

/**
 * Writes a table into a document: a line for each row, with a tab between the columns, so that each
 * cell stands under its header. Rows without text are left out.
 */
export class TableText {
  readonly #text: DocumentText
  readonly #from: number
  #header: string | undefined
  #row: string[] = []

  constructor(text: DocumentText) {
    this.#text = text
    this.#from = text.length
  }

  /** Adds to a cell of the present row. `column` counts from 0. */
  put(column: number, words: string): void {
    const cell = words.replace(/\s+/g, ' ').trim()
    if (cell !== '') this.#row[column] = `${this.#row[column] ?? ''} ${cell}`.trimStart()
  }

  /** `is_hidden`: then a remark stands behind the row, none of the document's own words. */
  endRow(is_hidden = false): void {
    let before = -1
    let line = ''
    let cells = 0
    // Only what was put: a span may have moved the last column to ten million.
    for (const [at, cell] of Object.entries(this.#row)) {
      const column = Number(at)
      const blanks = Math.min(column - before - 1, max_blank_columns)
      line += '\t'.repeat(before < 0 ? blanks : blanks + 1) + cell
      before = column
      cells++
    }
    this.#row = []
    if (cells === 0) return
    // A title above the table stands alone in its row.
    if (cells > 1) this.#header ??= line
    this.#text.add(line)
    this.#text.addLabel(is_hidden ? '\t(hidden row)\n' : '\n')
  }

  /** Ends the table, so that each passage of it has the header row. */
  end(): void {
    if (this.#row.length > 0) this.endRow()
    if (this.#header === undefined) return
    this.#text.noteTable({ from: this.#from, to: this.#text.length, header: this.#header })
  }
}
