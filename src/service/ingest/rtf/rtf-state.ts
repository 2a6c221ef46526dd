import type { DocumentText } from '../document-text.ts'
import { broken } from '../extract-limits.ts'
import { RtfLetters } from './rtf-letters.ts'
import { type Apart, RtfOutput } from './rtf-output.ts'
import { RtfPictures } from './rtf-pictures.ts'
import { ends, groups_apart, optional_groups, silent_groups, written } from './words.ts'

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
  apart: Apart | undefined
  /** In `\upr`, which has its text twice: whether the Unicode one is silent. */
  is_unicode_silent: boolean
  /** The number of characters that follow each `\u`, for programs that do not know `\u`. */
  fallback_length: number
  charset: string
}

/** Deeper boxes are read as running text. Each level costs a copy of its text. */
const max_apart_depth = 8

/** Follows the groups and control words of an RTF file. */
export class RtfState {
  readonly #output: RtfOutput
  readonly #letters: RtfLetters
  readonly #pictures: RtfPictures
  readonly #groups: Group[] = []
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
  /** The number of characters after the last `\u` that are still to be skipped. */
  #passed_over = 0
  /** How often the group of the whole file was closed. */
  #ends = 0

  constructor(text: DocumentText) {
    this.#output = new RtfOutput(text)
    this.#letters = new RtfLetters(this.#output)
    this.#pictures = new RtfPictures(text)
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
    const apart = groups_apart.get(word)
    const text = written.get(word)
    if (apart && !this.#group.is_silent) this.#beginApart(apart)
    else if (text) this.#write(text)
    else this.#setting(word, number)
  }

  byte(byte: number): void {
    if (this.#passed_over > 0) this.#passed_over--
    else if (this.#is_shown) this.#letters.addByte(byte, this.#group.charset)
  }

  symbol(symbol: string): void {
    if (symbol === '*') this.#group.is_optional = this.#group.is_new
    else if ('\\{}'.includes(symbol)) this.text(symbol)
    else if (this.#passed_over > 0) this.#passed_over--
    else if (symbol === '\n' || symbol === '\r') this.#end('par')
    else if (written.has(symbol)) this.#write(written.get(symbol)!)
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
    if (this.#is_shown) this.#letters.add(rest, this.#group.charset)
  }

  /** Throws if more than one brace is too many or too few. */
  end(): void {
    this.#letters.flush()
    const missing = this.#groups.length - this.#ends
    if (missing > 1) throw broken('RTF that ends in the middle')
    if (missing < -1) throw broken('RTF whose groups do not match')
    this.#endApart()
    this.#output.end()
  }

  get #is_shown(): boolean {
    return !this.#group.is_silent && !this.#group.is_hidden
  }

  #setting(word: string, number: number | undefined): void {
    const group = this.#group
    const { is_silent } = group
    if (silent_groups.has(word)) group.is_silent = true
    if (word === 'uc') group.fallback_length = number ?? 1
    else if (word === 'pard') group.is_in_table = false
    else if (word === 'intbl') group.is_in_table = true
    else if (word === 'trowd') this.#output.beginRow()
    else if (word === 'cellx') this.#output.addEdge(number ?? 0)
    else if (word === 'upr') {
      group.is_unicode_silent = group.is_silent
      group.is_silent = true
    } else if (word === 'ud') group.is_silent = group.is_unicode_silent
    else if (word === 'v' || word === 'deleted' || word === 'plain')
      group.is_hidden = word !== 'plain' && number !== 0
    else {
      this.#end(word)
      group.charset = this.#letters.charsetBehind(word, number ?? 0) ?? group.charset
      this.#pictures.word(word, number ?? 0, is_silent)
    }
  }

  #end(word: string): void {
    if (!ends.has(word)) return
    this.#letters.flush()
    if (this.#group.is_silent) return
    if (word === 'par') this.#output.endParagraph(this.#group.is_in_table)
    else if (word === 'cell') this.#output.endCell()
    else if (word === 'row') this.#output.endRow()
    else this.#output.endInner(word === 'nestcell' ? ', ' : '; ')
  }

  #beginApart(apart: Apart): void {
    if (this.#output.depth === max_apart_depth) return
    this.#letters.flush()
    this.#output.beginApart()
    this.#group.apart = apart
    this.#group.is_in_table = false
  }

  #endApart(): void {
    if (this.#group.apart === undefined) return
    this.#letters.flush()
    this.#output.endApart(this.#group.apart)
  }

  #writeUnicode(number: number): void {
    const code = number < 0 ? number + 65_536 : number
    if (code >= 0 && code <= 0x10_ff_ff) this.#write(String.fromCodePoint(code))
    this.#passed_over = this.#group.fallback_length
  }

  #write(text: string): void {
    this.#letters.flush()
    if (this.#is_shown) this.#output.write(text)
  }
}
