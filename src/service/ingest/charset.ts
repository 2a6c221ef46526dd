import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'
import { switchesCharset, utf16WithoutMark } from './read-text.ts'

/** Enough for letter statistics, which is all that the rest of a text could add to. */
const sample_bytes = 16_384
/** Of 100. Below it the statistics say nothing: a few words are too little for them. */
const sure_from = 25
/** Where nothing is sure, text in the Latin alphabet: mostly ASCII, and none of the bytes that text has no use for. */
const max_foreign_share = 0.3

/**
 * Text in another character set than UTF-8, by its statistics; undefined where it is no text in any that is known. A charset
 * that the text itself names (a page of HTML does) is tried first.
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
 * A few words of Japanese are too little for statistics, which then see Western letters. But kana are two bytes in Shift_JIS, the first always
 * 0x82 or 0x83, and those are a low quote and a florin elsewhere: hardly ever there, and never in front of every other letter.
 */
function hasKana(sample: Buffer): boolean {
  const text = sample.toString('latin1')
  const kana = text.match(/\x82[\x9f-\xf1]|\x83[\x40-\x96]/g)?.length ?? 0
  const foreign = text.match(/[\x80-\xff]/g)?.length ?? 0
  return kana >= 2 && kana * 4 >= foreign
}

/** Around the first byte that is not ASCII: the start of a long text may hold none. */
function sampleOf(bytes: Buffer): Buffer {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  )
  const from = Math.max(0, first - 256)
  return bytes.subarray(from, from + sample_bytes)
}

/** Tab, the line ends, form feed and escape (ISO-2022) occur in text, the other control characters do not. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some(
    (byte) => (byte < 0x20 && (byte < 0x09 || byte === 0x0b || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f,
  )
}

function withoutControls(text: string | undefined): string | undefined {
  return text === undefined || hasControls(Buffer.from(text)) ? undefined : text
}

function isMostlyAscii(bytes: Buffer): boolean {
  let foreign = 0
  for (const byte of bytes) if (byte > 0x7f) foreign++
  return foreign < bytes.length * max_foreign_share
}

function decodeAs(charset: string, bytes: Buffer): string | undefined {
  try {
    const text = decodeCharset(charset, bytes, { strict: true })
    return text.includes('\0') ? undefined : text
  } catch {
    // A charset that this Node does not have, or bytes that it does not allow.
    return undefined
  }
}

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
