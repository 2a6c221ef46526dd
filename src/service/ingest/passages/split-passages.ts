import type { ReadDocument } from '../document-text.ts'
import { cutLine, max_passage_length, min_passage_length, splitLazily } from './cut-line.ts'
import { splitTable } from './split-tables.ts'

/** A part of a document. A table that fits into a passage is not cut. */
interface Section {
  text: string
  is_table: boolean
}

/**
 * Cuts the text of a document into passages. Each passage of a long table begins with its header
 * row, because a row alone does not say what its cells are.
 */
export function* splitDocument({
  text,
  tables,
}: Pick<ReadDocument, 'text' | 'tables'>): Generator<string> {
  let from = 0
  let open: Section[] = []
  for (const table of tables) {
    open.push({ text: text.slice(from, table.from), is_table: false })
    const rows = text.slice(table.from, table.to)
    if (rows.length <= max_passage_length) {
      open.push({ text: rows, is_table: true })
    } else {
      yield* joinPieces(open)
      yield* splitTable(rows, table)
      open = []
    }
    from = table.to
  }
  yield* joinPieces([...open, { text: from === 0 ? text : text.slice(from), is_table: false }])
}

/**
 * Cuts a text into passages at empty lines, else at line ends, at sentence ends, at spaces, and at
 * last inside a word (never inside a character). Only white space at the cuts is lost. A generator,
 * because an array would hold the text again in memory.
 */
export function* splitPassages(text: string): Generator<string> {
  yield* joinPieces([{ text, is_table: false }])
}

function* joinPieces(sections: readonly Section[]): Generator<string> {
  let open = ''
  for (const piece of pieces(sections)) {
    const joined = open === '' ? piece.text : `${open}${piece.gap}${piece.text}`
    if (
      open !== '' &&
      (joined.length > max_passage_length ||
        (open.length >= min_passage_length && piece.gap.length > 1))
    ) {
      yield open
      open = piece.text
    } else {
      open = joined
    }
  }
  if (open !== '') yield open
}

interface Piece {
  text: string
  /** The separator that joins the piece to the one before: an empty line, a line end, a space. */
  gap: '\n\n' | '\n' | ' ' | ''
}

/** Yields paragraphs. A long paragraph is split into lines, and a long line into parts. */
function* pieces(sections: readonly Section[]): Generator<Piece> {
  for (const { text, is_table } of sections) {
    if (is_table) yield { text: text.replace(/\r|^\n+|\n+$/g, ''), gap: '\n\n' }
    else yield* piecesOfText(text)
  }
}

function* piecesOfText(text: string): Generator<Piece> {
  for (const paragraph of splitLazily(text, /\n[^\S\n]*\n\s*/g)) {
    const whole = paragraph.replace(/\r/g, '').trim()
    if (whole === '') continue
    if (whole.length <= max_passage_length) {
      yield { text: whole, gap: '\n\n' }
      continue
    }
    let gap: Piece['gap'] = '\n\n'
    for (const line of splitLazily(whole, /\n/g)) {
      for (const part of cutLine(line.trimEnd(), max_passage_length)) {
        yield { text: part, gap }
        gap = ' '
      }
      gap = '\n'
    }
  }
}
