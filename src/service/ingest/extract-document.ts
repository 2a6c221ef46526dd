import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import { decodeForeign } from './charset.ts'
import { type ExtractLimits, GrowingText, tooMuchText, unreadable } from './extract-limits.ts'
import {
  type FileToRead,
  formatOf,
  hasPdfMark,
  htmlToText,
  isHtml,
  isNamedDocument,
  isNamedPdf,
} from './read-text.ts'

export type Extracted = { text: string } | { unreadable: string }

/** The most characters of a library's error message that `unreadable` quotes. */
const max_quoted_length = 200

/**
 * Extracts the text of a document, in the child process: a hostile file can harm only that process.
 * Each library is loaded with the first file that needs it.
 */
export async function extractDocument(file: FileToRead, limits: ExtractLimits): Promise<Extracted> {
  try {
    const text = await textOf(file, limits)
    if (text.length > limits.text_length) throw tooMuchText(limits)
    return { text }
  } catch (error) {
    return { unreadable: reasonOf(error) }
  }
}

async function textOf(file: FileToRead, limits: ExtractLimits): Promise<string> {
  switch (formatOf(file.bytes)) {
    case 'pdf':
      return extractPdf(file.bytes, limits)
    case 'rtf':
      return (await import('./extract-rtf.ts')).extractRtf(file.bytes)
    case 'zip':
      return (await import('./extract-package.ts')).extractPackage(file.bytes, limits)
    case 'old office':
      throw unreadable('encrypted, or in the binary format of Office programs before 2007')
    default:
      if (isNamedPdf(file) && hasPdfMark(file.bytes)) return extractPdf(file.bytes, limits)
      if (isNamedDocument(file)) throw unreadable('its content does not fit its name or type')
      return foreignText(file)
  }
}

/** Reads a PDF, one page at a time to save memory. One that needs a password is refused. */
async function extractPdf(bytes: Buffer, limits: ExtractLimits): Promise<string> {
  const document = await openPdf(bytes)
  try {
    return await textOfPages(document, limits)
  } finally {
    await document.destroy()
  }
}

async function textOfPages(
  document: Awaited<ReturnType<typeof openPdf>>,
  limits: ExtractLimits,
): Promise<string> {
  const pages = new GrowingText(limits)
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    if (number > 1) pages.add('\n\n')
    pages.add(
      items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''),
    )
    page.cleanup()
  }
  const text = pages.toString()
  if (text.trim() === '') throw unreadable('it has no text, at most pictures of pages')
  return text
}

async function openPdf(bytes: Buffer) {
  const { getDocumentProxy } = await import('unpdf')
  try {
    return await getDocumentProxy(new Uint8Array(bytes))
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw unreadable('encrypted')
    throw error
  }
}

function foreignText(file: FileToRead): string {
  const is_html = isHtml(file)
  const text = decodeForeign(file.bytes, is_html ? charsetInHtml(file.bytes) : undefined)
  if (text === undefined) throw unreadable('it is not text in a known character set')
  return is_html ? htmlToText(text) : text
}

/** The charset that a page names in its first 1,024 bytes (HTML: "prescan a byte stream"). */
function charsetInHtml(bytes: Buffer): string | undefined {
  return /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)/i.exec(
    bytes.toString('latin1', 0, 1_024),
  )?.[1]
}

function reasonOf(error: unknown): string {
  if (isSluiceError(error, 'ingest.unreadable')) return error.message
  const words = messageOf(error).replace(/\s+/g, ' ').slice(0, max_quoted_length)
  const missing = /Cannot find package '([^']+)'/.exec(words)?.[1]
  if (missing !== undefined)
    return `this kind of file needs the optional package ${missing}, which is not installed`
  if (/allocation failed|out of memory/i.test(words))
    return 'it needs more memory than a file may use'
  return `broken: ${words}`
}
