import { isUtf8 } from 'node:buffer'
import { switchesCharset, utf16WithoutMark } from './decode-charset.ts'
import { formatOf, isNamedDocument } from './document-kinds.ts'
import { htmlToText } from './html-text.ts'

export interface FileToRead {
  filename: string
  mime_type: string
  bytes: Buffer
}

/** `needs_child`: only a child process may read it (extract-document.ts). */
export type ReadText = { text: string } | { unreadable: string } | { needs_child: true }

/** Types that are no text, whatever their bytes look like: an ASCII-only PDF is still not read by quoting its source. */
const no_text_type =
  /^(image|audio|video|font|model)\/|^application\/(postscript|zip|gzip|x-(tar|7z-compressed|bzip2|xz|rar-compressed|rar|shockwave-flash|sqlite3|executable|java-archive)|java-archive|msword|vnd\.(?!.*\+(json|xml)))/i
const no_text_name =
  /\.(ps|eps|doc|xls|ppt|odg|zip|gz|tgz|bz2|xz|7z|rar|tar|png|jpe?g|gif|webp|bmp|tiff?|ico|svgz?|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|webm|woff2?|ttf|otf|exe|dll|so|class|jar|wasm|sqlite3?|db)$/i
const no_text_start = '%!PS'

/** Half a second at worst, and ten times its size in memory; a page that is larger is worth a process with limits of its own. */
const html_bytes_most = 1_048_576
const html_type = /^(text\/html|application\/xhtml\+xml)\b/i
const html_name = /\.(x?html?)$/i

function isRuledOut({ filename, mime_type }: { filename: string; mime_type: string }): boolean {
  return no_text_type.test(mime_type) || no_text_name.test(filename)
}

export function isHtml({ filename, mime_type }: { filename: string; mime_type: string }): boolean {
  return html_type.test(mime_type) || html_name.test(filename)
}

/**
 * The text of a file, decided by its type, its name and its bytes: plain text, Markdown, HTML, CSV and JSON, in UTF-8 or in
 * UTF-16 with a byte order mark: code of our own, done in one pass, and so fast that a process for it would cost more than the
 * reading. Documents, and text whose character set has to be found out, are for a child process. What is not wholly text is
 * unreadable, so that "ready" stays true.
 */
export function readText(file: FileToRead): ReadText {
  const { bytes } = file
  if (isNamedDocument(file)) return { needs_child: true }
  if (isRuledOut(file) || bytes.toString('latin1', 0, no_text_start.length) === no_text_start) {
    return { unreadable: 'a kind of file that is not read' }
  }
  if (formatOf(bytes) !== undefined) return { needs_child: true }
  if (switchesCharset(bytes)) return { needs_child: true }
  const text = decode(bytes)
  if (text !== undefined && !text.includes('\0')) {
    if (!isHtml(file)) return { text }
    return bytes.length > html_bytes_most ? { needs_child: true } : { text: htmlToText(text) }
  }
  if (bytes.includes(0) && utf16WithoutMark(bytes) === undefined) return { unreadable: 'holds NUL bytes' }
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
    // Odd length or half a surrogate pair: not the encoding that its mark announces.
    return undefined
  }
}
