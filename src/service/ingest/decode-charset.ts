import { TextDecoder } from 'node:util'

/** 0x80 to 0x9f; the five that stand for nothing are taken as the control characters of Latin-1, as browsers do. */
const windows_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Text in a character set by its name. Error: a set that this Node does not have; with `strict`, bytes that it does not allow.
 * Node 20 reads windows-1252 as Latin-1, which lacks the quotes and dashes: it is done here.
 */
export function decodeCharset(charset: string, bytes: Buffer, { strict }: { strict: boolean }): string {
  const decoder = new TextDecoder(charset, { fatal: strict })
  if (decoder.encoding !== 'windows-1252') return decoder.decode(bytes)
  const text = bytes.toString('latin1')
  return text.replace(/[\u0080-\u009f]/g, (letter) => windows_1252[letter.charCodeAt(0) - 0x80]!)
}

/** ISO-2022 (Japanese mail) is ASCII throughout, and says by escape sequences what it means otherwise. */
export function switchesCharset(bytes: Buffer): boolean {
  return bytes.includes('\x1b$')
}

const sample_bytes = 16_384

/** UTF-16 without a mark gives itself away where ASCII letters occur: in two bytes, one of them always the same zero. */
export function utf16WithoutMark(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length % 2 === 1) return undefined
  const sample = bytes.subarray(0, sample_bytes)
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  // A few bytes are no evidence.
  if (odd + even < 3) return undefined
  if (odd > sample.length / 8 && even < odd / 16) return 'utf-16le'
  if (even > sample.length / 8 && odd < even / 16) return 'utf-16be'
  return undefined
}
