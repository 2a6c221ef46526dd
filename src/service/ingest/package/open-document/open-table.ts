import type { FlowText } from '../../text/flow-text.ts'
import { cellValue } from './cell-value.ts'

/**
 * A cell or a row can stand for many equal ones. More copies say nothing, and a few bytes could
 * make gigabytes.
 */
const max_repeated = 256
const hidden_row = '(hidden row)'

/** Follows the rows and cells of one table. */
export class OpenTable {
  readonly #flow: FlowText
  #row = 0
  #column = 0
  #rows = 1
  #columns = 1
  #is_hidden = false
  #value = ''
  #is_written = false

  constructor(flow: FlowText) {
    this.#flow = flow
  }

  /** Such as `B7`. */
  get cellName(): string {
    return `${lettersOf(this.#column)}${this.#row + 1}`
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'table-row') {
      this.#flow.beginRow()
      this.#column = 0
      this.#rows = repeated(attributes['number-rows-repeated'])
      this.#is_hidden = /^(collapse|filter)$/.test(attributes.visibility ?? '')
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#flow.beginCell(this.#column)
      this.#columns = repeated(attributes['number-columns-repeated'])
      this.#value = cellValue(attributes)
      this.#is_written = false
    } else if (name === 'p' || name === 'h') {
      this.#is_written = true
    }
  }

  close(name: string): void {
    if (name === 'table-row') {
      const remark = this.#is_hidden ? hidden_row : ''
      this.#flow.endRow(remark, Math.min(this.#rows, max_repeated))
      this.#row += this.#rows
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      if (!this.#is_written) this.#flow.add(this.#value)
      this.#flow.endCell(Math.min(this.#columns, max_repeated))
      this.#column += this.#columns
    }
  }
}

function repeated(written = '1'): number {
  const number = Number.parseInt(written, 10)
  return number >= 1 ? number : 1
}

/** Column 27 is `AB`. */
function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : `${lettersOf(Math.floor(column / 26) - 1)}${last}`
}
