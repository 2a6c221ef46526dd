/** A piece of text with its place on the page, or a mark without text. */
type PageItem = TextPiece | { type: string }

interface TextPiece {
  str: string
  hasEOL: boolean
  dir: string
  width: number
  height: number
  transform: readonly number[]
}

/**
 * The text of a page, in the order of the page's content. A word parted at a line end is joined.
 */
export function pageText(items: readonly PageItem[]): string {
  let text = ''
  let last: TextPiece | undefined
  for (const item of items) {
    if (!('str' in item)) continue
    if (last && isApart(last, item)) text += ' '
    text += item.hasEOL ? `${item.str}\n` : item.str
    last = item
  }
  return text.replace(/(\p{L})[-\u00ad\u2010]\n(\p{Ll})/gu, '$1$2').replace(/\u00ad/g, '')
}

/** True if a piece begins more than the height of a letter from where the last one ended. */
function isApart(last: TextPiece, next: TextPiece): boolean {
  if (/^\s*$/.test(last.str) || /^\s*$/.test(next.str)) return false
  if (last.hasEOL || last.dir !== 'ltr' || next.dir !== 'ltr') return false
  const [a = 1, b = 0, , , x = 0, y = 0] = last.transform
  const [, , , , next_x = 0, next_y = 0] = next.transform
  const along = last.width / (Math.hypot(a, b) || 1)
  const distance = Math.hypot(next_x - x - a * along, next_y - y - b * along)
  return distance > Math.max(last.height, next.height)
}

/** So many are more than the bullets and icons of a page. */
const min_unnamed = 20

/**
 * True if at least half of a page's characters have no meaning. Fonts that do not say which letters
 * their shapes are give numbers, controls or characters for private use.
 */
export function hasUnnamedLetters(text: string): boolean {
  const unnamed = text.match(/(?!\s)[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0
  return unnamed >= min_unnamed && unnamed * 2 >= text.replace(/\s/g, '').length
}
