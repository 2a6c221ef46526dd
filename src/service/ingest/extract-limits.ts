import { isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'

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

export function tooMuchText({ text_length }: Pick<ExtractLimits, 'text_length'>): SluiceError {
  return unreadable(`it has more than ${text_length} characters of text`)
}

/**
 * The error for a file without a word of its own. Such a file says nothing about its kind. `only`:
 * what it has instead.
 */
export function noText(only?: 'pictures' | 'attached files'): SluiceError {
  const message = only === undefined ? 'it has no text' : `it has no text, only ${only}`
  return new SluiceError({ code: 'ingest.no_text', message })
}

/** The error for a text in a form for programs, which says nothing about the kind of its name. */
export function wireForm(message: string): SluiceError {
  return new SluiceError({ code: 'ingest.wire_form', message })
}

export interface Unreadable {
  /** Why, as a clause such as `it contains NUL bytes`. */
  unreadable: string
  /** The file was read, and has no word of its own. */
  has_no_text?: true
  /** It is in a form for programs, such as mail as it is sent, under the name of another kind. */
  is_wire_form?: true
  /** This machine is the cause, such as by a missing package: the file may be fine. */
  is_local?: true
}

/** The most characters of a library's error message that `unreadable` quotes. */
const max_quoted_length = 200

export function unreadableOf(error: unknown): Unreadable {
  if (isSluiceError(error, 'ingest.no_text'))
    return { unreadable: error.message, has_no_text: true }
  if (isSluiceError(error, 'ingest.wire_form'))
    return { unreadable: error.message, is_wire_form: true }
  const missing = /Cannot find package '([^']+)'/.exec(messageOf(error))?.[1]
  if (missing === undefined) return { unreadable: reasonOf(error) }
  const why = `this kind of file needs the optional package ${missing}, which is not installed`
  return { unreadable: why, is_local: true }
}

function reasonOf(error: unknown): string {
  if (isSluiceError(error, 'ingest.unreadable')) return error.message
  const words = messageOf(error).replace(/\s+/g, ' ').slice(0, max_quoted_length)
  if (/allocation failed|out of memory/i.test(words))
    return 'it needs more memory than a file may use'
  return `broken: ${words}`
}
