import type { ReadDocument } from '../document-text.ts'

/** UTF-16 units. Long enough to understand alone, short enough to read: answers quote passages. */
export const max_passage_length = 1_000
/** A shorter passage is joined with the next one if both fit: a heading belongs to its text. */
const min_passage_length = 400

/** A longer header is not repeated: the rows themselves need the space. */
const max_header_length = max_passage_length / 2

/**
 * Cuts the text of a document into passages. Each passage of a long table begins with its header
 * row, because a row alone does not say what its cells are.
 */
export function* splitDocument({
  text,
  tables,
}: Pick<ReadDocument, 'text' | 'tables'>): Generator<string> {
  let from = 0
  for (const table of tables) {
    if (table.to - table.from <= max_passage_length) continue
    yield* splitPassages(text.slice(from, table.from))
    yield* splitTable(text.slice(table.from, table.to), table.header)
    from = table.to
  }
  yield* splitPassages(from === 0 ? text : text.slice(from))
}

function* splitTable(table: string, header: string): Generator<string> {
  const repeated = header.length <= max_header_length ? `${header}\n` : ''
  let open = ''
  for (const row of splitLazily(table, /\r?\n/g)) {
    for (const part of cutLine(row, max_passage_length - repeated.length)) {
      const joined = open === '' ? part : `${open}\n${part}`
      if (joined.length <= max_passage_length) {
        open = joined
        continue
      }
      yield open
      open = repeated + part
    }
  }
  if (open !== '') yield open
}

/**
 * Cuts a text into passages at empty lines, else at line ends, at sentence ends, at spaces, and at
 * last inside a word (never inside a character). Only white space at the cuts is lost. A generator,
 * because an array would hold the text again in memory.
 */
export function* splitPassages(text: string): Generator<string> {
  let open = ''
  for (const piece of pieces(text)) {
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
function* pieces(text: string): Generator<Piece> {
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

/** Like `String.split`, but without an array of all parts in memory. */
function* splitLazily(text: string, between: RegExp): Generator<string> {
  let from = 0
  for (const match of text.matchAll(between)) {
    yield text.slice(from, match.index)
    from = match.index + match[0].length
  }
  yield text.slice(from)
}

function* cutLine(line: string, max_length: number): Generator<string> {
  let rest = line
  while (rest.length > max_length) {
    const cut = cutPosition(rest, max_length)
    yield rest.slice(0, cut).trimEnd()
    rest = rest.slice(cut).trimStart()
  }
  if (rest !== '') yield rest
}

const sentence_end = /[.!?…:;]["'”’)\]]?\s/g

function cutPosition(line: string, max_length: number): number {
  const window = line.slice(0, max_length)
  let cut = 0
  for (const match of window.matchAll(sentence_end)) cut = match.index + match[0].length
  if (cut > min_passage_length) return cut
  cut = window.lastIndexOf(' ')
  if (cut > min_passage_length) return cut
  const in_pair = /[\ud800-\udbff]/.test(window.at(-1) ?? '')
  return in_pair ? max_length - 1 : max_length
}
