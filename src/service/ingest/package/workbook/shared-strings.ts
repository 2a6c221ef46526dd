import type { Archive } from '../archive.ts'
import { walkXml, type XmlListener } from '../xml.ts'

/** The texts of cells. One part contains each text once, and cells refer to it by number. */
export async function readSharedStrings(archive: Archive, part: string): Promise<string[]> {
  const strings: string[] = []
  const rich = new RichText()
  await walkXml(archive.stream(part), {
    ...rich.listener,
    close(name) {
      rich.listener.close(name)
      if (name === 'si') strings.push(rich.take())
    },
  })
  return strings
}

/** Collects a text that consists of runs, without the readings that stand above Asian letters. */
export class RichText {
  #text = ''
  #is_open = false
  #is_phonetic = false

  readonly listener = {
    open: (name) => {
      if (name === 'rPh') this.#is_phonetic = true
      this.#is_open = name === 't' && !this.#is_phonetic
    },
    text: (piece) => {
      if (this.#is_open) this.#text += piece
    },
    close: (name) => {
      if (name === 'rPh') this.#is_phonetic = false
      this.#is_open = false
    },
  } satisfies XmlListener

  /** The text since the last call. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
