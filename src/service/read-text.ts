import { isUtf8 } from 'node:buffer'
import { htmlToText } from './html-text.ts'

export interface FileToRead {
  filename: string
  mime_type: string
  bytes: Buffer
}

export type ReadText = { text: string } | { unreadable: string }

/** Types that are no text, whatever their bytes look like: an ASCII-only PDF is still not read by quoting its source. */
const no_text_type =
  /^(image|audio|video|font|model)\/|^application\/(pdf|postscript|rtf|zip|gzip|x-(tar|7z-compressed|bzip2|xz|rar-compressed|rar|shockwave-flash|sqlite3|executable|java-archive)|java-archive|msword|epub\+zip|vnd\.(?!.*\+(json|xml)))/i
const no_text_name =
  /\.(pdf|ps|eps|rtf|docx?|xlsx?|pptx?|od[tspg]|epub|zip|gz|tgz|bz2|xz|7z|rar|tar|png|jpe?g|gif|webp|bmp|tiff?|ico|svgz?|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|webm|woff2?|ttf|otf|exe|dll|so|class|jar|wasm|sqlite3?|db)$/i
const no_text_start = ['%PDF-', '%!PS', '{\\rtf', 'PK\u0003\u0004']

const html_type = /^(text\/html|application\/xhtml\+xml)\b/i
const html_name = /\.(x?html?)$/i

/**
 * The text of a file, decided by its type, its name and its bytes: plain text, Markdown, HTML, CSV and JSON, in UTF-8 or in
 * UTF-16 with a byte order mark. What is not wholly text is unreadable, so that "ready" stays true.
 */
export function readText({ filename, mime_type, bytes }: FileToRead): ReadText {
  if (no_text_type.test(mime_type) || no_text_name.test(filename))
    return { unreadable: 'a kind of file that is not read' }
  const start = bytes.subarray(0, 8).toString('latin1')
  if (no_text_start.some((mark) => start.startsWith(mark))) return { unreadable: 'a kind of file that is not read' }
  const text = decode(bytes)
  if (text === undefined) return { unreadable: 'not text in UTF-8, nor in UTF-16 with a byte order mark' }
  if (text.includes('\0')) return { unreadable: 'holds NUL bytes' }
  const is_html = html_type.test(mime_type) || html_name.test(filename)
  return { text: is_html ? htmlToText(text) : text }
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
