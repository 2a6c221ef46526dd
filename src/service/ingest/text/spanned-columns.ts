/** HTML's own limits (4.9.11). */
const max_columns_spanned = 1_000
const max_rows_spanned = 65_534
/** Columns in which cells can reach into the next row. More would make a hostile table slow. */
const max_reached_columns = 1_000

/** As HTML writes them. */
export interface Spans {
  colspan?: string
  rowspan?: string
}

/** Finds the column of each cell of a table: cells of rows above may reach into a row. */
export class SpannedColumns {
  #row = 0
  #column = 0
  /** For each column, the first row that the cell above does not reach. */
  readonly #reached: number[] = []

  /** The column of the next cell of the row, which counts from 0. */
  place({ colspan, rowspan }: Spans): number {
    while ((this.#reached[this.#column] ?? 0) > this.#row) this.#column++
    const from = this.#column
    this.#column += spanned(colspan, max_columns_spanned)
    const reached = this.#row + spanned(rowspan, max_rows_spanned)
    const to = Math.min(this.#column, max_reached_columns)
    for (let at = from; at < to; at++) this.#reached[at] = reached
    return from
  }

  /** Passes over columns of the row that have no cells of their own. */
  pass(count: number): void {
    this.#column += count
  }

  /** No cell reaches into another group of rows. */
  endGroup(): void {
    this.#reached.length = 0
  }

  beginRow(): void {
    this.#row++
    this.#column = 0
  }
}

/** `0` as rows means all rows to the end of the group. */
function spanned(written: string | undefined, max: number): number {
  const number = Number.parseInt(written ?? '1', 10)
  if (number === 0 && max === max_rows_spanned) return max
  return number >= 1 ? Math.min(number, max) : 1
}
