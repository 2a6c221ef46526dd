import type { XmlAttributes } from '../xml.ts'
import { isOn } from './lists.ts'

/** True for the number of a page or of pages: on each page it is another. */
export function isPageNumber(code = ''): boolean {
  return /^\s*(PAGE|NUMPAGES|SECTIONPAGES)\b/i.test(code)
}

/** Longer than the names of fields. */
const max_code_length = 100

/**
 * Follows the fields of a document. The code of a field is left out, its result is text, unless it
 * is the number of a page. The boxes and lists of old forms have no result.
 */
export class Fields {
  /** True for each open field that has not come to its result, or has none that is read. */
  #codes: boolean[] = []
  /** Of the innermost field. */
  #code = ''
  /** Counted, because a hostile document has many fields that never end. */
  #open_codes = 0
  #is_checked = false
  #entries: string[] = []
  #entry = 0

  get isCode(): boolean {
    return this.#open_codes > 0
  }

  open(name: string, parent: string, { fldCharType, val = '' }: XmlAttributes): void {
    if (fldCharType === 'begin') this.#begin(true)
    // Both end the code; a field need not have a result.
    if (fldCharType === 'separate' || fldCharType === 'end') {
      if (this.#codes.pop()) this.#open_codes--
      if (fldCharType === 'separate') this.#begin(isPageNumber(this.#code))
    }
    if (name === 'checkBox') this.#is_checked = false
    if (name === 'ddList') {
      this.#entries = []
      this.#entry = 0
    }
    if (parent === 'checkBox' && (name === 'default' || name === 'checked'))
      this.#is_checked = isOn(val)
    if (parent !== 'ddList') return
    if (name === 'listEntry') this.#entries.push(val)
    if (name === 'default' || name === 'result') this.#entry = Number(val)
  }

  addCode(piece: string): void {
    this.#code = (this.#code + piece).slice(0, max_code_length)
  }

  #begin(is_left_out: boolean): void {
    this.#codes.push(is_left_out)
    if (is_left_out) this.#open_codes++
    this.#code = ''
  }

  /** The text of the form field that ends here; undefined elsewhere. */
  close(name: string): string | undefined {
    if (name === 'checkBox') return this.#is_checked ? '☒' : '☐'
    return name === 'ddList' ? this.#entries[this.#entry] : undefined
  }

  /** A field whose code does not end with its paragraph is broken, and must not hide the others. */
  endParagraph(): void {
    if (!this.isCode) return
    this.#codes = this.#codes.filter((is_code) => !is_code)
    this.#open_codes = 0
  }
}
