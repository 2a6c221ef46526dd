import { DocumentText, type ReadDocument } from '../document-text.ts'
import { broken, type ExtractLimits, tooMuchText, unreadable } from '../extract-limits.ts'
import { decodeCharset } from '../text/charset.ts'
import type { CompoundFile } from './compound-file.ts'
import { deletedRanges } from './deleted-text.ts'
import { shownText } from './shown-text.ts'

/** Places in the header of a document (MS-DOC 2.5): its version, flags, and where its text is. */
const header = { flags: 0x0a, lengths: 0x4c, pieces: 0x1a2 }
const header_bytes = 0x1aa
const word_97 = 0xa5ec
const encrypted_flag = 0x0100
const second_table_flag = 0x0200
/** Stand for pictures in the text, and for those that float. */
const picture_signs = ['\u0001', '\u0008']
/** The stories of a document in their order, each with its length in the header. */
const stories = ['body', 'footnotes', 'margins', 'macros', 'comments', 'endnotes', 'boxes', 'boxes']

/** Extracts the text of a document of Word 97 to 2003: its body, and what stands beside it. */
export function extractOldWord(file: CompoundFile, limits: ExtractLimits): ReadDocument {
  const main = file.read('WordDocument')
  if (main.length >= 2 && main.readUInt16LE(0) !== word_97)
    throw unreadable('in the format of Word before 97, which the service does not read')
  if (main.length < header_bytes) throw broken('a Word document without its header')
  const flags = main.readUInt16LE(header.flags)
  if ((flags & encrypted_flag) !== 0) throw unreadable('encrypted')
  const table = file.read((flags & second_table_flag) === 0 ? '0Table' : '1Table')
  const all = textOf(main, table, limits)
  const text = new DocumentText(limits, 'part')
  if (picture_signs.some((sign) => all.includes(sign))) text.notePicture()
  let at = 0
  for (const [index, story] of stories.entries()) {
    const length = main.readUInt32LE(header.lengths + 4 * index)
    const words = shownText(all.slice(at, at + length), story === 'margins')
    at += length
    if (words === '' || story === 'macros') continue
    text.add(`${words}\n\n`)
  }
  return text.end()
}

/** The text of all stories. Saving fast leaves it in pieces, here and there in the file. */
function textOf(main: Buffer, table: Buffer, limits: ExtractLimits): string {
  const start = main.readUInt32LE(header.pieces)
  const list = pieceList(table.subarray(start, start + main.readUInt32LE(header.pieces + 4)))
  const count = Math.floor((list.length - 4) / 12)
  const deleted = deletedRanges(main, table)
  const texts: string[] = []
  let left = limits.text_length
  for (let index = 0; index < count; index++) {
    const length = list.readUInt32LE(4 * index + 4) - list.readUInt32LE(4 * index)
    left -= length
    if (length < 0 || left < 0) throw tooMuchText(limits)
    texts.push(pieceText(main, list.readUInt32LE(4 * count + 8 * index + 6), length, deleted))
  }
  return texts.join('')
}

/** The list of pieces, behind formats of pieces (MS-DOC 2.9.38). */
function pieceList(written: Buffer): Buffer {
  let at = 0
  while (written[at] === 1) at += 3 + written.readUInt16LE(at + 1)
  if (written[at] !== 2) throw broken('a Word document without its text')
  return written.subarray(at + 5, at + 5 + written.readUInt32LE(at + 1))
}

/** A bit of the place says that each letter has one byte. Deleted letters are zeros. */
const one_byte_flag = 0x4000_0000

function pieceText(
  main: Buffer,
  place: number,
  length: number,
  deleted: readonly (readonly [from: number, to: number])[],
): string {
  const is_short = (place & one_byte_flag) !== 0
  const at = is_short ? (place & ~one_byte_flag) / 2 : place
  const end = at + (is_short ? length : 2 * length)
  const bytes = Buffer.from(main.subarray(at, end))
  for (const [from, to] of deleted)
    if (from < end && to > at) bytes.fill(0, Math.max(0, from - at), to - at)
  return is_short
    ? decodeCharset('windows-1252', bytes, { strict: false })
    : bytes.toString('utf16le')
}
