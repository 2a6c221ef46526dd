import type { DocumentText } from '../document-text.ts'

/** Notes the pictures of an RTF file. Lengths are in twips. */
export class RtfPictures {
  readonly #text: DocumentText
  /** A4. */
  readonly #page = { width: 11_906, height: 16_838 }
  #width = 0

  constructor(text: DocumentText) {
    this.#text = text
  }

  word(word: string, number: number): void {
    if (word === 'paperw' && number > 0) this.#page.width = number
    if (word === 'paperh' && number > 0) this.#page.height = number
    if (word === 'picwgoal') this.#width = number
    if (word === 'pichgoal') this.#note(this.#width * number)
    if (word === 'pict') this.#note(1)
  }

  #note(area: number): void {
    this.#text.notePicture(Math.min(1, area / (this.#page.width * this.#page.height)))
  }
}
