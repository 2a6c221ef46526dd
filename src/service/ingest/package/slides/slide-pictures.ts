import type { DocumentText } from '../../document-text.ts'
import type { XmlAttributes } from '../xml.ts'

/** Finds the pictures of a slide and their shares of it. */
export class SlidePictures {
  readonly #text: DocumentText
  readonly #slide_emu2: number
  /** For each group that is open, by how much it enlarges the area of what is in it. */
  readonly #scales = [1]
  #group_emu2 = 0
  #share = 0

  constructor(text: DocumentText, slide_emu2: number) {
    this.#text = text
    this.#slide_emu2 = slide_emu2
  }

  open(name: string, parent: string, { cx = '', cy = '' }: XmlAttributes): void {
    if (name === 'grpSp') this.#scales.push(this.#scales.at(-1)!)
    if (name === 'sp' || name === 'pic' || name === 'bg') this.#share = 0
    const area_emu2 = Number(cx) * Number(cy)
    if (name === 'ext' && parent === 'xfrm') {
      this.#group_emu2 = area_emu2
      this.#share = (area_emu2 * this.#scales.at(-1)!) / this.#slide_emu2
    }
    if (name === 'chExt' && this.#scales.length > 1) {
      const scale = this.#group_emu2 / area_emu2
      if (Number.isFinite(scale)) this.#scales[this.#scales.length - 1]! *= scale
    }
  }

  closeGroup(): void {
    if (this.#scales.length > 1) this.#scales.pop()
  }

  /** Notes that the present shape is a picture, or is filled with one. A background has no size. */
  note(): void {
    this.#text.notePicture(this.#share > 0 ? Math.min(this.#share, 1) : undefined)
  }
}
