import type { ReadUnit } from '../../../../contract/messages/messages-assets.ts'
import type { DocumentText } from '../../document-text.ts'
import { areaOf } from '../area.ts'
import type { XmlAttributes } from '../xml.ts'
import type { OpenObject } from './open-objects.ts'

/** What says how large a frame is, and what an object in it says. */
export interface FrameSources {
  unit: ReadUnit
  /** In square points. */
  page_area: number
  /** Charts and formulas by their folders. */
  objects: ReadonlyMap<string, OpenObject>
}

interface OpenFrame {
  /** Of a page; undefined if it has no size. */
  share: number | undefined
  has_picture: boolean
  /** Something whose words are read; the picture beside it is only its image. */
  has_words: boolean
}

/** Follows the frames of a page, and notes the pictures in them. */
export class OpenFrames {
  readonly #text: DocumentText
  readonly #sources: FrameSources
  readonly #frames: OpenFrame[] = []

  constructor(text: DocumentText, sources: FrameSources) {
    this.#text = text
    this.#sources = sources
  }

  /** The words of the object that an element names; empty for all other elements. */
  open(name: string, attributes: XmlAttributes): string {
    const { unit, page_area, objects } = this.#sources
    if (name === 'frame') {
      const area = unit === 'sheet' ? undefined : areaOf(attributes.width, attributes.height)
      const share = area === undefined ? undefined : area / page_area
      this.#frames.push({ share, has_picture: false, has_words: false })
    }
    const frame = this.#frames.at(-1)
    if (!frame) return ''
    if (name === 'image') frame.has_picture = true
    if (name === 'table' || name === 'text-box') frame.has_words = true
    if (name !== 'object') return ''
    const folder = (attributes.href ?? '').replace(/^\.\//, '')
    // Other objects are links to files elsewhere.
    if (!/^[^/:.]+$/.test(folder)) return ''
    const { words, fault } = objects.get(folder) ?? {
      words: '',
      fault: `is broken (${folder} is missing)`,
    }
    if (fault !== undefined) this.#text.noteFault(fault)
    if (words !== '') frame.has_words = true
    return words
  }

  close(name: string): void {
    if (name !== 'frame') return
    const frame = this.#frames.pop()
    if (!frame?.has_picture || frame.has_words) return
    if (this.#sources.unit === 'part') this.#text.notePictureInFlow(frame.share ?? 0)
    else this.#text.notePicture(frame.share)
  }
}
