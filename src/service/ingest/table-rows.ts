import type { DocumentText } from './document-text.ts'
import { TableText } from './table-text.ts'

/** What stands in a cell or a text box: the words of a paragraph, or the rows of a table. */
export interface Block {
  content: string | readonly Row[]
  /** Line ends before it. */
  gap: number
}

export interface Cell {
  /** Counts from 0. */
  column: number
  blocks: Block[]
}

export interface Row {
  cells: Cell[]
  is_hidden: boolean
  /** In a sheet, from 1. */
  number?: number | undefined
}

/** A cell with more paragraphs is a part of a page: people do not write so much into a table. */
const max_cell_paragraphs = 8
/** Below a header they do: lists of demands, figures of a year line by line. */
const max_cell_paragraphs_below_header = 64

const min_data_cells = 3
/** UTF-16 units. The parts of a page that a row arranges have longer texts. */
const max_short_length = 100

/**
 * Whether a row only arranges parts of a page, as rows of web pages do. `has_columns`: a row before
 * it has several cells, so the table says something by its columns.
 */
function isLayout({ cells }: Row, has_columns: boolean): boolean {
  const filled = cells.filter(({ blocks }) => blocks.length > 0)
  const max = has_columns ? max_cell_paragraphs_below_header : max_cell_paragraphs
  if (filled.some(({ blocks }) => blocks.length > max)) return true
  if (has_columns) return false
  const has_table = filled.some(({ blocks }) =>
    blocks.some(({ content }) => typeof content !== 'string'),
  )
  // Three short cells or more say something by their columns, as in a row of data.
  if (has_table) return filled.length < min_data_cells || !filled.every(isShort)
  return filled.length === 1 && filled[0]!.blocks.length > 1
}

function isShort({ blocks }: Cell): boolean {
  return blocks.length === 1 && wordsOf(blocks).length <= max_short_length
}

/** Writes a table of data row by row, and what a layout row holds as parts of the page. */
export class TableRows {
  readonly #text: DocumentText
  #table: TableText
  #has_columns = false

  constructor(text: DocumentText) {
    this.#text = text
    this.#table = new TableText(text)
  }

  hideColumns(from: number, to: number): void {
    this.#table.hideColumns(from, to)
  }

  add(row: Row): void {
    if (isLayout(row, this.#has_columns)) {
      this.end()
      for (const { blocks } of row.cells) addBlocks(blocks, this.#text)
      this.#table = new TableText(this.#text)
      this.#has_columns = false
      return
    }
    let filled = 0
    for (const { column, blocks } of row.cells) {
      if (blocks.length > 0) filled++
      this.#table.put(column, wordsOf(blocks))
    }
    this.#has_columns ||= filled > 1
    this.#table.endRow(row.is_hidden ? 'hidden row' : '', row.number)
  }

  end(): void {
    this.#table.end()
  }
}

/** Writes paragraphs and tables as parts of the document, each with a line end behind it. */
export function addBlocks(blocks: readonly Block[], text: DocumentText): void {
  for (const { content, gap } of blocks) {
    if (typeof content === 'string') {
      text.add(`${gap > 1 ? '\n' : ''}${content}\n`)
      continue
    }
    text.addLabel('\n')
    const rows = new TableRows(text)
    for (const row of content) rows.add(row)
    rows.end()
    text.addLabel('\n')
  }
}

/** A table in a cell of data: its cells with commas, its rows with semicolons between them. */
function wordsOf(blocks: readonly Block[]): string {
  return blocks
    .map(({ content }) => (typeof content === 'string' ? content : wordsOfRows(content)))
    .join(' ')
}

function wordsOfRows(rows: readonly Row[]): string {
  return rows
    .map(({ cells }) => cells.map(({ blocks }) => wordsOf(blocks)).join(', '))
    .filter((words) => /[^, ]/.test(words))
    .join('; ')
}
