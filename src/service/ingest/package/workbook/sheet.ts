import type { DocumentText } from '../../document-text.ts'
import { TableText } from '../../table-text.ts'
import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'
import { numberText } from './number-text.ts'
import { RichText } from './shared-strings.ts'

/** What the cells of all sheets of a workbook refer to. */
export interface CellSources {
  strings: readonly string[]
  /** Format codes by style. */
  styles: readonly (string | undefined)[]
  is_mac: boolean
}

/** Adds the rows of a sheet, each cell under its column. */
export async function addSheet(
  archive: Archive,
  part: string,
  sources: CellSources,
  text: DocumentText,
): Promise<void> {
  const rows = new SheetRows(sources, new TableText(text))
  await walkXml(archive.stream(part), {
    open: (name, attributes) => rows.open(name, attributes),
    text: (piece) => rows.text(piece),
    close: (name) => rows.close(name),
  })
  rows.end()
}

class SheetRows {
  readonly #sources: CellSources
  readonly #table: TableText
  readonly #inline = new RichText()
  /** The column of the present cell. Cells without a reference follow one another. */
  #column = -1
  #type = 'n'
  #style = 0
  #value = ''
  #is_value = false
  #is_hidden = false

  constructor(sources: CellSources, table: TableText) {
    this.#sources = sources
    this.#table = table
  }

  open(name: string, { r, t = 'n', s = '0', hidden }: Record<string, string>): void {
    this.#inline.listener.open(name)
    this.#is_value = name === 'v'
    if (name === 'row') {
      this.#column = -1
      this.#is_hidden = hidden === '1' || hidden === 'true'
    }
    if (name !== 'c') return
    this.#column = columnOf(r) ?? this.#column + 1
    this.#type = t
    this.#style = Number(s)
    this.#value = ''
  }

  text(piece: string): void {
    this.#inline.listener.text(piece)
    if (this.#is_value) this.#value += piece
  }

  close(name: string): void {
    this.#inline.listener.close(name)
    this.#is_value = false
    if (name === 'c') this.#table.put(this.#column, this.#cellText())
    if (name !== 'row') return
    if (this.#is_hidden) this.#table.mark(hidden_row)
    this.#table.endRow()
  }

  end(): void {
    this.#table.end()
  }

  #cellText(): string {
    const inline = this.#inline.take()
    const { strings, styles, is_mac } = this.#sources
    switch (this.#type) {
      case 's':
        return strings[Number(this.#value)] ?? ''
      case 'inlineStr':
        return inline
      case 'b':
        return this.#value === '1' || this.#value === 'true' ? 'TRUE' : 'FALSE'
      case 'n':
        return this.#value === '' ? inline : numberText(this.#value, styles[this.#style], is_mac)
      default:
        return this.#value
    }
  }
}

const hidden_row = '(hidden row)'

/** `B7` is column 1. Undefined without a reference. */
function columnOf(reference = ''): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/i.exec(reference)?.[1]?.toUpperCase()
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
