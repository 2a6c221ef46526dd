import { isUtf8 } from 'node:buffer'
import { extname } from 'node:path'
import { lookup } from 'mime-types'

/**
 * The media type to declare: the config's for the extension (`overrides`: keys without a dot, any
 * case), else the public registry's, unless the first bytes show another one. `first_bytes`: at
 * least `type_bytes` of a larger file; undefined: only the extension counts.
 */
export function mimeType(
  path: string,
  first_bytes: Uint8Array | undefined,
  overrides: Readonly<Record<string, string>>,
): string {
  const extension = extname(path).slice(1).toLowerCase()
  const configured = overrideFor(extension, overrides)
  if (configured !== undefined) return configured
  const named = extension === '' ? undefined : lookup(extension) || undefined
  const seen = first_bytes === undefined ? undefined : typeByBytes(first_bytes)
  if (named === undefined || seen === undefined) return named ?? seen ?? 'application/octet-stream'
  return fits(named, seen) ? named : seen
}

/** Texts that name their own charset, or have only one. */
const names_its_own = /^text\/(html|xml|rtf|calendar|vcard)$|^application\/(.*\+)?(json|xml|rtf)$/

/** A media type with the charset of its folder, if the text is not in Unicode. */
export function withCharset(
  type: string,
  first_bytes: Uint8Array,
  charset: string | undefined,
): string {
  const is_source = !no_text.test(type) && !first_bytes.subarray(0, type_bytes).some(isControl)
  const is_bare = (type.startsWith('text/') || is_source) && !names_its_own.test(type)
  if (charset === undefined || !is_bare || isUnicode(first_bytes)) return type
  return `${type}; charset=${charset}`
}

const unicode_mark = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/

/** True with a mark of Unicode, zeros (UTF-16), or letters beyond ASCII in UTF-8. */
function isUnicode(bytes: Uint8Array): boolean {
  const first = bytes.subarray(0, type_bytes)
  const start = Buffer.from(first.subarray(0, 3)).toString('latin1')
  if (unicode_mark.test(start) || first.includes(0)) return true
  try {
    // The last character of the first bytes may be cut.
    const stream = first.length === type_bytes
    return /[^\0-\x7f]/.test(new TextDecoder('utf-8', { fatal: true }).decode(first, { stream }))
  } catch {
    return false
  }
}

/** Types of bytes that are no text. An ending such as `.ts` or `.key` can also mean text. */
const no_text =
  /^(image|audio|video|font|model)\/|^application\/(octet-stream|pdf|postscript|zip|gzip|msword|epub|java-|pgp-|x-(tar|7z|bzip|xz|rar|mspublisher|msdownload)|vnd\.)/
/** Text that a program reads, such as JSON. */
const is_structured = /^application\/.*\+(json|xml)$/
/** Types of containers that only more bytes than the first ones could tell apart. */
const containers: readonly (readonly [seen: string, named: RegExp])[] = [
  ['application/zip', /^application\/(?!pdf|rtf|msword$|vnd\.ms-(excel|powerpoint)$)/],
  ['application/x-cfb', /^application\/(?!pdf|rtf|zip|epub)/],
  ['application/gzip', /^application\/(?!pdf|rtf|zip|epub|msword|vnd\.)/],
  ['application/rtf', /^text\/rtf$/],
]
/** Kinds of one Office program: the macro and template kinds have the same first bytes. */
const office_kinds = [
  /wordprocessingml|ms-word/,
  /spreadsheetml|ms-excel\./,
  /presentationml|ms-powerpoint\./,
] as const

/** True if the type of an extension is not contradicted by the one that the bytes show. */
function fits(named: string, seen: string): boolean {
  if (named === seen) return true
  const is_text = is_structured.test(named) || !no_text.test(named)
  if (seen.startsWith('text/')) return is_text
  if (containers.some(([type, names]) => type === seen && names.test(named)))
    return !isPlainType(named)
  return office_kinds.some((kind) => kind.test(seen) && kind.test(named))
}

/** Types under `application/` of what people read as text. */
function isPlainType(type: string): boolean {
  return is_structured.test(type) || /^application\/(json|xml|sql|toml|x-sh|x-tex)$/.test(type)
}

function overrideFor(
  extension: string,
  overrides: Readonly<Record<string, string>>,
): string | undefined {
  if (extension === '') return undefined
  return Object.entries(overrides).find(([key]) => key.toLowerCase() === extension)?.[1]
}

/** Signatures at offset 0, from the formats' own specifications. */
const signatures: readonly (readonly [bytes: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['\x1f\x8b', 'application/gzip'],
  ['{\\rtf', 'application/rtf'],
  ['%!PS', 'application/postscript'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-cfb'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
]

/** A ZIP of OOXML (ECMA-376) has its main part's folder among its first entries. */
const office_folders: readonly (readonly [folder: string, type: string])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
]

/** ODF 1.3 and EPUB: the first entry is `mimetype`, uncompressed, and its content is the type. */
const stored_mimetype = /^.{30}mimetype(application\/[\w.+-]+?)(?=PK)/s

/** Bytes: enough for the first entries of a ZIP, and to distinguish text from binary. */
export const type_bytes = 4_096

function typeByBytes(bytes: Uint8Array): string | undefined {
  const first = bytes.subarray(0, type_bytes)
  const start = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString('latin1')
  const signature = signatures.find(([begin]) => start.startsWith(begin))
  if (signature !== undefined) return signature[1]
  if (start.startsWith('PK\x03\x04')) return typeOfZip(start)
  if (isTransportStream(first)) return 'video/mp2t'
  return isPlainText(first) ? typeOfText(start) : undefined
}

function typeOfZip(start: string): string {
  const declared = stored_mimetype.exec(start)?.[1]
  if (declared !== undefined) return declared
  return office_folders.find(([folder]) => start.includes(folder))?.[1] ?? 'application/zip'
}

const root_element =
  /^(?:<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE(?:[^>[]|\[[^\]]*\])*>|\s|\u00ef\u00bb\u00bf)*<([\w:]+)/i

/** HTML and pictures in XML have no ending of their own: programs save pages as `.xls`. */
function typeOfText(start: string): string {
  const name = root_element.exec(start)?.[1]?.toLowerCase()
  if (name === 'html') return 'text/html'
  return name === 'svg' ? 'image/svg+xml' : 'text/plain'
}

/** Bytes of a packet of MPEG-TS (ISO 13818-1), each of which begins with the same byte. */
const packet_bytes = 188
const packet_start = 0x47
const packets_to_see = 4

function isTransportStream(bytes: Uint8Array): boolean {
  return Array.from({ length: packets_to_see }, (_, at) => bytes[at * packet_bytes]).every(
    (byte) => byte === packet_start,
  )
}

/**
 * True without control characters that text lacks, in UTF-8 or mostly in ASCII: an old character
 * set has other letters. The last character may be cut.
 */
function isPlainText(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false
  let foreign = 0
  for (const byte of bytes) {
    if (isControl(byte)) return false
    if (byte > 0x7f) foreign++
  }
  return (
    foreign < bytes.length * max_foreign_share ||
    [0, 1, 2, 3].some((cut) => cut < bytes.length && isUtf8(bytes.subarray(0, bytes.length - cut)))
  )
}

const max_foreign_share = 0.3

/** True for a control that no text has. Escape switches charsets. */
function isControl(byte: number): boolean {
  const is_control = byte < 0x20 && (byte < 0x09 || byte === 0x0b || byte > 0x0d)
  return (is_control && byte !== 0x1b) || byte === 0x7f
}
