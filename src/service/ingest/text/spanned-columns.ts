/** HTML's own limits (4.9.11). */
const max_columns_spanned = 1_000
const max_rows_spanned = 65_534
/** Cells that reach into the next row. More would make a hostile table slow. */
const max_spans = 256

interface Span {
  /** Columns, from the first to behind the last one. */
  from: number
  to: number
  rows_left: number
}

/** As HTML writes them. */
export interface Spans {
  colspan?: string
  rowspan?: string
}

/** Finds the column of each cell of a table: cells of rows above may reach into a row. */
export class SpannedColumns {
  #column = 0
  /** Cells of rows above, from left to right, and how many of them lie before `#column`. */
  #above: Span[] = []
  #passed = 0
  #next: Span[] = []

  /** The column of the next cell of the row, which counts from 0. */
  place({ colspan, rowspan }: Spans): number {
    for (let span = this.#above[this.#passed]; span; span = this.#above[++this.#passed]) {
      if (span.from > this.#column) break
      this.#column = Math.max(this.#column, span.to)
      this.#carry(span)
    }
    const from = this.#column
    this.#column += spanned(colspan, max_columns_spanned)
    const rows_left = spanned(rowspan, max_rows_spanned)
    this.#carry({ from, to: this.#column, rows_left })
    return from
  }

  /** Passes over columns of the row that have no cells of their own. */
  pass(count: number): void {
    this.#column += count
  }

  beginRow(): void {
    for (const span of this.#above.slice(this.#passed)) this.#carry(span)
    this.#above = this.#next
    this.#next = []
    this.#passed = 0
    this.#column = 0
  }

  #carry({ from, to, rows_left }: Span): void {
    if (rows_left > 1 && this.#next.length < max_spans)
      this.#next.push({ from, to, rows_left: rows_left - 1 })
  }
}

/** `0` as rows means all rows to the end of the group, which is nearly always one. */
function spanned(written: string | undefined, max: number): number {
  const number = Number.parseInt(written ?? '1', 10)
  return number >= 1 ? Math.min(number, max) : 1
}
