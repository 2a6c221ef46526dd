import { isUtf8 } from 'node:buffer'
import { Parser } from 'htmlparser2'

export interface FileToRead {
  filename: string
  mime_type: string
  bytes: Buffer
}

/** `needs_child`: only a child process may read the file (extract-document.ts). */
export type ReadText = { text: string } | { unreadable: string } | { needs_child: true }

/** Types that are never text, even in pure ASCII: PostScript must not be read as its source. */
const no_text_type =
  /^(image|audio|video|font|model)\/|^application\/(postscript|zip|gzip|x-(tar|7z-compressed|bzip2|xz|rar-compressed|rar|shockwave-flash|sqlite3|executable|java-archive)|java-archive|msword|vnd\.(?!.*\+(json|xml)))/i
const no_text_name =
  /\.(ps|eps|doc|xls|ppt|odg|zip|gz|tgz|bz2|xz|7z|rar|tar|png|jpe?g|gif|webp|bmp|tiff?|ico|svgz?|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|webm|woff2?|ttf|otf|exe|dll|so|class|jar|wasm|sqlite3?|db)$/i
const no_text_start = '%!PS'

/**
 * A page of HTML of this size takes half a second at worst and ten times its size in memory. A
 * larger page goes to a child process with limits.
 */
const max_html_bytes = 1_048_576
const html_type = /^(text\/html|application\/xhtml\+xml)\b/i
const html_name = /\.(x?html?)$/i

interface NamedFile {
  filename: string
  mime_type: string
}

function isRuledOut({ filename, mime_type }: NamedFile): boolean {
  return no_text_type.test(mime_type) || no_text_name.test(filename)
}

export function isHtml({ filename, mime_type }: NamedFile): boolean {
  return html_type.test(mime_type) || html_name.test(filename)
}

/**
 * Reads the text of a file, in the reading thread: plain text, Markdown, HTML, CSV and JSON, in
 * UTF-8, or in UTF-16 with a byte order mark. This is one fast pass, so a child process would cost
 * more. Documents and other charsets need a child process. A file that is only partly text is
 * unreadable, so that "ready" is true.
 */
export function readText(file: FileToRead): ReadText {
  const { bytes } = file
  if (isNamedDocument(file)) return { needs_child: true }
  if (isRuledOut(file) || bytes.toString('latin1', 0, no_text_start.length) === no_text_start) {
    return { unreadable: 'the service does not read this kind of file' }
  }
  if (formatOf(bytes) !== undefined) return { needs_child: true }
  if (switchesCharset(bytes)) return { needs_child: true }
  const text = decode(bytes)
  if (text !== undefined && !text.includes('\0')) {
    if (!isHtml(file)) return { text }
    return bytes.length > max_html_bytes ? { needs_child: true } : { text: htmlToText(text) }
  }
  if (bytes.includes(0) && utf16WithoutMark(bytes) === undefined)
    return { unreadable: 'it contains NUL bytes' }
  return { needs_child: true }
}

const strict = {
  'utf-16le': new TextDecoder('utf-16le', { fatal: true }),
  'utf-16be': new TextDecoder('utf-16be', { fatal: true }),
}

function decode(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be')
  if (!isUtf8(bytes)) return undefined
  const has_mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', has_mark ? 3 : 0)
}

function decodeUtf16(bytes: Buffer, encoding: keyof typeof strict): string | undefined {
  try {
    return strict[encoding].decode(bytes)
  } catch {
    // An odd length or half a surrogate pair: the file is not in the encoding of its mark.
    return undefined
  }
}

/** Media types and names of documents that a child process reads: PDF, office files, e-books. */
const document_type =
  /^(application\/(pdf|rtf|epub\+zip|vnd\.openxmlformats-officedocument\.(wordprocessingml\.document|presentationml\.presentation|spreadsheetml\.sheet)|vnd\.oasis\.opendocument\.(text|spreadsheet|presentation))|text\/rtf)\s*(;|$)/i
const document_name = /\.(pdf|rtf|docx|xlsx|pptx|od[tsp]|epub)$/i

export function isNamedDocument({ filename, mime_type }: NamedFile): boolean {
  return document_name.test(filename) || document_type.test(mime_type)
}

export function isNamedPdf({
  filename,
  mime_type,
}: {
  filename: string
  mime_type: string
}): boolean {
  return /\.pdf$/i.test(filename) || /^application\/pdf\b/i.test(mime_type)
}

/** Mail gateways put lines before a PDF, so its mark may be within the first 1,024 bytes. */
export function hasPdfMark(bytes: Buffer): boolean {
  return bytes.subarray(0, 1_024).includes('%PDF-')
}

type DocumentFormat = 'pdf' | 'rtf' | 'zip' | 'old office'

const marks: readonly [DocumentFormat, string][] = [
  ['pdf', '%PDF-'],
  ['rtf', '{\\rtf'],
  ['zip', 'PK\u0003\u0004'],
  // Office files from before 2007, and encrypted ones of today.
  ['old office', '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'],
]

/** The format by the first bytes, which are more reliable than a name; undefined if unknown. */
export function formatOf(bytes: Buffer): DocumentFormat | undefined {
  const start = bytes.subarray(0, 8).toString('latin1')
  return marks.find(([, mark]) => start.startsWith(mark))?.[0]
}

/** True for ISO-2022 (Japanese mail): pure ASCII that switches charsets by escape sequences. */
export function switchesCharset(bytes: Buffer): boolean {
  return bytes.includes('\x1b$')
}

/** The number of bytes in which zeros are counted. */
const max_sample_bytes = 16_384

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

/** Elements without readable text. */
const silent = new Set(['script', 'style', 'template', 'svg'])
/** Elements that begin a line, and elements that end a paragraph before and after them. */
const line_starts = new Set(['br', 'li', 'tr', 'dt', 'dd', 'option'])
const paragraph_ends = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'aside',
    'nav',
    'figure',
    'figcaption',
  ],
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'ul',
    'ol',
    'dl',
    'table',
    'blockquote',
    'pre',
    'form',
    'title',
    'body',
  ],
])

/** The readable text of an HTML page, with an empty line between paragraphs. Scripts do not run. */
export function htmlToText(html: string): string {
  const parts: string[] = []
  let silent_depth = 0
  const parser = new Parser({
    onopentag(name) {
      if (silent.has(name)) silent_depth += 1
      if (paragraph_ends.has(name)) parts.push('\n\n')
      else if (line_starts.has(name)) parts.push('\n')
      else if (name === 'td' || name === 'th') parts.push(' ')
    },
    onclosetag(name) {
      if (silent.has(name)) silent_depth -= 1
      if (paragraph_ends.has(name)) parts.push('\n\n')
    },
    ontext(text) {
      if (silent_depth === 0) parts.push(text)
    },
  })
  parser.end(html)
  return tidy(parts.join(''))
}

function tidy(text: string): string {
  return text
    .replace(/\u00ad/g, '')
    .replace(/[ \t\r\f\v\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
