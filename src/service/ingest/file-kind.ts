import type { PicturePages } from './picture-pages.ts'

export interface NamedFile {
  filename: string
  mime_type: string
}

export interface FileToRead extends NamedFile {
  bytes: Buffer
  pictures?: PicturePages
}

/** Kinds without text. Only names a refusal: the bytes decide what a file is. */
const no_text_type =
  /^(image|audio|video|font|model)\/|^application\/(postscript|zip|x-(tar|7z-compressed|bzip2|xz|rar-compressed|rar|shockwave-flash|sqlite3|executable|java-archive)|java-archive|vnd\.(?!.*\+(json|xml)))/i
const no_text_name =
  /\.(ps|eps|xls|ppt|odg|zip|tgz|bz2|xz|7z|rar|tar|png|jpe?g|gif|webp|bmp|tiff?|hei[cf]|avif|jxl|jp2|ico|svgz?|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|webm|woff2?|ttf|otf|exe|dll|so|class|jar|wasm|sqlite3?|db)$/i

/** Why bytes that are no text cannot be read. `otherwise`: the reason for a kind without a name. */
export function binaryFault(file: FileToRead, otherwise: string): string {
  if (isTransportStream(file.bytes))
    return 'it is a video (MPEG transport stream), which the service does not read'
  const is_other = no_text_type.test(file.mime_type) || no_text_name.test(file.filename)
  return is_other ? unread_kind : otherwise
}

export const unread_kind = 'the service does not read this kind of file'

/** Bytes of a packet of MPEG-TS (ISO 13818-1), which begins with the byte 0x47. */
const packet_bytes = 188
const packets_to_see = 4

/** Video under the ending of TypeScript. */
function isTransportStream(bytes: Buffer): boolean {
  for (let packet = 0; packet < packets_to_see; packet++) {
    if (bytes[packet * packet_bytes] !== 0x47) return false
  }
  return true
}

const html_type = /^(text\/html|application\/xhtml\+xml)\b/i
const html_name = /\.(x?html?)$/i
/** Programs save tables and letters as HTML under the endings of old office files. */
const old_office_name = /\.(doc|xls|rtf|wps)$/i
const before_root = String.raw`^\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*`
const html_start = new RegExp(`${before_root}<(!doctype\\s+html|html)\\b`, 'i')
const part_start = new RegExp(
  `${before_root}<(head|body|meta|style|title|table|div|p|font)\\b`,
  'i',
)
/** UTF-16 units in which the beginning of a page is found. */
const start_length = 1_024

/** True for a page of HTML: it begins like one, or its name says so and it has markup. */
export function isHtml({ filename, mime_type }: NamedFile, text: string): boolean {
  const start = text.slice(0, start_length)
  if (html_start.test(start)) return true
  if (old_office_name.test(filename)) return part_start.test(start)
  const is_named = html_type.test(mime_type) || html_name.test(filename)
  return is_named && /<[a-z!/?]|&[#a-z]/i.test(text)
}

const xhtml_start =
  /^\s*<\?xml\s|<(?:\w+:)?html\s[^>]*xmlns(?::\w+)?\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/

/** True for a page of HTML that is written in XML. */
export function isXhtml({ filename, mime_type }: NamedFile, text: string): boolean {
  const is_named = /^application\/xhtml\+xml\b/i.test(mime_type) || /\.xht(ml)?$/i.test(filename)
  return is_named || xhtml_start.test(text.slice(0, start_length))
}

export function isCommaSeparated({ filename, mime_type }: NamedFile): boolean {
  return (
    /^text\/(csv|tab-separated-values)\b/i.test(mime_type) || /\.(csv|tsv|tab)$/i.test(filename)
  )
}

/** Media types and names of files that a child process reads: PDF, office files, e-books, mail. */
const document_type =
  /^(application\/(pdf|rtf|msword|mbox|gzip|vnd\.ms-outlook|epub\+zip|vnd\.openxmlformats-officedocument\.(wordprocessingml\.document|presentationml\.presentation|spreadsheetml\.sheet)|vnd\.oasis\.opendocument\.(text|spreadsheet|presentation))|text\/rtf|message\/rfc822)\s*(;|$)/i
const document_name =
  /\.(pdf|rtf|docx?|xlsx|pptx|od[tsp]|fod[tspg]|epub|emlx?|mbox|mhte?ml|mht|msg|gz)$/i

export function isNamedDocument({ filename, mime_type }: NamedFile): boolean {
  return document_name.test(filename) || document_type.test(mime_type)
}

type DocumentFormat = 'pdf' | 'rtf' | 'zip' | 'gzip' | 'old office' | 'picture'

/** Office files from before 2007, and encrypted ones of today. */
const old_office_mark = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'

const picture_marks = ['\u0089PNG\r\n\u001a\n', '\u00ff\u00d8\u00ff', 'II*\0', 'MM\0*']

/** PNG, JPEG, TIFF, WebP, and BMP, whose mark alone could begin a text. */
function isPicture(start: string): boolean {
  if (picture_marks.some((mark) => start.startsWith(mark))) return true
  if (start.startsWith('BM')) return start.slice(6, 10) + start.slice(15, 18) === '\0'.repeat(7)
  return start.startsWith('RIFF') && start.startsWith('WEBP', 8)
}

/** Mail gateways put lines before a document, so its mark may be within these bytes. */
const mark_bytes = 1_024
/** Bytes at the end of a file in which a PDF or an archive has its last record. */
const end_bytes = 65_557

/** The format that the bytes show, whatever the name; undefined if unknown. */
export function formatOf(bytes: Buffer): DocumentFormat | undefined {
  const start = bytes.toString('latin1', 0, mark_bytes)
  const ends = (mark: string) =>
    bytes.subarray(-end_bytes).lastIndexOf(mark, undefined, 'latin1') >= 0
  if (start.startsWith(old_office_mark)) return 'old office'
  if (start.startsWith('\u001f\u008b\u0008')) return 'gzip'
  if (isPicture(start)) return 'picture'
  if (start.startsWith('PK\u0003\u0004')) return 'zip'
  if (/^(\u00ef\u00bb\u00bf)?\s*\{\\rtf/.test(start)) return 'rtf'
  if (start.startsWith('%PDF-')) return 'pdf'
  // Text can quote a mark, but it has no record at its end.
  if (/%PDF-\d/.test(start) && ends('startxref')) return 'pdf'
  return ends('PK\u0005\u0006') ? 'zip' : undefined
}
