import type { ReadDocument } from './document-text.ts'
import { type ExtractLimits, type Unreadable, unreadable, unreadableOf } from './extract-limits.ts'
import { binaryFault, type FileToRead, formatOf } from './file-kind.ts'
import { decodeForeign } from './text/charset.ts'
import { charsetOfXml } from './text/read-text.ts'
import { sourceFault } from './text/source-text.ts'
import { textDocument } from './text/text-document.ts'

export type Extracted = ReadDocument | Unreadable

/**
 * Extracts the text of a document, in the child process: a hostile file can harm only that process.
 * Each library is loaded with the first file that needs it.
 */
export async function extractDocument(file: FileToRead, limits: ExtractLimits): Promise<Extracted> {
  try {
    return await readDocument(file, limits)
  } catch (error) {
    return unreadableOf(error)
  }
}

/** Documents in documents. Word itself shows them, but a hostile file holds itself many times. */
const max_depth = 3

/** `depth`: how many documents hold this one. */
async function readDocument(
  file: FileToRead,
  limits: ExtractLimits,
  depth = 0,
): Promise<ReadDocument> {
  if (depth > max_depth) throw unreadable(`more than ${max_depth} documents hold one another`)
  switch (formatOf(file.bytes)) {
    case 'pdf':
      return (await import('./pdf/extract-pdf.ts')).extractPdf(file.bytes, limits)
    case 'rtf':
      return (await import('./rtf/extract-rtf.ts')).extractRtf(fromRtfMark(file.bytes), limits)
    case 'zip':
      return (await import('./package/extract-package.ts')).extractPackage(
        file.bytes,
        limits,
        (bytes, filename, mime_type) =>
          readDocument({ bytes, filename, mime_type }, limits, depth + 1),
      )
    case 'old office':
      throw unreadable('encrypted, or in the binary format of Office programs before 2007')
    default:
      return foreignText(file, limits)
  }
}

/** Programs that write UTF-8 put its mark before RTF, too. */
function fromRtfMark(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf('{\\rtf'))
}

function foreignText(file: FileToRead, limits: ExtractLimits): ReadDocument {
  const decoded = decodeForeign(file.bytes, charsetIn(file))
  if (decoded === undefined)
    throw unreadable(binaryFault(file, 'it is not text in a known character set'))
  const { text, doubt } = decoded
  const fault = sourceFault(text, file.filename)
  if (fault !== undefined) throw fault
  const read = textDocument(file, text, limits)
  if (doubt === undefined) return read
  const why = read.reading.why === undefined ? doubt : `${read.reading.why}; ${doubt}`
  return { ...read, reading: { ...read.reading, why } }
}

/**
 * The charset that the media type names, a page of HTML in its first 1,024 bytes (HTML: "prescan a
 * byte stream"), or XML in its first line.
 */
function charsetIn({ bytes, mime_type }: FileToRead): string | undefined {
  const start = bytes.toString('latin1', 0, 1_024)
  const by_xml = charsetOfXml(start)
  if (by_xml !== undefined) return by_xml
  const named =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)/i.exec(start) ??
    /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mime_type)
  return named?.[1]
}
