import type { DocumentText } from '../document-text.ts'
import { unreadable } from '../extract-limits.ts'
import { decodeCharset } from '../text/charset.ts'
import { RtfOutput } from './rtf-output.ts'
import {
  charsetOfPage,
  ends,
  font_charsets,
  groups_apart,
  optional_groups,
  silent_groups,
  written,
} from './words.ts'

interface Group {
  is_silent: boolean
  /** No word was read yet. */
  is_new: boolean
  /** `\*` was read: a program that does not know the next word passes over the group. */
  is_optional: boolean
  /** Text that is neither shown nor printed, or is marked as deleted. */
  is_hidden: boolean
  is_in_table: boolean
  /** What the group is, if its text stands apart. */
  apart: (typeof groups_apart)[string] | undefined
  /** In `\upr`, which has its text twice: whether the Unicode one is silent. */
  is_unicode_silent: boolean
  /** The number of characters that follow each `\u`, for programs that do not know `\u`. */
  fallback_length: number
  charset: string
}

/** Twips; A4. */
const usual_page = { width: 11_906, height: 16_838 }

export class RtfState {
  readonly #text: DocumentText
  readonly #output: RtfOutput
  readonly #groups: Group[] = []
  readonly #fonts = new Map<number, string>()
  #group: Group = {
    is_silent: false,
    is_new: true,
    is_optional: false,
    is_hidden: false,
    is_in_table: false,
    apart: undefined,
    is_unicode_silent: false,
    fallback_length: 1,
    charset: 'windows-1252',
  }
  #document_charset = 'windows-1252'
  /** Bytes in a row in one charset, decoded together because a character can take two. */
  #bytes: number[] = []
  #bytes_charset = ''
  #font_defined = -1
  /** The number of characters after the last `\u` that are still to be skipped. */
  #passed_over = 0
  /** How often the group of the whole file was closed. */
  #ends = 0
  #page = { ...usual_page }
  #picture_width = 0

  constructor(text: DocumentText) {
    this.#text = text
    this.#output = new RtfOutput(text)
  }

  word(word: string, number: number | undefined): void {
    if (word === 'u' && number !== undefined) {
      this.#writeUnicode(number)
      return
    }
    this.#passed_over = 0
    const is_optional = this.#group.is_optional
    this.#group.is_optional = false
    this.#group.is_new = false
    if (is_optional && !optional_groups.has(word)) this.#group.is_silent = true
    if (Object.hasOwn(groups_apart, word) && !this.#group.is_silent) this.#beginApart(word)
    else if (Object.hasOwn(written, word)) this.#write(written[word]!)
    else this.#setting(word, number)
  }

  byte(byte: number): void {
    if (this.#passed_over > 0) this.#passed_over--
    else if (this.#is_shown) this.#keep(byte)
  }

  symbol(symbol: string): void {
    if (symbol === '*') this.#group.is_optional = this.#group.is_new
    else if ('\\{}'.includes(symbol)) this.text(symbol)
    else if (this.#passed_over > 0) this.#passed_over--
    else if (symbol === '\n' || symbol === '\r') this.#end('par')
    else if (Object.hasOwn(written, symbol)) this.#write(written[symbol]!)
  }

  brace(brace: string): void {
    this.#passed_over = 0
    if (brace === '{') {
      this.#groups.push(this.#group)
      this.#group = { ...this.#group, is_new: true, is_optional: false, apart: undefined }
      return
    }
    this.#endApart()
    // The group of the file stays, so that text behind one brace too many is read.
    if (this.#groups.length > 1) this.#group = this.#groups.pop()!
    else this.#ends++
  }

  text(source: string): void {
    // Some programs fill up a file with NUL.
    const text = source.replaceAll('\0', '')
    const rest = text.slice(this.#passed_over)
    this.#passed_over -= text.length - rest.length
    if (!this.#is_shown) return
    if (this.#bytes.length === 0 && !/[\x80-\xff]/.test(rest)) this.#output.write(rest)
    else for (const letter of rest) this.#keep(letter.charCodeAt(0))
  }

  /** Throws if more than one brace is too many or too few. */
  end(): void {
    this.#flush()
    const missing = this.#groups.length - this.#ends
    if (missing > 1) throw unreadable('broken: RTF that ends in the middle')
    if (missing < -1) throw unreadable('broken: RTF whose groups do not match')
    this.#endApart()
    this.#output.end()
  }

  get #is_shown(): boolean {
    return !this.#group.is_silent && !this.#group.is_hidden
  }

  #setting(word: string, number: number | undefined): void {
    const group = this.#group
    if (silent_groups.has(word)) group.is_silent = true
    if (word === 'uc') group.fallback_length = number ?? 1
    else if (word === 'pard') group.is_in_table = false
    else if (word === 'intbl') group.is_in_table = true
    else if (word === 'upr') {
      group.is_unicode_silent = group.is_silent
      group.is_silent = true
    } else if (word === 'ud') group.is_silent = group.is_unicode_silent
    else if (word === 'v' || word === 'deleted' || word === 'plain')
      group.is_hidden = word !== 'plain' && number !== 0
    else {
      this.#end(word)
      this.#charset(word, number ?? 0)
      this.#picture(word, number ?? 0)
    }
  }

  #end(word: string): void {
    if (!ends.has(word)) return
    this.#flush()
    if (this.#group.is_silent) return
    if (word === 'par') this.#output.endParagraph(this.#group.is_in_table)
    else if (word === 'cell') this.#output.endCell()
    else if (word === 'row') this.#output.endRow()
    else this.#output.endInner(word === 'nestcell' ? ', ' : '; ')
  }

  #charset(word: string, number: number): void {
    if (word === 'ansicpg') this.#setDocumentCharset(charsetOfPage(number))
    else if (word === 'mac') this.#setDocumentCharset('macintosh')
    else if (word === 'pc') this.#setDocumentCharset('cp437')
    else if (word === 'pca') this.#setDocumentCharset('cp850')
    else if (word === 'cpg') this.#fonts.set(this.#font_defined, charsetOfPage(number))
    else if (word === 'fcharset') this.#fonts.set(this.#font_defined, font_charsets[number] ?? '')
    else if (word === 'f' || word === 'deff') this.#chooseFont(number)
  }

  #picture(word: string, number: number): void {
    if (word === 'paperw' && number > 0) this.#page.width = number
    else if (word === 'paperh' && number > 0) this.#page.height = number
    else if (word === 'picwgoal') this.#picture_width = number
    else if (word === 'pichgoal') this.#notePicture(this.#picture_width * number)
    else if (word === 'pict') this.#notePicture(1)
  }

  /** `area` in twips. */
  #notePicture(area: number): void {
    this.#text.notePicture(Math.min(1, area / (this.#page.width * this.#page.height)))
  }

  #setDocumentCharset(charset: string): void {
    this.#document_charset = charset
    this.#group.charset = charset
  }

  #chooseFont(font: number): void {
    this.#font_defined = font
    this.#group.charset = this.#fonts.get(font) || this.#document_charset
  }

  #beginApart(word: string): void {
    this.#flush()
    this.#output.beginApart()
    this.#group.apart = groups_apart[word]!
    this.#group.is_in_table = false
  }

  #endApart(): void {
    if (this.#group.apart === undefined) return
    this.#flush()
    this.#output.endApart(this.#group.apart)
  }

  #writeUnicode(number: number): void {
    const code = number < 0 ? number + 65_536 : number
    if (code >= 0 && code <= 0x10_ff_ff) this.#write(String.fromCodePoint(code))
    this.#passed_over = this.#group.fallback_length
  }

  #write(text: string): void {
    this.#flush()
    if (this.#is_shown) this.#output.write(text)
  }

  #keep(byte: number): void {
    if (this.#bytes_charset !== this.#group.charset) this.#flush()
    this.#bytes_charset = this.#group.charset
    this.#bytes.push(byte)
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    this.#output.write(decode(this.#bytes_charset, Buffer.from(this.#bytes)))
    this.#bytes = []
  }
}

function decode(charset: string, bytes: Buffer): string {
  try {
    return decodeCharset(charset, bytes, { strict: false })
  } catch {
    // This Node does not know the code page. Most code pages share the ASCII letters at least.
    return decodeCharset('windows-1252', bytes, { strict: false })
  }
}
