import { isUtf8 } from 'node:buffer'

/** A text in another encoding than UTF-8, which would be read as other characters. */
export class EncodingFault extends Error {
  /** Up to the first character that is not UTF-8. */
  readonly before: string

  constructor(encoding: string, before = '') {
    super(`the file is saved as ${encoding}: save it as UTF-8`)
    this.before = before
  }
}

/** Beginnings: a byte order mark, or the zero bytes beside the first letters. */
const wide_encodings: readonly (readonly [RegExp, string])[] = [
  [/^(\xff\xfe\0\0|\0\0\xfe\xff|\0\0\0[^\0]|[^\0]\0\0\0)/, 'UTF-32'],
  [/^(\xff\xfe|\xfe\xff|\0[^\0]\0[^\0]|[^\0]\0[^\0]\0)/, 'UTF-16 ("Unicode")'],
]

/** The text without a byte order mark. Error `EncodingFault`. */
export function decodeText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8')
  const beginning = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  const encoding = wide_encodings.find(([pattern]) => pattern.test(beginning))?.[1]
  if (encoding !== undefined) throw new EncodingFault(encoding)
  // Certificates are ASCII, and may stand among notes in any encoding.
  if (!isUtf8(bytes) && !text.includes('-----BEGIN '))
    throw new EncodingFault('Latin-1 or Windows-1252 ("ANSI")', text.split('\ufffd', 1)[0])
  return text.replace(/^\ufeff/, '')
}
