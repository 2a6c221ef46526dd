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
