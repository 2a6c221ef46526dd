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

/** The text without a byte order mark. Error `EncodingFault`. */
export function decodeText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8')
  // A byte order mark of UTF-16, or a zero byte beside the first letter.
  if (/^(\xff\xfe|\xfe\xff|\0|.\0)/.test(Buffer.from(bytes.subarray(0, 2)).toString('latin1')))
    throw new EncodingFault('UTF-16 ("Unicode")')
  // Certificates are ASCII, and may stand among notes in any encoding.
  if (!isUtf8(bytes) && !text.includes('-----BEGIN '))
    throw new EncodingFault('Latin-1 or Windows-1252 ("ANSI")', text.split('\ufffd', 1)[0])
  return text.replace(/^\ufeff/, '')
}
