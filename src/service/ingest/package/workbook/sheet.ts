import type { DocumentText } from '../../document-text.ts'
import { max_gap } from '../../table-blocks.ts'
import { TableText } from '../../table-text.ts'
import type { Archive } from '../archive.ts'
import { shownDate } from '../shown-values.ts'
import { walkXml, type XmlAttributes, type XmlListener } from '../xml.ts'
import { numberText, textByFormat } from './number-text.ts'
import { unescaped } from './shared-strings.ts'

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
  await walkXml(archive, part, new SheetRows(sources, text))
}

const margins = new Set([
  ...['oddHeader', 'evenHeader', 'firstHeader', 'oddFooter', 'evenFooter', 'firstFooter'],
])

/**
 * The words of a header or footer without the codes for its left, middle and right part, for fonts
 * and colours, and for what differs from page to page (ECMA-376, 18.3.1.46).
 */
function marginText(written: string): string {
  return written
    .replace(/&("[^"]*"|K(?:[\dA-F]{6}|\d\d[+-]\d{3})|\d+|[A-Z]|&)/gi, (_, code: string) =>
      code === '&' ? '&' : /[LCR]/i.test(code) ? ' ' : '',
    )
    .replace(/\s+/g, ' ')
    .trim()
}

class SheetRows implements XmlListener {
  readonly #sources: CellSources
  readonly #text: DocumentText
  readonly #table: TableText
  /** The column of the present cell. Cells without a reference follow one another. */
  #column = -1
  /** The number of the row before, from 1. */
  #last_row = 0
  #value = ''
  /** Of a cell without a value: some programs leave it to others to compute it. */
  #formula = ''
  /** The headers and footers of its pages, each once. */
  readonly #margins = new Set<string>()
  #margin = ''

  constructor(sources: CellSources, text: DocumentText) {
    this.#sources = sources
    this.#text = text
    this.#table = new TableText(text)
  }

  open(name: string, attributes: XmlAttributes): boolean {
    const { r } = attributes
    if (name === 'col' && isHidden(attributes, attributes.width))
      this.#table.hideColumns(Number(attributes.min) - 1, Number(attributes.max))
    if (name === 'row') this.#beginRow(Number(r ?? this.#last_row + 1))
    if (name === 'c') {
      this.#column = columnOf(r) ?? this.#column + 1
      this.#value = ''
      this.#formula = ''
    }
    if (name === 'v') this.#formula = ''
    // Readings that stand above Asian letters are left out.
    return name !== 'rPh'
  }

  /** A cell has a value, or a text of its own. */
  text(piece: string, name: string): void {
    if (name === 'v' || name === 't') this.#value += piece
    if (name === 'f') this.#formula += piece
    if (margins.has(name)) this.#margin += piece
  }

  close(name: string, attributes: XmlAttributes): void {
    if (margins.has(name)) {
      this.#margins.add(marginText(this.#margin))
      this.#margin = ''
    }
    if (name === 'c') this.#table.put(this.#column, this.#cellText(attributes))
    if (name === 'row')
      this.#table.endRow(isHidden(attributes, attributes.ht) ? 'hidden row' : '', this.#last_row)
  }

  end(): void {
    this.#table.end()
    for (const words of this.#margins) this.#text.addLabel(words && `\n${words}\n`)
  }

  /** Blank rows are left out of the file. */
  #beginRow(row: number): void {
    const blank_rows = Math.min(row - this.#last_row - 1, max_gap)
    for (let at = 0; at < blank_rows; at++) this.#table.endRow()
    this.#last_row = row
    this.#column = -1
  }

  #cellText({ t = 'n', s = '0' }: XmlAttributes): string {
    const value = this.#value
    const { strings, styles, is_mac } = this.#sources
    if (value === '') return this.#formula === '' ? '' : `=${this.#formula}`
    switch (t) {
      case 's':
        return textByFormat(strings[Number(value)] ?? this.#missingText(), styles[Number(s)])
      case 'b':
        return /^(1|true)$/.test(value) ? 'TRUE' : 'FALSE'
      case 'n':
        return numberText(value, styles[Number(s)], is_mac)
      case 'd':
        return shownDate(value)
      default:
        return textByFormat(unescaped(value), t === 'e' ? undefined : styles[Number(s)])
    }
  }

  #missingText(): string {
    this.#text.noteFault('is without some texts of cells')
    return ''
  }
}

/** A row or a column can also be hidden by its size. */
function isHidden({ hidden = '' }: XmlAttributes, size: string | undefined): boolean {
  return /^(1|true)$/.test(hidden) || (size !== undefined && Number(size) === 0)
}

/** `B7` is column 1. Undefined without a reference. */
function columnOf(reference = ''): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/i.exec(reference)?.[1]?.toUpperCase()
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
