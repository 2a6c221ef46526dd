import { DocumentText, type ReadDocument } from './document-text.ts'
import { type ExtractLimits, unreadable } from './extract-limits.ts'
import { unread_kind } from './file-kind.ts'
import { max_recognised } from './judge-units.ts'
import type { PicturePages } from './picture-pages.ts'

/** The words that a program recognised in a picture; each picture of a TIFF file is a page. */
export function readPicture(
  bytes: Buffer,
  limits: ExtractLimits,
  pages: PicturePages,
): ReadDocument {
  const text = new DocumentText(limits, 'page')
  const count = /^(II|MM)/.test(bytes.toString('latin1', 0, 2)) ? tiffPages(bytes) : 1
  for (let page = 1; page <= count; page++) {
    text.begin()
    if (page > 1) text.addLabel('\n\n')
    text.notePicture(1)
    const recognised = pages.at(page)
    if (recognised) text.addRecognised(recognised)
  }
  try {
    return pages.end('picture', text)
  } catch (error) {
    if (pages.is_inner || pages.at(1)) throw error
    throw unreadable(unread_kind)
  }
}

/** More pages than can be named do not matter; the chain of a hostile file can be a ring. */
const max_pages = 100 * max_recognised
/** TIFF 6.0, section 2: bytes of the header, and of an entry of a directory. */
const header_bytes = 8
const entry_bytes = 12

/** The number of pictures in a TIFF file, at least 1. A program says what is broken in it. */
function tiffPages(bytes: Buffer): number {
  const is_little = bytes[0] === 0x49
  const number = (at: number, size: 2 | 4) =>
    is_little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size)
  const seen = new Set<number>()
  let at = number(4, 4)
  while (at >= header_bytes && at + 2 <= bytes.length && !seen.has(at) && seen.size < max_pages) {
    seen.add(at)
    const next_at = at + 2 + entry_bytes * number(at, 2)
    if (next_at + 4 > bytes.length) break
    at = number(next_at, 4)
  }
  return Math.max(1, seen.size)
}
