import type { Passage } from '../../store/passages/passage.ts'
import type { ReadDocument, Table } from '../document-text.ts'
import { cutLine, max_passage_length, min_passage_length, splitLazily } from './cut-line.ts'
import { RowNumbers, sectionsOf, type TextSection } from './sections.ts'
import { splitTable, type TablePassage } from './split-tables.ts'

/** A part of a section. A table that fits into a passage is not cut. */
type Part = { text: string; rows?: undefined } | { text: string; rows: number[] }

/**
 * Cuts the text of a document into passages, each in one page, slide or sheet and below one
 * heading. Each passage of a long table begins with its header row, because a row alone does not
 * say what its cells are.
 */
export function* splitDocument({
  text,
  tables,
  marks = [],
}: Pick<ReadDocument, 'text' | 'tables' | 'marks'>): Generator<Passage> {
  const numbers = new RowNumbers(text, marks)
  let next = 0
  for (const section of sectionsOf(text, marks)) {
    const from = next
    while (next < tables.length && tables[next]!.from < section.to) next++
    const { unit, headings } = section
    for (const { text: words, rows } of splitSection(
      text,
      section,
      tables.slice(from, next),
      numbers,
    )) {
      const is_numbered = rows.some((row) => row > 0)
      const row_name = is_numbered && tables[from]?.separator !== undefined ? 'line' : undefined
      const place = { unit, headings, rows: is_numbered ? rows : [] }
      yield { text: words, ...place, ...(row_name && { row_name }) }
    }
  }
}

function* splitSection(
  text: string,
  section: TextSection,
  tables: readonly Table[],
  numbers: RowNumbers,
): Generator<TablePassage> {
  let from = section.from
  let open: Part[] = []
  for (const table of tables) {
    open.push({ text: text.slice(from, table.from) })
    const rows = text.slice(table.from, table.to)
    const numberAt = (at: number) => numbers.at(table.from + at)
    if (rows.length <= max_passage_length) {
      open.push(wholeTable(rows, numberAt))
    } else {
      yield* joinPieces(open)
      yield* splitTable(rows, table, numberAt)
      open = []
    }
    from = table.to
  }
  yield* joinPieces([...open, { text: text.slice(from, section.to) }])
}

function wholeTable(rows: string, numberAt: (at: number) => number): Part {
  const text = rows.replace(/\r|^\n+|\n+$/g, '')
  const lead = /^\n*/.exec(rows)![0].length
  const lines = [...splitLazily(rows.slice(lead), /\n/g)].slice(0, text.split('\n').length)
  return { text, rows: lines.map(({ at }) => numberAt(lead + at)) }
}

/**
 * Cuts a text into passages at empty lines, else at line ends, at sentence ends, at spaces, and at
 * last inside a word (never inside a character). Only white space at the cuts is lost. A generator,
 * because an array would hold the text again in memory.
 */
export function* splitPassages(text: string): Generator<string> {
  for (const passage of joinPieces([{ text }])) yield passage.text
}

function* joinPieces(parts: readonly Part[]): Generator<TablePassage> {
  let open = ''
  let rows: number[] = []
  for (const piece of pieces(parts)) {
    const joined = open === '' ? piece.text : `${open}${piece.gap}${piece.text}`
    const is_full =
      joined.length > max_passage_length ||
      // A colon says that the next paragraph goes on.
      (open.length >= min_passage_length && piece.gap.length > 1 && !open.endsWith(':'))
    if (open !== '' && is_full) {
      yield { text: open, rows }
      open = piece.text
      rows = piece.rows ?? []
      continue
    }
    // Rows of a table behind other lines.
    if (piece.rows !== undefined && open !== '') rows = [...linesOf(open, rows), 0, ...piece.rows]
    else if (piece.rows !== undefined) rows = piece.rows
    open = joined
  }
  if (open !== '') yield { text: open, rows }
}

/** A number for each line of a text: 0 for those that are no rows. */
function linesOf(text: string, rows: readonly number[]): number[] {
  return text.split('\n').map((_, at) => rows[at] ?? 0)
}

interface Piece {
  text: string
  /** The separator that joins the piece to the one before: an empty line, a line end, a space. */
  gap: '\n\n' | '\n' | ' ' | ''
  /** Of a table: the number of the row that each of its lines is, or 0. */
  rows?: number[] | undefined
}

/** Yields paragraphs. A long paragraph is split into lines, and a long line into parts. */
function* pieces(parts: readonly Part[]): Generator<Piece> {
  for (const { text, rows } of parts) {
    if (rows !== undefined) yield { text, gap: '\n\n', rows }
    else yield* piecesOfText(text)
  }
}

function* piecesOfText(text: string): Generator<Piece> {
  for (const { part: paragraph } of splitLazily(text, /\n[^\S\n]*\n\s*/g)) {
    const whole = paragraph.replace(/\r/g, '').trim()
    if (whole === '') continue
    if (whole.length <= max_passage_length) {
      yield { text: whole, gap: '\n\n' }
      continue
    }
    let gap: Piece['gap'] = '\n\n'
    for (const { part: line } of splitLazily(whole, /\n/g)) {
      for (const part of cutLine(line.trimEnd(), max_passage_length)) {
        yield { text: part, gap }
        gap = ' '
      }
      gap = '\n'
    }
  }
}
