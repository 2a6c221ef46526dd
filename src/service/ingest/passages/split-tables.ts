import type { Table } from '../document-text.ts'
import { cutLine, max_passage_length, splitLazily } from './cut-line.ts'

/** A longer header is repeated only for the cells of a passage: the rows need the space. */
const max_header_length = max_passage_length / 2
/** A longer first cell does not name its row, so it is not repeated. */
const max_key_length = 100
/** A longer name of a column is cut: the cell needs the space. */
const max_name_length = 100

/** Rows below the header that they begin with. */
interface Part {
  header: string
  rows: string
}

/** A passage of a table. `rows`: the number of the row that each of its lines is, or 0. */
export interface TablePassage {
  text: string
  rows: number[]
}

/**
 * Cuts a table into passages. Each begins with its header. What is too long for that stands in
 * smaller tables, which have some of the columns, so that each cell stands under its name.
 */
export function* splitTable(
  rows: string,
  table: Omit<Table, 'from' | 'to'>,
  numberAt: (at: number) => number,
): Generator<TablePassage> {
  let open: TablePassage & { header: string } = { header: table.header, text: '', rows: [] }
  for (const { at, ...part } of partsOf(rows, table)) {
    const numbers = numbersOf(part.rows, numberAt(at))
    const joined = open.text === '' ? part.rows : `${open.text}\n${part.rows}`
    if (part.header === open.header && joined.length <= max_passage_length) {
      open.text = joined
      open.rows.push(...numbers)
      continue
    }
    if (open.text !== '') yield open
    const header = part.header === '' ? [] : numbersOf(part.header, 0)
    const text = below(part.header, part.rows)
    open = { header: part.header, text, rows: [...header, ...numbers] }
  }
  if (open.text !== '') yield open
}

function numbersOf(lines: string, number: number): number[] {
  return lines.split('\n').map(() => number)
}

/** `at`: where the row begins that a part is of. */
function* partsOf(
  rows: string,
  table: Omit<Table, 'from' | 'to'>,
): Generator<Part & { at: number }> {
  for (const { part: row, at } of splitLazily(rows, /\r?\n/g)) {
    if (row !== '') for (const part of partsOfRow(row, table)) yield { ...part, at }
  }
}

function* partsOfRow(row: string, table: Omit<Table, 'from' | 'to'>): Generator<Part> {
  const { header, separator } = table
  const is_repeated = header.length <= max_header_length
  if (is_repeated && below(header, row).length <= max_passage_length) yield { header, rows: row }
  else if (!is_repeated && header.split('\n').includes(row)) yield* cutRow(row, '')
  // A field of comma-separated values can have several lines.
  else if (separator !== undefined && hasOpenQuote(row))
    yield* cutRow(row, is_repeated ? header : '')
  else yield* narrowRows(row, header, separator)
}

function* cutRow(row: string, header: string): Generator<Part> {
  for (const rows of cutLine(row, max_passage_length - below(header, '').length))
    yield { header, rows }
}

/** Cuts a row into tables of some of its cells; the first cell, which names the row, is in each. */
function* narrowRows(row: string, header: string, separator: string | undefined): Generator<Part> {
  const names = header.split('\n').map((line) => cellsOf(line, separator))
  const columns = [...cellsOf(row, separator).entries()]
    .filter(([, words]) => words.trim() !== '')
    .map(([column, words]) => ({
      words,
      names: names.map((line) => (line[column] ?? '').slice(0, max_name_length)),
    }))
  const key =
    columns.length > 1 && columns[0]!.words.length <= max_key_length ? columns.splice(0, 1) : []
  const key_length = lengthOf(key)
  let open: Column[] = []
  let open_length = key_length
  for (const column of columns) {
    const length = lengthOf([column])
    if (open.length > 0 && open_length + length > max_passage_length) {
      yield tableOf([...key, ...open], separator)
      open = []
      open_length = key_length
    }
    const max_length = max_passage_length - key_length - (length - column.words.length)
    if (column.words.length <= max_length) {
      open.push(column)
      open_length += length
      continue
    }
    for (const words of cutLine(column.words, max_length))
      yield tableOf([...key, { ...column, words }], separator)
  }
  if (open.length > 0) yield tableOf([...key, ...open], separator)
}

type Column = Readonly<{ words: string; names: readonly string[] }>

function tableOf(columns: readonly Column[], separator = '\t'): Part {
  const lines = (columns[0]?.names ?? []).map((_, at) => columns.map(({ names }) => names[at]!))
  return {
    header: lines
      .filter((cells) => cells.some((name) => name !== ''))
      .map((cells) => cells.join(separator))
      .join('\n'),
    rows: columns.map(({ words }) => words).join(separator),
  }
}

/** With a character behind each cell. */
function lengthOf(columns: readonly Column[]): number {
  return columns
    .flatMap(({ words, names }) => [words, ...names])
    .reduce((sum, words) => sum + words.length + 1, 0)
}

/** A separator in quotes is text. */
function cellsOf(row: string, separator: string | undefined): string[] {
  if (separator === undefined) return row.split('\t')
  const cells: string[] = []
  let is_open = false
  for (const piece of row.split(separator)) {
    if (is_open) cells.push(cells.pop() + separator + piece)
    else cells.push(piece)
    is_open = hasOpenQuote(cells.at(-1)!)
  }
  return cells
}

function hasOpenQuote(text: string): boolean {
  return (text.match(/"/g)?.length ?? 0) % 2 === 1
}

function below(header: string, rows: string): string {
  return header === '' ? rows : `${header}\n${rows}`
}
