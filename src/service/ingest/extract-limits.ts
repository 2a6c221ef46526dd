import { SluiceError } from '../../base/run/errors.ts'

export interface ExtractLimits {
  /** The most bytes that one archive may unpack to. */
  unpacked_bytes: number
  /** The longest text, in UTF-16 units. */
  text_length: number
}

/** The error for a file that cannot be read. The log shows its message as it is. */
export function unreadable(message: string): SluiceError {
  return new SluiceError({ code: 'ingest.unreadable', message })
}

export function tooMuchText({ text_length }: ExtractLimits): SluiceError {
  return unreadable(`it has more than ${text_length} characters of text`)
}

/** Collects text. It throws when the text exceeds its limit. */
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
