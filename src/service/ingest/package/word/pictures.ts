import type { DocumentText } from '../../document-text.ts'
import { areaOf } from '../area.ts'
import type { XmlAttributes } from '../xml.ts'

const emu_a_point = 12_700

/** Finds the pictures of a document and their sizes. */
export class Pictures {
  readonly #text: DocumentText
  readonly #page_emu2: number
  #area_emu2 = 0

  constructor(text: DocumentText, page_emu2: number) {
    this.#text = text
    this.#page_emu2 = page_emu2
  }

  open(name: string, { cx = '', cy = '', behindDoc, style = '' }: XmlAttributes): void {
    if (name === 'drawing' || name === 'pict' || name === 'object') this.#area_emu2 = 0
    // A picture behind the text is a watermark or a background.
    if (name === 'anchor') this.#area_emu2 = behindDoc === '1' ? Number.NaN : 0
    if (name === 'extent') this.#area_emu2 += Number(cx) * Number(cy)
    if (name === 'shape') this.#area_emu2 = areaOfStyle(style)
    if (name === 'blip' || name === 'imagedata') this.#note()
  }

  #note(): void {
    this.#text.notePictureInFlow(this.#area_emu2 / this.#page_emu2)
    // A group has one size and many pictures.
    this.#area_emu2 = 0
  }
}

function areaOfStyle(style: string): number {
  const side = (name: string) => new RegExp(`(?:^|;)\\s*${name}:\\s*([\\d.]+\\w*)`).exec(style)?.[1]
  // A shape with a negative index is behind the text.
  const is_behind = /z-index:\s*-/.test(style)
  return is_behind ? 0 : (areaOf(side('width'), side('height')) ?? 0) * emu_a_point ** 2
}
