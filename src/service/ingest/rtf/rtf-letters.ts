import { decodeCharset } from '../text/charset.ts'
import type { RtfOutput } from './rtf-output.ts'
import { charsetOfPage, document_charsets, font_charsets } from './words.ts'

/** Decodes the letters of an RTF file: each font can have another charset. */
export class RtfLetters {
  readonly #output: RtfOutput
  readonly #fonts = new Map<number, string>()
  #document_charset = 'windows-1252'
  #font_defined = -1
  /** Bytes in a row in one charset, decoded together because a character can take two. */
  #bytes: number[] = []
  #bytes_charset = ''

  constructor(output: RtfOutput) {
    this.#output = output
  }

  /** The charset of the text behind a control word; undefined if it stays. */
  charsetBehind(word: string, number: number): string | undefined {
    if (word === 'cpg') this.#fonts.set(this.#font_defined, charsetOfPage(number))
    if (word === 'fcharset') this.#fonts.set(this.#font_defined, font_charsets[number] ?? '')
    if (word === 'f' || word === 'deff') {
      this.#font_defined = number
      return this.#fonts.get(number) || this.#document_charset
    }
    const named = word === 'ansicpg' ? charsetOfPage(number) : document_charsets.get(word)
    this.#document_charset = named ?? this.#document_charset
    return named
  }

  /** Adds text whose characters are bytes. */
  add(text: string, charset: string): void {
    if (this.#bytes.length === 0 && !/[\x80-\xff]/.test(text)) this.#output.write(text)
    else for (const letter of text) this.addByte(letter.charCodeAt(0), charset)
  }

  addByte(byte: number, charset: string): void {
    if (this.#bytes_charset !== charset) this.flush()
    this.#bytes_charset = charset
    this.#bytes.push(byte)
  }

  /** Writes what was added, before anything else is written. */
  flush(): void {
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
