import type { AssetReading, ReadUnit } from '../../contract/messages/messages-assets.ts'
import type { RecognisedPage } from '../store/picture-pages.ts'
import { type ExtractLimits, noText, tooMuchText } from './extract-limits.ts'
import {
  full_page_share,
  max_counted_words,
  max_named,
  readingOf,
  recognisableUnits,
  small_picture_share,
  type UnitFound,
  whyWordless,
  withinRecognition,
} from './judge-units.ts'
import { type Mark, Places } from './places.ts'
import { textMd5 } from './text/text-md5.ts'

/** A text, and what is not certain about it, such as `its character set is not certain`. */
export interface Decoded {
  text: string
  doubt?: string | undefined
}

/** The text of a file, and how much of the file it is. */
export interface ReadDocument {
  text: string
  reading: AssetReading
  tables: readonly Table[]
  /** In the order of the text; absent in a text without places. */
  marks?: readonly Mark[]
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

/** What was found so far in a page, slide, sheet or part. */
interface OpenUnit extends Omit<UnitFound, 'words'> {
  /** Text that counts as its own words. */
  own: string
  has_unsized_picture: boolean
  is_picture_page: boolean
}

function emptyUnit(): OpenUnit {
  return { own: '', picture_share: 0, has_unsized_picture: false, is_picture_page: false }
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
  #unit = emptyUnit()
  /** Where its units, headings and rows stand. */
  readonly places = new Places()
  #has_begun = false
  #length = 0
  /** What is not certain about its text. */
  readonly #doubts: string[] = []

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
    return wordsIn(this.#unit.own) < max_counted_words
  }

  get is_wordless(): boolean {
    return wordsIn(this.#unit.own) === 0
  }

  /** `name`: what users call the unit, where it has more than its number. */
  begin(name = ''): void {
    if (this.#has_begun) this.#endUnit()
    this.#has_begun = true
    // A part is a chapter with a heading, or begins at a picture: its number says nothing. Mail
    // names its attachments itself.
    if (name === '' && (this.unit === 'part' || this.unit === 'attachment')) return
    this.places.beginUnit(this.#length, `${this.unit} ${name || this.#found.length + 1}`)
  }

  /** Adds text that the document says. */
  add(text: string): void {
    // A caption belongs to its picture; a longer text stands on other pages.
    if (this.#unit.is_picture_page && wordsIn(this.#unit.own + text) === max_counted_words)
      this.#part()
    this.#unit.own += text
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
    this.#unit.own = ''
  }

  noteTable(table: Table): void {
    this.#tables.push(table)
  }

  /**
   * Notes a picture in the present unit. `share` of the page's area, 0 to 1; without it the picture
   * fills the unit if no word stands beside it, because a title on a background is normal.
   */
  notePicture(share?: number): void {
    if (share === undefined) this.#unit.has_unsized_picture = true
    else this.#unit.picture_share = Math.max(this.#unit.picture_share, share)
  }

  /**
   * Notes a picture in a document without fixed pages. Where pages end is unknown, so only one that
   * fills a page matters: it is a unit of its own.
   */
  notePictureInFlow(share: number): void {
    const is_page = share >= full_page_share
    if (is_page && (this.#unit.own.trim() !== '' || this.#unit.is_picture_page)) this.#part()
    this.#unit.is_picture_page ||= is_page
    this.notePicture(is_page ? Math.min(share, 1) : small_picture_share)
  }

  /** Notes why the present unit cannot be read, to continue "page 3 …", such as `is encrypted`. */
  noteFault(fault: string): void {
    this.#unit.fault ??= fault
  }

  /** Notes what of the present unit was not read, in a clause that names it. */
  noteUnread(clause: string): void {
    if (this.#unit.fault !== undefined) return
    this.#unit.fault = clause
    this.#unit.is_named = true
  }

  /** Notes what is not certain about the text, in a clause. */
  noteDoubt(clause: string): void {
    if (this.#doubts.length < max_named) this.#doubts.push(clause)
  }

  /** Adds what a program recognised in the picture of the present unit, or why it did not. */
  addRecognised({ words, fault }: RecognisedPage): void {
    this.#unit.is_recognised = fault === null
    this.#unit.fault = fault ?? undefined
    this.add(words)
  }

  /** The numbers of units, from 1, that a program can recognise; all of them after `end`. */
  get pictures(): readonly number[] {
    return recognisableUnits(this.#found)
  }

  /**
   * Ends the document. Throws `ingest.no_text` if it has no word of its own. `max_pictures`: how
   * many more of its units a program will recognise; absent where none does.
   */
  end(max_pictures?: number): ReadDocument {
    this.#endUnit()
    // Half a character cannot be stored or sent as UTF-8.
    const text = this.#parts.join('').toWellFormed()
    const found =
      max_pictures === undefined ? this.#found : withinRecognition(this.#found, max_pictures)
    const reading = readingOf(this.unit, found)
    if (reading === undefined) throw noText(whyWordless(this.unit, found))
    const why = [reading.why ?? [], this.#doubts].flat().join('; ')
    return {
      text,
      reading: { ...reading, ...(why && { why }), text_md5: textMd5(text) },
      tables: this.#tables,
      marks: this.places.marks,
    }
  }

  /** Begins a unit at a place that the document does not name. */
  #part(): void {
    this.#has_begun = true
    this.begin()
  }

  #endUnit(): void {
    const words = wordsIn(this.#unit.own)
    if (this.#unit.has_unsized_picture) this.notePicture(words === 0 ? 1 : small_picture_share)
    const { own: _, ...found } = this.#unit
    this.#found.push({ ...found, words })
    this.#unit = emptyUnit()
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
