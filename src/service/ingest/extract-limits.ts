import { SluiceError } from '../../base/run/errors.ts'

export interface ExtractLimits {
  /** Of all that is unpacked from one archive. */
  unpacked_bytes: number
  /** Of the text, in UTF-16 units. */
  text_length: number
}

/** A file that cannot be read, in words that the log shows as they are. */
export function unreadable(message: string): SluiceError {
  return new SluiceError({ code: 'ingest.unreadable', message })
}

export function tooMuchText({ text_length }: ExtractLimits): SluiceError {
  return unreadable(`holds more than ${text_length} characters of text`)
}

/** Text as it grows, within its limit. */
export class GrowingText {
  readonly #parts: string[] = []
  readonly #limits: ExtractLimits
  #length = 0

  constructor(limits: ExtractLimits) {
    this.#limits = limits
  }

  add(text: string): void {
    this.#length += text.length
    if (this.#length > this.#limits.text_length) throw tooMuchText(this.#limits)
    this.#parts.push(text)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
