const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

// East Asian wide and full-width characters (UAX #11) and pictures take two columns.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

const ascii = /^[ -~]*$/

/** The columns that a text without control characters takes on a terminal. */
export function textWidth(text: string): number {
  // Nearly every text, and twenty times faster.
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** At most `width` columns; what is cut away in the middle becomes an ellipsis: of a path both ends tell most. */
export function fitText(text: string, width: number): string {
  if (text.length <= width / 2 || textWidth(text) <= width) return text
  if (width < 1) return ''
  const pieces = [...graphemes.segment(text)].map(({ segment }) => segment)
  const for_end = Math.floor((width - 1) / 2)
  return `${take(pieces, width - 1 - for_end).join('')}…${take(pieces.reverse(), for_end).reverse().join('')}`
}

function take(pieces: readonly string[], width: number): string[] {
  const taken: string[] = []
  let left = width
  for (const piece of pieces) {
    left -= graphemeWidth(piece)
    if (left < 0) break
    taken.push(piece)
  }
  return taken
}

function graphemeWidth(grapheme: string): number {
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1
}
