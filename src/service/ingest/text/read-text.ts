import type { ReadDocument } from '../document-text.ts'
import { type Unreadable, unreadableOf } from '../extract-limits.ts'
import { binaryFault, type FileToRead, formatOf, isHtml, isNamedDocument } from '../file-kind.ts'
import { isMail } from './mail-start.ts'
import { isNotebook } from './notebook.ts'
import { textDocument } from './text-document.ts'
import { isFlatDocument } from './xml-root.ts'

/** `needs_child`: only a child process may read the file (extract-document.ts). */
export type ReadText = ReadDocument | Unreadable | { needs_child: true }

/**
 * A page of HTML of this size takes half a second at worst and ten times its size in memory. A
 * larger page goes to a child process with limits.
 */
const max_html_bytes = 1_048_576

/**
 * Reads the text of a file, in the reading thread: plain text, Markdown, HTML, CSV and JSON, in
 * UTF-8, or in UTF-16 with a byte order mark. This is one fast pass, so a child process would cost
 * more. Documents and other charsets need a child process. A file that is only partly text is
 * unreadable, so that "ready" is true.
 */
export function readText(file: FileToRead): ReadText {
  const bytes = withoutPadding(file.bytes)
  if (isNamedDocument(file) || formatOf(bytes) !== undefined) return { needs_child: true }
  if (switchesCharset(bytes)) return { needs_child: true }
  const text = decode(bytes)
  if (text === undefined || text.includes('\0')) {
    const is_binary = bytes.includes(0) && !mayBeWide(bytes)
    return is_binary
      ? { unreadable: binaryFault(file, 'it contains NUL bytes') }
      : { needs_child: true }
  }
  try {
    if (isMail(text) || isFlatDocument(text)) return { needs_child: true }
    const is_large = bytes.length > max_html_bytes
    if (is_large && (isHtml(file, text) || isNotebook(text))) return { needs_child: true }
    // The size of the file is its limit.
    return textDocument(file, { text }, { text_length: Number.POSITIVE_INFINITY })
  } catch (error) {
    return unreadableOf(error)
  }
}

/**
 * The bytes without zeros at both ends, which programs leave that fill blocks, or that go on in a
 * log which another one has emptied. A zero between others, or beside other controls, is none, nor
 * one beside a few bytes.
 */
export function withoutPadding(bytes: Buffer): Buffer {
  const from = Math.max(
    bytes.findIndex((byte) => byte !== 0),
    0,
  )
  const zero = bytes.indexOf(0, from)
  const end = zero < 0 ? bytes.length : zero
  // The last character of UTF-16 may end in one zero, and its first one begin with one.
  const is_sure = Math.max(from, bytes.length - end) > 1 || bytes.length % 2 === 1
  const inner = bytes.subarray(from, end)
  const is_padded = is_sure && bytes.subarray(end).every((byte) => byte === 0)
  const is_text = inner.length >= min_padded_bytes && !inner.some(isBinaryControl)
  return is_padded && is_text ? inner : bytes
}

/**
 * A shorter text between zeros is as likely the name of a format, at the start of a binary file.
 */
const min_padded_bytes = 16

function isBinaryControl(byte: number): boolean {
  return byte < 0x20 && (byte < 0x09 || byte === 0x0b || byte > 0x0d)
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(utf16ByMark(bytes), { fatal: true }).decode(bytes)
  } catch {
    // Neither UTF-8 nor, by its mark, UTF-16: an odd length, or half of a character.
    return undefined
  }
}

const utf16_marks = new Map([
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
])

/** The charset of UTF-16 with a byte order mark. */
export function utf16ByMark(bytes: Buffer): string | undefined {
  return utf16_marks.get(bytes.toString('latin1', 0, 2))
}

/** The charset that the first line of XML names. `start`: its first bytes, each as a letter. */
export function charsetOfXml(start: string): string | undefined {
  return /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]+)/.exec(start)?.[1]
}

/** True for ISO-2022 (Japanese mail): pure ASCII that switches charsets by escape sequences. */
export function switchesCharset(bytes: Buffer): boolean {
  return bytes.includes('\x1b$')
}

/** The number of bytes in which zeros are counted. */
const max_sample_bytes = 16_384

const max_code_point = 0x10_ffff

/**
 * True if a file with zeros may be UTF-16 or UTF-32. Its spaces and line ends have zeros at one
 * place, whatever its letters.
 */
function mayBeWide(bytes: Buffer): boolean {
  if (utf16ByMark(bytes) !== undefined) return true
  if (bytes.length % 2 === 1) return false
  const sample = bytes.toString('latin1', 0, max_sample_bytes)
  if (bytes.length % 4 === 0 && bytes.length >= 8) {
    const starts = [0, 4].every((at) => bytes.readUInt32LE(at) <= max_code_point)
    if (starts || [0, 4].every((at) => bytes.readUInt32BE(at) <= max_code_point)) return true
  }
  return utf16WithoutMark(bytes) !== undefined || ascii_of_utf16.test(sample)
}

const ascii_of_utf16 = /^(?:..)*?(?:[\t\n\r -~]\0|\0[\t\n\r -~])/s

/** Finds UTF-16 without a mark: an ASCII letter has a zero byte, always at the same place. */
export function utf16WithoutMark(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length % 2 === 1) return undefined
  const sample = bytes.subarray(0, max_sample_bytes)
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  // A few bytes prove nothing.
  if (odd + even < 3) return undefined
  if (odd > sample.length / 8 && even < odd / 16) return 'utf-16le'
  if (even > sample.length / 8 && odd < even / 16) return 'utf-16be'
  return undefined
}
