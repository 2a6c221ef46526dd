import type { XmlAttributes } from '../xml.ts'
import { isOn } from './lists.ts'

/**
 * Follows the fields of a document. The code of a field is left out, its result is text. The boxes
 * and lists of old forms have no result.
 */
export class Fields {
  /** True for each field that is open and has not yet come to its result. */
  #codes: boolean[] = []
  /** Counted, because a hostile document has many fields that never end. */
  #open_codes = 0
  #is_checked = false
  #entries: string[] = []
  #entry = 0

  get isCode(): boolean {
    return this.#open_codes > 0
  }

  open(name: string, parent: string, { fldCharType, val = '' }: XmlAttributes): void {
    if (fldCharType === 'begin') {
      this.#codes.push(true)
      this.#open_codes++
    }
    // Both end the code; a field need not have a result.
    if (fldCharType === 'separate' || fldCharType === 'end') {
      if (this.#codes.pop()) this.#open_codes--
      if (fldCharType === 'separate') this.#codes.push(false)
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
