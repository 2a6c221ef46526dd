import { codeOf, isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import { formatBytes } from '../../base/text/format.ts'

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

/** The error for a file, or one part of it, that does not keep to its format. */
export function broken(why: string): SluiceError {
  return new SluiceError({ code: 'ingest.broken', message: `broken: ${why}` })
}

export function unpacksTooMuch(max_bytes: number): SluiceError {
  return unreadable(`it unpacks to more than ${formatBytes(max_bytes)}`)
}

/** A longest text has four bytes a character at most. What is unpacked at once has no more. */
export function maxBytesAtOnce({ unpacked_bytes, text_length }: ExtractLimits): number {
  return Math.min(unpacked_bytes, 4 * text_length)
}

export function tooMuchText({ text_length }: Pick<ExtractLimits, 'text_length'>): SluiceError {
  return unreadable(`it has more than ${text_length} characters of text`)
}

export const no_text = 'it has no text'

/**
 * The error for a file without a word of its own. Such a file says nothing about its kind.
 * `message`: with what it has instead, such as `it has no text, only pictures`, or why.
 */
export function noText(message = no_text): SluiceError {
  return new SluiceError({ code: 'ingest.no_text', message })
}

/** The error for a text in a form for programs, which says nothing about the kind of its name. */
export function wireForm(message: string): SluiceError {
  return new SluiceError({ code: 'ingest.wire_form', message })
}

/** The error for a kind of file that a package would read which this machine does not have. */
export function missingPackage(name: string): SluiceError {
  const message = `this kind of file needs the optional package ${name}, which is not installed`
  return new SluiceError({ code: 'ingest.missing_package', message })
}

export interface Unreadable {
  /** Why, as a clause such as `it contains NUL bytes`. */
  unreadable: string
  /** The file was read, and has no word of its own. */
  has_no_text?: true
  /** It is in a form for programs, such as a key in armour, under the name of another kind. */
  is_wire_form?: true
  /** This machine is the cause, such as by a missing package: the file may be fine. */
  is_local?: true
}

/** The most characters of a library's error message that `unreadable` quotes. */
const max_quoted_length = 200

/** What the codes of errors say beside their message. */
const marks = new Map<string | undefined, Omit<Unreadable, 'unreadable'>>([
  ['ingest.no_text', { has_no_text: true }],
  ['ingest.wire_form', { is_wire_form: true }],
  ['ingest.missing_package', { is_local: true }],
])

export function unreadableOf(error: unknown): Unreadable {
  const fault = codeOf(error) === 'ERR_MODULE_NOT_FOUND' ? missingModule(error) : error
  return { unreadable: reasonOf(fault), ...marks.get(codeOf(fault)) }
}

/** Node names the package only in its message. */
function missingModule(error: unknown): SluiceError {
  return missingPackage(/'([^']+)'/.exec(messageOf(error))?.[1] ?? '')
}

function reasonOf(error: unknown): string {
  if (isSluiceError(error)) return error.message
  const words = messageOf(error).replace(/\s+/g, ' ').slice(0, max_quoted_length)
  if (/allocation failed|out of memory/i.test(words))
    return 'it needs more memory than a file may use'
  return `broken: ${words}`
}
