import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import type { Decoded } from '../document-text.ts'
import { charset_tables } from './charset-tables.ts'
import { plausibility } from './letters.ts'
import { switchesCharset, utf16ByMark, utf16WithoutMark, withoutPadding } from './read-text.ts'

/** Enough for letter statistics; more text would not change them. */
const sample_bytes = 16_384
/** A text is refused below this plausibility, unless it is mostly ASCII. */
const plausible_from = 0.3
/** A reading is sure if it is better than the next one by this for each letter, or in all. */
const sure_margin = 0.05
const sure_sum = 1.5
/** In one script, a few bytes can be words of another one by chance: Thai, Chinese, Cyrillic. */
const min_script_letters = 20
const other_script = /[\u0370-\u1dff\u2e80-\ud7ff]/
/** The share of bytes that are not ASCII, below which bytes without controls are text. */
const max_foreign_share = 0.3
/** Of UTF-8 in which some bytes are wrong, the number of right letters for each wrong one. */
const right_for_a_wrong = 8

/**
 * Charsets by family. `rarity`: how much better than the first a rare one must be, for each letter.
 * `proof`: the same for the whole text, so that one or two letters do not decide against the first.
 */
const candidates: readonly (readonly [rarity: number, proof: number, names: readonly string[]])[] =
  [
    [0, 0, ['windows-1252']],
    [0, 0.3, ['windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255']],
    [0, 0.3, ['windows-1256', 'windows-1257', 'windows-1258', 'windows-874']],
    [0, 0.3, ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'koi8-u', 'koi8-r']],
    [0.01, 0.3, ['iso-8859-15', 'iso-8859-2', 'iso-8859-5', 'iso-8859-7', 'iso-8859-6']],
    [0.02, 0.3, ['cp850', 'cp437', 'cp852', 'ibm866', 'cp737', 'cp775', 'cp857', 'cp862']],
    [0.03, 0.3, ['cp860', 'cp863', 'cp865']],
    [0.01, 0.3, ['macintosh', 'x-mac-cyrillic']],
    [0.1, 0.3, ['mac-latin2']],
    [0.15, 0.3, ['viscii']],
  ]

/**
 * Decodes text of an unknown charset. It tries the marks of Unicode, UTF-16 and UTF-8, then the
 * charset that the text or its folder names (`named`), then the letters of the languages.
 * Undefined if it is not text in a known charset.
 */
export function decodeForeign(padded: Buffer, named?: string): Decoded | undefined {
  const bytes = withoutPadding(padded)
  const wide = textOnly(decodeWide(bytes)) ?? decodeDamagedUtf16(bytes)
  if (wide || hasControls(bytes)) return wide
  const has_escapes = switchesCharset(bytes)
  if (isUtf8(bytes) && !has_escapes) {
    const text = decodeAs('utf-8', bytes)
    return textOnly(utf7_name.test(named ?? '') ? text?.replace(utf7_run, fromUtf7) : text)
  }
  const charsets = [named, has_escapes ? 'iso-2022-jp' : undefined]
  const known = charsets.map((charset) => charset && decodeAs(charset, bytes)).find(Boolean)
  const damaged = textOnly(known) ?? decodeSurrogates(bytes) ?? decodeDamagedUtf8(bytes)
  if (damaged) return damaged
  const by_letters = decodeByLetters(bytes)
  const is_sure = by_letters !== undefined && by_letters.doubt === undefined
  return is_sure ? by_letters : (decodeMixed(bytes) ?? by_letters)
}

const utf7_name = /^(unicode-1-1-)?utf-?7$/i
/** Letters of UTF-16 in base64 between ASCII (RFC 2152). */
const utf7_run = /\+([A-Za-z0-9+/]*)-?/g

function fromUtf7(_: string, run: string): string {
  if (run === '') return '+'
  const bytes = Buffer.from(run, 'base64')
  const text = decodeCharset('utf-16be', bytes.subarray(0, bytes.length & ~1), { strict: false })
  return text.replaceAll('\0', '\ufffd')
}

function textOnly(text: string | undefined): Decoded | undefined {
  return text === undefined ? undefined : { text }
}

/** UTF-16 or UTF-32, with a mark or without. */
function decodeWide(bytes: Buffer): string | undefined {
  const mark = bytes.toString('latin1', 0, 4)
  if (mark === '\xff\xfe\0\0' || mark === '\0\0\xfe\xff')
    return withoutControls(decodeUtf32(bytes, mark.startsWith('\xff')))
  const marked = utf16ByMark(bytes)
  if (marked !== undefined) return withoutControls(decodeAs(marked, bytes))
  const utf32 = withoutControls(decodeUtf32(bytes, bytes[0] !== 0))
  if (utf32 !== undefined && isPlausible(utf32)) return utf32
  const utf16 = utf16WithoutMark(bytes)
  if (utf16 !== undefined) return withoutControls(decodeAs(utf16, bytes))
  // Text without Western letters has few zeros or none. But other text has no controls at all.
  if (bytes.length % 2 === 1 || !hasControls(bytes)) return undefined
  return ['utf-16le', 'utf-16be']
    .map((name) => withoutControls(decodeAs(name, bytes)))
    .find((text) => text !== undefined && isPlausible(text))
}

function isPlausible(text: string): boolean {
  return plausibility(text).points >= plausible_from
}

function decodeUtf32(bytes: Buffer, is_little: boolean): string | undefined {
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  const letters: string[] = []
  for (let at = 0; at < bytes.length; at += 4) {
    const code = is_little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
    if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
    letters.push(String.fromCodePoint(code))
  }
  return letters.join('').replace(/^\ufeff/, '')
}

/**
 * UTF-8 of a program that writes UTF-16 units (CESU-8): pairs become their character, halves are
 * replaced. Java writes a zero in two bytes. Undefined if it has none of them, or other faults.
 */
function decodeSurrogates(bytes: Buffer): Decoded | undefined {
  let halves = 0
  const mended = bytes
    .toString('latin1')
    .replace(/\xed([\xa0-\xaf])([\x80-\xbf])\xed([\xb0-\xbf])([\x80-\xbf])/g, (units) =>
      Buffer.from(surrogatePair(Buffer.from(units, 'latin1'))).toString('latin1'),
    )
    .replace(/\xed[\xa0-\xbf][\x80-\xbf]/g, () => {
      halves++
      return '\xef\xbf\xbd'
    })
    .replaceAll('\xc0\x80', ' ')
  const right = Buffer.from(mended, 'latin1')
  if (!isUtf8(right)) return undefined
  const doubt = halves > 0 ? brokenText(halves, 'UTF-8') : undefined
  return { text: right.toString('utf8'), doubt }
}

/** Two units of UTF-16, each in three bytes, as their character. */
function surrogatePair(bytes: Buffer): string {
  const unit = (at: number) => 0xd000 + ((bytes[at]! & 0x3f) << 6) + (bytes[at + 1]! & 0x3f)
  return String.fromCharCode(unit(1), unit(4))
}

function brokenText(wrong: number, charset: string): string {
  return `${wrong} of its characters ${wrong === 1 ? 'is' : 'are'} broken (${charset})`
}

/** UTF-16 with a mark in which half of a character, or a byte at the end, is lost. */
function decodeDamagedUtf16(bytes: Buffer): Decoded | undefined {
  const charset = utf16ByMark(bytes)
  if (charset === undefined) return undefined
  const text = decodeCharset(charset, bytes, { strict: false })
  if (no_text_characters.test(text) || hasControls(Buffer.from(text))) return undefined
  return damaged(text, /[\p{L}\p{N}\s]/gu, 'UTF-16')
}

/** UTF-8 in which few bytes are wrong, such as a log that was cut or that two programs wrote. */
function decodeDamagedUtf8(bytes: Buffer): Decoded | undefined {
  return damaged(bytes.toString('utf8'), /[^\0-\x7f\ufffd]/gu, 'UTF-8')
}

function damaged(text: string, right_letter: RegExp, charset: string): Decoded | undefined {
  const wrong = text.match(/\ufffd/g)?.length ?? 0
  const right = text.match(right_letter)?.length ?? 0
  if (right < wrong * right_for_a_wrong) return undefined
  return { text: text.replace(/^\ufeff/, ''), doubt: brokenText(wrong, charset) }
}

/** A text to which programs with different charsets added lines, one of them UTF-8. */
function decodeMixed(bytes: Buffer): Decoded | undefined {
  const lines = bytes.toString('latin1').split('\n')
  const isOld = (line: string) => !isUtf8(Buffer.from(line, 'latin1'))
  const old_lines = lines.filter(isOld)
  const has_new = lines.some((line) => /[\x80-\xff]/.test(line) && !isOld(line))
  const old = has_new ? decodeByLetters(Buffer.from(old_lines.join('\n'), 'latin1')) : undefined
  if (old === undefined || old.doubt !== undefined) return undefined
  const decoded = old.text.split('\n').values()
  const texts = lines.map((line) =>
    isOld(line) ? decoded.next().value : Buffer.from(line, 'latin1').toString('utf8'),
  )
  return { text: texts.join('\n'), doubt: 'its lines are in two character sets' }
}

/** The reading whose letters fit a language best. */
function decodeByLetters(bytes: Buffer): Decoded | undefined {
  const sample = sampleOf(bytes)
  const known = new Map<string, ReturnType<typeof plausibility>>()
  const fitOf = (text: string) => {
    const fit = known.get(text) ?? plausibility(text)
    known.set(text, fit)
    return fit
  }
  const has_dos_lines = sample.includes('\r\n')
  const readings = candidates
    .flatMap(([rarity, proof, names]) =>
      names.map((name) => {
        const text = decodeAs(name, sample, true)
        const is_dos = name.startsWith('cp') || name === 'ibm866'
        const { points, letters } = text === undefined ? no_fit : fitOf(text)
        const likely = points - (is_dos && has_dos_lines ? 0 : rarity)
        return { name, text, letters, points: likely, rank: likely - proof / Math.max(letters, 1) }
      }),
    )
    .sort((one, other) => other.rank - one.rank)
  const [best] = readings
  const next = readings.find(({ text }) => text !== undefined && text !== best!.text)
  const is_likely = best!.points >= plausible_from
  if (!is_likely && !isMostlyAscii(bytes)) return undefined
  const name = is_likely ? best!.name : 'windows-1252'
  const text = decodeAs(name, bytes)
  if (text === undefined) return undefined
  const lead = best!.points - (next?.points ?? -1)
  const is_enough = best!.letters >= min_script_letters || !other_script.test(best!.text!)
  const is_near = lead < sure_margin && lead * best!.letters < sure_sum
  const is_sure = is_likely && is_enough && !is_near
  const doubt = `its character set is not certain: read as ${name}`
  return is_sure ? { text } : { text, doubt }
}

const no_fit = { points: -1, letters: 1 }

/** A sample around the first byte that is not ASCII; the start of a long text may have none. */
function sampleOf(bytes: Buffer): Buffer {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  )
  const line = bytes.lastIndexOf('\n', first) + 1
  const from = Math.max(line, first - 256)
  return bytes.subarray(from, from + sample_bytes)
}

/** Bell and what follows it to carriage return, the end of a file of DOS, and escape (ISO-2022). */
const text_controls = new Set([0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b])

function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => (byte < 0x20 && !text_controls.has(byte)) || byte === 0x7f)
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

/** NUL, and characters for private use, to which decoders map bytes without a meaning. */
const no_text_characters = /[\0\ue000-\uf7ff]/

/** `is_cut`: the last character may be incomplete. */
function decodeAs(charset: string, bytes: Buffer, is_cut = false): string | undefined {
  try {
    const text = decodeCharset(charset, bytes, { strict: true, is_cut })
    return no_text_characters.test(text) ? undefined : text
  } catch {
    // This Node does not know the charset, or the charset does not allow the bytes.
    return undefined
  }
}

/**
 * Decodes text by the name of its charset. It throws if this Node and the tables do not know the
 * charset, and with `strict` also for invalid bytes.
 */
export function decodeCharset(
  charset: string,
  bytes: Buffer,
  { strict, is_cut = false }: { strict: boolean; is_cut?: boolean },
): string {
  const own = charset_tables[ownName(charset)]
  const decoder = own === undefined ? new TextDecoder(charset, { fatal: strict }) : undefined
  const table = own ?? charset_tables[decoder!.encoding]
  if (table === undefined) return decoder!.decode(bytes, { stream: is_cut })
  const text = bytes
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (letter) => table[letter.charCodeAt(0) - 0x80]!)
  if (strict && text.includes('\ufffd')) throw new RangeError(`no text in ${charset}`)
  return text
}

/** `IBM850`, `850`, `cp-850` and `cp858` are one table. */
function ownName(charset: string): string {
  const name = charset.toLowerCase()
  const page = /^(?:cp|ibm|dos|oem|csibm|csPC)?[-_]?(\d{3})$/i.exec(name)?.[1]
  if (page !== undefined) return page === '858' ? 'cp850' : `cp${page}`
  return /^(x-mac-ce|mac-?centraleurope|x-mac-centraleurroman)$/.test(name) ? 'mac-latin2' : name
}
