/** UTF-16 units. Long enough to understand alone, short enough to read: answers quote passages. */
export const max_passage_length = 1_000
/** A shorter passage is joined with the next one if both fit: a heading belongs to its text. */
const min_passage_length = 400

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
      for (const part of cutLine(line.trimEnd())) {
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

function* cutLine(line: string): Generator<string> {
  let rest = line
  while (rest.length > max_passage_length) {
    const cut = cutPosition(rest)
    yield rest.slice(0, cut).trimEnd()
    rest = rest.slice(cut).trimStart()
  }
  if (rest !== '') yield rest
}

const sentence_end = /[.!?…:;]["'”’)\]]?\s/g

function cutPosition(line: string): number {
  const window = line.slice(0, max_passage_length)
  let cut = 0
  for (const match of window.matchAll(sentence_end)) cut = match.index + match[0].length
  if (cut > min_passage_length) return cut
  cut = window.lastIndexOf(' ')
  if (cut > min_passage_length) return cut
  const in_pair = /[\ud800-\udbff]/.test(window.at(-1) ?? '')
  return in_pair ? max_passage_length - 1 : max_passage_length
}
