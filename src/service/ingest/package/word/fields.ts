import { isOn } from './lists.ts'

/**
 * Follows the fields of a document. The code of a field is left out, its result is text. The boxes
 * and lists of old forms have no result.
 */
export class Fields {
  /** True for each field that is open and has not yet come to its result. */
  #codes: boolean[] = []
  #is_checked = false
  #entries: string[] = []
  #entry = 0

  get isCode(): boolean {
    return this.#codes.includes(true)
  }

  open(name: string, parent: string, { fldCharType, val = '' }: Record<string, string>): void {
    if (fldCharType === 'begin') this.#codes.push(true)
    if (fldCharType === 'separate') this.#codes[Math.max(this.#codes.length - 1, 0)] = false
    if (fldCharType === 'end') this.#codes.pop()
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
    if (this.isCode) this.#codes = this.#codes.filter((is_code) => !is_code)
  }
}
