import { day_ms, hour_ms, minute_ms, second_ms } from '../time/time.ts'

const byte_units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Bytes in decimal units, as disk makers and `ls --si` count: 999 B, 1.2 kB, 34 MB. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.5 and more would round to 1000 of the smaller unit.
  while (Math.abs(value) >= 999.5 && unit < byte_units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit > 0 && Math.abs(value) < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${byte_units[unit]}`
}

/** 1234567 -> 1,234,567, whatever the machine's language. `locale`: BCP 47. */
export function formatCount(count: number, locale = 'en-US'): string {
  return count.toLocaleString(locale)
}

/** 1 file, 1,234 files */
export function counted(count: number, one: string, many = `${one}s`, locale = 'en-US'): string {
  return `${formatCount(count, locale)} ${count === 1 ? one : many}`
}

/** 12 files (3.4 MB) */
export function formatAmount({ files, bytes }: { files: number; bytes: number }): string {
  return `${counted(files, 'file')} (${formatBytes(bytes)})`
}

/** A duration in at most two units: 0.4 s, 2.5 s, 42 s, 3 min 5 s, 2 h 10 min, 4 d 3 h. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`
  // A moment is more than nothing.
  if (ms > 0 && ms < 100) return '0.1 s'
  if (ms < 9_950) return `${(ms / second_ms).toFixed(1).replace(/\.0$/, '')} s`
  if (ms < minute_ms - 500) return `${Math.round(ms / second_ms)} s`
  if (ms < hour_ms - 500) return twoUnits(ms, minute_ms, 'min', second_ms, 's')
  if (ms < day_ms - 30_000) return twoUnits(ms, hour_ms, 'h', minute_ms, 'min')
  return twoUnits(ms, day_ms, 'd', hour_ms, 'h')
}

/** Longer than any record is kept in use, so a longer span shows that a clock was wrong. */
const max_span_ms = 3_650 * day_ms

/**
 * The time from one time to a later one, Unix ms. If no right clock can have given both (the later
 * one is clearly earlier, or the span is absurd), the wrong clock is named in its place.
 */
export function formatSpan(from_ms: number, to_ms: number): string {
  const span_ms = to_ms - from_ms
  if (span_ms >= -minute_ms && span_ms <= max_span_ms) return formatDuration(Math.max(0, span_ms))
  return 'an unknown time (a clock was wrong)'
}

function twoUnits(
  ms: number,
  large_ms: number,
  large: string,
  small_ms: number,
  small: string,
): string {
  const smalls = Math.round(ms / small_ms)
  const per_large = large_ms / small_ms
  const rest = smalls % per_large
  return `${Math.floor(smalls / per_large)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

// C0 and C1 controls, DEL, line and paragraph separators, invisible and direction-changing
// characters. A file name must neither control a terminal nor imitate another name.
const unprintable = /[\p{Cc}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu

/** A name in one line, with escapes (\n, \xNN, \u{NNNN}) for unprintable characters. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0)!
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** The same JSON value in one line, with JSON escapes for unprintable characters. */
export function printableJson(json: string): string {
  return json.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

// East Asian wide and full-width characters (UAX #11) and emoji take two columns.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

const ascii = /^[ -~]*$/

/** The columns that a text without control characters takes on a terminal. */
export function textWidth(text: string): number {
  // Most texts are ASCII, and this is 20 times faster.
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** At most `width` columns, with an ellipsis in the middle: both ends of a path matter most. */
export function fitText(text: string, width: number): string {
  if (text.length <= width / 2 || textWidth(text) <= width) return text
  if (width < 1) return ''
  const pieces = [...graphemes.segment(text)].map(({ segment }) => segment)
  const for_end = Math.floor((width - 1) / 2)
  return `${take(pieces, width - 1 - for_end).join('')}…${take(pieces.reverse(), for_end).reverse().join('')}`
}

/** At most `width` columns, with an ellipsis at the end: a sentence begins with what matters. */
export function fitSentence(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  const pieces = [...graphemes.segment(text)].map(({ segment }) => segment)
  return `${take(pieces, width - 1).join('')}…`
}

function take(pieces: readonly string[], width: number): string[] {
  const taken: string[] = []
  let left = width
  for (const piece of pieces) {
    left -= graphemeWidth(piece)
    if (left < 0) break
    taken.push(piece)
  }
  return taken
}

function graphemeWidth(grapheme: string): number {
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1
}

/** A pair of UTF-16 units that forms one character. */
const pair = /[\ud800-\udbff][\udc00-\udfff]/g

/** Counts code points, as JSON Schema does (minLength, maxLength), not UTF-16 units. */
export function hasCharacters(text: string, min: number, max: number): boolean {
  // The text is too short or too long by any count.
  if (text.length < min || text.length > 2 * max) return false
  const count = text.length - (text.match(pair)?.length ?? 0)
  return count >= min && count <= max
}

/** A name from the disk as a CommonMark code span: on one line, without markup. */
export function codeSpan(text: string): string {
  const shown = printable(text)
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 || shown.startsWith(' ') || shown === ''
    ? `${fence} ${shown} ${fence}`
    : `${fence}${shown}${fence}`
}

/** A text in one line, its Markdown punctuation escaped by backslashes (CommonMark). */
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
}

/** Line breaks and other controls, which a name in one line does not have. */
export const control_characters = /[\p{Cc}\u2028\u2029]/u

/** A shell word (bash, zsh) to copy, quoted only if needed; control characters become \xNN. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (text.search(invisible) < 0) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text.replace(/[\\']/g, '\\$&').replace(invisible, (character) => {
    return [...Buffer.from(character)]
      .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
      .join('')
  })
  return `$'${escaped}'`
}

const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
