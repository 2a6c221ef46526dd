import type { AssetReading, ReadUnit } from '../../contract/messages/messages-assets.ts'
import { type ExtractLimits, noText, tooMuchText } from './extract-limits.ts'
import {
  full_page_share,
  max_counted_words,
  readingOf,
  small_picture_share,
  type UnitFound,
  whyWordless,
} from './judge-units.ts'
import { textMd5 } from './text/text-md5.ts'

/** The text of a file, and how much of the file it is. */
export interface ReadDocument {
  text: string
  reading: AssetReading
  tables: readonly Table[]
}

/** A table in a text, from its first to behind its last character. */
export interface Table {
  from: number
  to: number
  /** Lines of it; empty if its columns have no names. */
  header: string
  /** Of comma-separated values, which can have quotes. A tab stands between all other cells. */
  separator?: string
}

/**
 * Collects the text of a document and what was found in each of its pages, slides, sheets or parts.
 * A reader calls `begin` at the start of each one; a text before the first `begin` belongs to it.
 * `add` and `addLabel` throw when the text exceeds its limit.
 */
export class DocumentText {
  readonly #limits: Pick<ExtractLimits, 'text_length'>
  readonly unit: ReadUnit
  readonly #parts: string[] = []
  readonly #found: UnitFound[] = []
  readonly #tables: Table[] = []
  /** Text of the present unit that counts as its own words. */
  #own = ''
  #picture_share = 0
  #has_unsized_picture = false
  #is_picture_page = false
  #fault: string | undefined
  #has_begun = false
  #length = 0

  constructor(limits: Pick<ExtractLimits, 'text_length'>, unit: ReadUnit) {
    this.#limits = limits
    this.unit = unit
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
    return new DocumentText(this.#limits, this.unit)
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
    if (this.#is_picture_page && wordsIn(this.#own + text) === max_counted_words) this.#part()
    this.#own += text
    this.addLabel(text)
  }

  /** Adds the name of a sheet, slide or field: to be found, but no word of the document's own. */
  addLabel(text: string): void {
    this.#length += text.length
    if (this.#length > this.#limits.text_length) throw tooMuchText(this.#limits)
    this.#parts.push(text)
  }

  /** Counts the words of the present unit as labels: they stand for its pictures. */
  disown(): void {
    this.#own = ''
  }

  noteTable(table: Table): void {
    this.#tables.push(table)
  }

  /**
   * Notes a picture in the present unit. `share` of the page's area, 0 to 1; without it the picture
   * fills the unit if no word stands beside it, because a title on a background is normal.
   */
  notePicture(share?: number): void {
    if (share === undefined) this.#has_unsized_picture = true
    else this.#picture_share = Math.max(this.#picture_share, share)
  }

  /**
   * Notes a picture in a document without fixed pages. Where pages end is unknown, so only one that
   * fills a page matters: it is a unit of its own.
   */
  notePictureInFlow(share: number): void {
    const is_page = share >= full_page_share
    if (is_page && (this.#own.trim() !== '' || this.#is_picture_page)) this.#part()
    this.#is_picture_page ||= is_page
    this.notePicture(is_page ? Math.min(share, 1) : small_picture_share)
  }

  /** Notes why the present unit cannot be read, to continue "page 3 …", such as `is encrypted`. */
  noteFault(fault: string): void {
    this.#fault ??= fault
  }

  /** Ends the document. Throws `ingest.no_text` if it has no word of its own. */
  end(): ReadDocument {
    this.#endUnit()
    // Half a character cannot be stored or sent as UTF-8.
    const text = this.#parts.join('').toWellFormed()
    const reading = readingOf(this.unit, this.#found)
    if (reading === undefined) throw noText(whyWordless(this.unit, this.#found))
    return { text, reading: { ...reading, text_md5: textMd5(text) }, tables: this.#tables }
  }

  /** Begins a unit at a place that the document does not name. */
  #part(): void {
    this.#has_begun = true
    this.begin()
  }

  #endUnit(): void {
    const words = wordsIn(this.#own)
    if (this.#has_unsized_picture) this.notePicture(words === 0 ? 1 : small_picture_share)
    this.#found.push({ words, picture_share: this.#picture_share, fault: this.#fault })
    this.#own = ''
    this.#picture_share = 0
    this.#has_unsized_picture = false
    this.#is_picture_page = false
    this.#fault = undefined
  }
}

/**
 * Words are runs of letters, marks and digits: `§ 4.2` has two. Counts only as many as matter. A
 * run without a limit could overflow the stack.
 */
function wordsIn(text: string): number {
  let words = 0
  for (const _ of text.matchAll(/[\p{L}\p{M}\p{N}]{1,999}/gu)) {
    if (++words === max_counted_words) break
  }
  return words
}
