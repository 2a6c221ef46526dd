/** UTF-16 units. Long enough to understand alone, short enough to read: answers quote passages. */
export const max_passage_length = 1_000
/** A shorter passage is joined with the next one if both fit: a heading belongs to its text. */
export const min_passage_length = 400
/** Of the space for a part of a line: a shorter part is no reason to keep a sentence whole. */
const min_filled_share = 0.4

/** Like `String.split` with the place of each part, and without an array of all in memory. */
export function* splitLazily(
  text: string,
  between: RegExp,
): Generator<{ part: string; at: number }> {
  let from = 0
  for (const match of text.matchAll(between)) {
    yield { part: text.slice(from, match.index), at: from }
    from = match.index + match[0].length
  }
  yield { part: text.slice(from), at: from }
}

/** Cuts a long line at sentence ends, else at spaces, else inside a word. */
export function* cutLine(line: string, max_length: number): Generator<string> {
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
  if (cut > max_length * min_filled_share) return cut
  cut = window.lastIndexOf(' ')
  if (cut > max_length * min_filled_share) return cut
  const in_pair = /[\ud800-\udbff]/.test(window.at(-1) ?? '')
  return in_pair ? max_length - 1 : max_length
}
