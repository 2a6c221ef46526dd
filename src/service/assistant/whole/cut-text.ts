/** A part of a text, in UTF-16 units. */
export interface Range {
  from: number
  to: number
}

/** So much of a piece stands in the next one again at most: a long paragraph. */
const max_overlap_chars = 1_000
const max_overlap_share = 0.25
/** A piece is cut at a better place only if so much of it stays. */
const min_filled_share = 0.5

/**
 * Cuts a part of a text into pieces of at most `max_chars`, at empty lines, else at line ends, at
 * spaces, and at last inside a word (never inside a character). Each piece begins with the last
 * paragraph of the one before, or the end of a longer one: what it says may need what stands above
 * it, and what stands across the cut is whole in one of the two.
 */
export function cutText(text: string, { from, to }: Range, max_chars: number): Range[] {
  const pieces: Range[] = []
  const max_overlap = Math.min(max_overlap_chars, Math.floor(max_chars * max_overlap_share))
  let begin = from
  while (to - begin > max_chars) {
    const limit = begin + max_chars
    const end = lastBreak(text, limit, begin + Math.floor(max_chars * min_filled_share)) ?? limit
    pieces.push({ from: begin, to: wholeCharacter(text, end) })
    begin = overlapFrom(text, wholeCharacter(text, end), max_overlap)
  }
  return [...pieces, { from: begin, to }]
}

/** The beginning of the last paragraph before this place, or of its last `max_chars`. */
function overlapFrom(text: string, end: number, max_chars: number): number {
  const min = Math.max(0, end - max_chars)
  // The gap at the end of the paragraph is not its beginning.
  const inside = end - 1 - (/\s*$/.exec(text.slice(min, end))?.[0].length ?? 0)
  const paragraph = lastBreak(text, inside, min, line_gaps)
  const space = text.slice(min, Math.max(min, inside)).indexOf(' ')
  return wholeCharacter(text, paragraph ?? min + space + 1)
}

const line_gaps = ['\n\n', '\n']

/** Behind the last empty line, line end or space in a part of a text, which may be long. */
function lastBreak(
  text: string,
  limit: number,
  min: number,
  gaps: readonly string[] = [...line_gaps, ' '],
): number | undefined {
  for (const gap of gaps) {
    const from = Math.max(0, min - gap.length + 1)
    const at = text.slice(from, Math.max(from, limit)).lastIndexOf(gap)
    if (at >= 0) return from + at + gap.length
  }
  return undefined
}

function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at
}

/** The parts of a text of this length that none of the ranges covers, in their order. */
export function uncovered(length: number, covered: readonly Range[]): Range[] {
  const gaps: Range[] = []
  let from = 0
  for (const range of covered.toSorted((one, other) => one.from - other.from)) {
    if (range.from > from) gaps.push({ from, to: range.from })
    from = Math.max(from, range.to)
  }
  return from < length ? [...gaps, { from, to: length }] : gaps
}
