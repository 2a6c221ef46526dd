import type { DocumentText } from '../document-text.ts'

/** Notes the pictures of an RTF file. Lengths are in twips. */
export class RtfPictures {
  readonly #text: DocumentText
  /** A4. */
  readonly #page = { width: 11_906, height: 16_838 }
  #width = 0
  #is_silent = false

  constructor(text: DocumentText) {
    this.#text = text
  }

  /** `is_silent`: nothing around the word is shown, such as the copy for old programs. */
  word(word: string, number: number, is_silent: boolean): void {
    if (word === 'paperw' && number > 0) this.#page.width = number
    if (word === 'paperh' && number > 0) this.#page.height = number
    if (word === 'pict') this.#begin(is_silent)
    if (word === 'picwgoal') this.#width = number
    if (word === 'pichgoal') this.#note(this.#width * number)
  }

  #begin(is_silent: boolean): void {
    this.#is_silent = is_silent
    this.#note(0)
  }

  #note(area: number): void {
    const share = area / (this.#page.width * this.#page.height)
    // A silent one is a copy of another, or a shape that may be the background of text.
    if (this.#is_silent) this.#text.notePicture(Math.min(share, 1))
    else this.#text.notePictureInFlow(share)
  }
}
