/** In twips. Programs write one edge with small differences. */
const tolerance_twips = 60
/** Edges of a table. More would make a hostile table slow. */
const max_edges = 500

/** Finds the columns of the cells of a table: a cell can span columns that other rows have. */
export class RtfColumns {
  /** The right edges of the cells of all rows, in twips, in order. */
  readonly #grid: number[] = []
  /** Those of the present row. A row without own ones has those of the row before. */
  #edges: number[] = []
  #cell = 0
  #next = 0

  /** Before the cells of a row. Later, a table in a cell and programs write edges again. */
  beginRow(): void {
    if (this.#cell === 0) this.#edges = []
  }

  addEdge(twips: number): void {
    if (this.#cell > 0 || this.#edges.length === max_edges) return
    this.#edges.push(twips)
    const at = this.#grid.findIndex((edge) => edge > twips - tolerance_twips)
    const is_new = at < 0 || this.#grid[at]! > twips + tolerance_twips
    if (is_new && this.#grid.length < max_edges)
      this.#grid.splice(at < 0 ? this.#grid.length : at, 0, twips)
  }

  /** The column of the next cell, which counts from 0. */
  next(): number {
    const left = this.#edges[this.#cell - 1]
    const by_edge =
      left === undefined ? 0 : this.#grid.filter((edge) => edge < left + tolerance_twips).length
    const column = Math.max(by_edge, this.#next)
    this.#cell++
    this.#next = column + 1
    return column
  }

  endRow(): void {
    this.#cell = 0
    this.#next = 0
  }
}
