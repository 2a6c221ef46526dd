export interface FileToRead {
  filename: string
  mime_type: string
  bytes: Buffer
}

interface NamedFile {
  filename: string
  mime_type: string
}

/** Types that are never text, even in pure ASCII: PostScript must not be read as its source. */
const no_text_type =
  /^(image|audio|video|font|model)\/|^application\/(postscript|zip|gzip|x-(tar|7z-compressed|bzip2|xz|rar-compressed|rar|shockwave-flash|sqlite3|executable|java-archive)|java-archive|msword|vnd\.(?!.*\+(json|xml)))/i
const no_text_name =
  /\.(ps|eps|doc|xls|ppt|odg|zip|gz|tgz|bz2|xz|7z|rar|tar|png|jpe?g|gif|webp|bmp|tiff?|ico|svgz?|mp[34]|m4a|wav|flac|ogg|avi|mov|mkv|webm|woff2?|ttf|otf|exe|dll|so|class|jar|wasm|sqlite3?|db)$/i

export function isRuledOut({ filename, mime_type }: NamedFile): boolean {
  return no_text_type.test(mime_type) || no_text_name.test(filename)
}

const html_type = /^(text\/html|application\/xhtml\+xml)\b/i
const html_name = /\.(x?html?)$/i

export function isHtml({ filename, mime_type }: NamedFile): boolean {
  return html_type.test(mime_type) || html_name.test(filename)
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
