import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'
import { switchesCharset, utf16WithoutMark } from './read-text.ts'

/** Enough for letter statistics; more text would not change them. */
const sample_bytes = 16_384
/** Percent. Statistics with less confidence do not count: a few words are too little for them. */
const sure_from = 25
/**
 * If no statistics count, bytes without control characters are text in windows-1252, provided that
 * the share of bytes that are not ASCII is below this.
 */
const max_foreign_share = 0.3

/**
 * Decodes text of an unknown charset. It tries UTF-16 and UTF-8, then the charset that the text
 * names (`named`, as a page of HTML does), then statistics of its letters. Undefined if it is not
 * text in a known charset.
 */
export function decodeForeign(bytes: Buffer, named?: string): string | undefined {
  const wide = utf16WithoutMark(bytes)
  if (wide !== undefined) return withoutControls(decodeAs(wide, bytes))
  if (hasControls(bytes)) return undefined
  if (isUtf8(bytes) && !switchesCharset(bytes)) return decodeAs('utf-8', bytes)
  const by_name = named === undefined ? undefined : decodeAs(named, bytes)
  if (by_name !== undefined) return by_name
  const sample = sampleOf(bytes)
  const japanese = hasKana(sample) ? decodeAs('shift_jis', bytes) : undefined
  if (japanese !== undefined) return japanese
  for (const { name, confidence } of analyse(sample)) {
    if (confidence < sure_from) break
    const text = decodeAs(name, bytes)
    if (text !== undefined) return text
  }
  return isMostlyAscii(bytes) ? decodeAs('windows-1252', bytes) : undefined
}

/**
 * True if the text is probably Japanese in Shift_JIS. A few words are too short for statistics,
 * which then find Western letters. But kana take two bytes in Shift_JIS, and the first is 0x82 or
 * 0x83. Elsewhere those are a low quote and a florin: rare, and never before every other letter.
 */
function hasKana(sample: Buffer): boolean {
  const text = sample.toString('latin1')
  const kana = text.match(/\x82[\x9f-\xf1]|\x83[\x40-\x96]/g)?.length ?? 0
  const foreign = text.match(/[\x80-\xff]/g)?.length ?? 0
  return kana >= 2 && kana * 4 >= foreign
}

/** A sample around the first byte that is not ASCII; the start of a long text may have none. */
function sampleOf(bytes: Buffer): Buffer {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  )
  const from = Math.max(0, first - 256)
  return bytes.subarray(from, from + sample_bytes)
}

/** Text may have tab, line ends, form feed and escape (ISO-2022), but no other controls. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some(
    (byte) =>
      (byte < 0x20 && (byte < 0x09 || byte === 0x0b || byte > 0x0d) && byte !== 0x1b) ||
      byte === 0x7f,
  )
}

function withoutControls(text: string | undefined): string | undefined {
  return text === undefined || hasControls(Buffer.from(text)) ? undefined : text
}

function isMostlyAscii(bytes: Buffer): boolean {
  let foreign = 0
  for (const byte of bytes) {
    if (byte > 0x7f) foreign++
  }
  return foreign < bytes.length * max_foreign_share
}

function decodeAs(charset: string, bytes: Buffer): string | undefined {
  try {
    const text = decodeCharset(charset, bytes, { strict: true })
    return text.includes('\0') ? undefined : text
  } catch {
    // This Node does not know the charset, or the charset does not allow the bytes.
    return undefined
  }
}

/** The characters 0x80 to 0x9f. Five are unused and become Latin-1 controls, as in browsers. */
const windows_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Decodes text by the name of its charset. It throws if this Node does not know the charset, and
 * with `strict` also for invalid bytes. Node 20 reads windows-1252 as Latin-1, without quotes and
 * dashes, so this function decodes windows-1252 itself.
 */
export function decodeCharset(
  charset: string,
  bytes: Buffer,
  { strict }: { strict: boolean },
): string {
  const decoder = new TextDecoder(charset, { fatal: strict })
  if (decoder.encoding !== 'windows-1252') return decoder.decode(bytes)
  const text = bytes.toString('latin1')
  return text.replace(/[\u0080-\u009f]/g, (letter) => windows_1252[letter.charCodeAt(0) - 0x80]!)
}
