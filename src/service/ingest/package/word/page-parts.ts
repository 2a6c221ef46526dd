import { type DocumentText, wordsIn } from '../../document-text.ts'
import { max_counted_words } from '../../judge-units.ts'
import type { Archive } from '../archive.ts'

const emu_a_twip = 635
/** A4. */
const usual_page_emu2 = 11_906 * 16_838 * emu_a_twip ** 2
/** A picture of this share leaves no space for a text within the usual margins. */
const full_page_share = 0.45
const small_share = 0.01
/** Longer than the element of a page size. */
const max_element_length = 200

/**
 * Parts a document at the pictures that fill a page, because Word documents have no fixed pages.
 * A caption belongs to its picture; a longer text stands on other pages.
 */
export class PageParts {
  readonly #text: DocumentText
  readonly #page_emu2: number
  #is_blank = true
  #has_full_page = false
  #words = 0

  constructor(text: DocumentText, page_emu2 = usual_page_emu2) {
    this.#text = text
    this.#page_emu2 = page_emu2
  }

  /** Notes a picture; 0 for an unknown area. Where pages end is unknown, so others are small. */
  notePicture(area_emu2: number): void {
    const share = Math.min(area_emu2 / this.#page_emu2, 1)
    const is_page = share >= full_page_share
    if (is_page && !this.#is_blank) this.#begin()
    this.#has_full_page ||= is_page
    this.#is_blank &&= !is_page
    this.#text.notePicture(is_page ? share : small_share)
  }

  beforeText(words: string): void {
    this.#is_blank = false
    if (!this.#has_full_page) return
    this.#words += wordsIn(words)
    if (this.#words < max_counted_words) return
    this.#begin()
    this.#is_blank = false
  }

  #begin(): void {
    this.#text.begin()
    this.#is_blank = true
    this.#has_full_page = false
    this.#words = 0
  }
}

/** The area of the largest page. Word writes it behind the text, where a picture is long past. */
export async function pageArea(archive: Archive, main: string): Promise<number> {
  let largest = 0
  let before = ''
  for await (const chunk of archive.stream(main)) {
    const text = before + chunk.toString('latin1')
    for (const [element] of text.matchAll(/<(?:\w+:)?pgSz\s[^>]*>/g)) {
      const side = (name: string) =>
        Number(new RegExp(`[\\s:]${name}\\s*=\\s*["'](\\d+)`).exec(element)?.[1])
      largest = Math.max(largest, side('w') * side('h') * emu_a_twip ** 2 || 0)
    }
    before = text.slice(-max_element_length)
  }
  return largest || usual_page_emu2
}
