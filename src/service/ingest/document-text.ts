import type { AssetReading, ReadUnit } from '../../contract/messages/messages-assets.ts'
import { type ExtractLimits, noText, tooMuchText } from './extract-limits.ts'
import { max_counted_words, readingOf, type UnitFound } from './judge-units.ts'
import { textMd5 } from './text/text-md5.ts'

/** The text of a file, and how much of the file it is. */
export interface ReadDocument {
  text: string
  reading: AssetReading
  tables: readonly Table[]
}

/** A table in a text, from its first to behind its last character. `header`: a line of it. */
export interface Table {
  from: number
  to: number
  header: string
}

/**
 * Collects the text of a document and what was found in each of its pages, slides, sheets or parts.
 * A reader calls `begin` at the start of each one; a text before the first `begin` belongs to it.
 * `add` and `addLabel` throw when the text exceeds its limit.
 */
export class DocumentText {
  readonly #limits: Pick<ExtractLimits, 'text_length'>
  readonly #unit: ReadUnit
  readonly #parts: string[] = []
  readonly #found: UnitFound[] = []
  readonly #tables: Table[] = []
  /** Text of the present unit that counts as its own words. */
  #own = ''
  #picture_share = 0
  #is_picture_page = false
  #fault: string | undefined
  #has_begun = false
  #length = 0

  constructor(limits: Pick<ExtractLimits, 'text_length'>, unit: ReadUnit) {
    this.#limits = limits
    this.#unit = unit
  }

  /** Of the text so far, in UTF-16 units. */
  get length(): number {
    return this.#length
  }

  /** What was added so far. */
  get text(): string {
    return this.#parts.join('')
  }

  /** An empty one with the same limits, for a text that is compared before it is added. */
  apart(): DocumentText {
    return new DocumentText(this.#limits, this.#unit)
  }

  /** True while a picture in the present unit would matter: it has few words beside it. */
  get is_short(): boolean {
    return wordsIn(this.#own) < max_counted_words
  }

  get is_wordless(): boolean {
    return wordsIn(this.#own) === 0
  }

  begin(): void {
    if (this.#has_begun) this.#endUnit()
    this.#has_begun = true
  }

  /** Adds text that the document says. */
  add(text: string): void {
    // A caption belongs to its picture; a longer text stands on other pages.
    if (this.#is_picture_page && wordsIn(this.#own + text) === max_counted_words) this.begin()
    this.#own += text
    this.addLabel(text)
  }

  /** Adds the name of a sheet, slide or field: to be found, but no word of the document's own. */
  addLabel(text: string): void {
    this.#length += text.length
    if (this.#length > this.#limits.text_length) throw tooMuchText(this.#limits)
    this.#parts.push(text)
  }

  noteTable(table: Table): void {
    this.#tables.push(table)
  }

  /** Notes a picture in the present unit. `share` of the page's area, 0 to 1. */
  notePicture(share: number): void {
    this.#picture_share = Math.max(this.#picture_share, share)
  }

  /** Begins a page of its own with a picture that fills it, in a document without fixed pages. */
  notePicturePage(share: number): void {
    if (this.#own.trim() !== '' || this.#is_picture_page) this.begin()
    this.#is_picture_page = true
    this.notePicture(share)
  }

  /** Notes why the present unit cannot be read, to continue "page 3 …", such as `is encrypted`. */
  noteFault(fault: string): void {
    this.#fault ??= fault
  }

  /** Ends the document. Throws `ingest.no_text` if it has no word of its own. */
  end(): ReadDocument {
    this.#endUnit()
    const has_picture = this.#found.some(({ picture_share }) => picture_share > 0)
    // Half a character cannot be stored or sent as UTF-8.
    const text = this.#parts.join('').toWellFormed()
    const reading = readingOf(this.#unit, this.#found)
    if (reading === undefined) throw noText(has_picture ? 'pictures' : undefined)
    return { text, reading: { ...reading, text_md5: textMd5(text) }, tables: this.#tables }
  }

  #endUnit(): void {
    this.#found.push({
      words: wordsIn(this.#own),
      picture_share: this.#picture_share,
      ...(this.#fault !== undefined && { fault: this.#fault }),
    })
    this.#own = ''
    this.#picture_share = 0
    this.#is_picture_page = false
    this.#fault = undefined
  }
}

/** Words are runs of letters, marks and digits: `§ 4.2` has two. Counts only as many as matter. */
function wordsIn(text: string): number {
  let words = 0
  for (const _ of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (++words === max_counted_words) break
  }
  return words
}
