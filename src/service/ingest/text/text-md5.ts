import { createHash } from 'node:crypto'

/** UTF-16 units that are hashed at once, so that a large text is not copied whole. */
const slice_length = 65_536

/** MD5 of the text as UTF-8, with each run of white space as one space, and none at its ends. */
export function textMd5(text: string): string {
  const hash = createHash('md5')
  let is_empty = true
  let has_gap = false
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + slice_length
    const cuts_pair = /[\ud800-\udbff]/.test(text.charAt(to - 1))
    if (cuts_pair) to++
    const slice = text.slice(from, to)
    const words = slice.trim().replace(/\s+/g, ' ')
    has_gap ||= /^\s/.test(slice)
    if (words === '') continue
    hash.update(has_gap && !is_empty ? ` ${words}` : words)
    is_empty = false
    has_gap = /\s$/.test(slice)
  }
  return hash.digest('hex')
}
