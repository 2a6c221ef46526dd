import { gunzipSync } from 'node:zlib'
import { codeOf } from '../../base/run/errors.ts'
import type { ForPrograms } from '../store/picture-pages.ts'
import type { ReadDocument } from './document-text.ts'
import {
  type ExtractLimits,
  maxBytesAtOnce,
  type Unreadable,
  unpacksTooMuch,
  unreadable,
  unreadableOf,
} from './extract-limits.ts'
import { binaryFault, type FileToRead, formatOf } from './file-kind.ts'
import { PicturePages, type Recognition } from './picture-pages.ts'
import { decodeForeign } from './text/charset.ts'
import { isMailFile } from './text/mail-start.ts'
import { charsetOfXml } from './text/read-text.ts'
import { textDocument } from './text/text-document.ts'
import { isFlatDocument } from './text/xml-root.ts'

export type Extracted = (ReadDocument | Unreadable) & {
  for_programs?: readonly ForPrograms[]
  /** The bytes of the document in it that was asked for. */
  wanted?: Buffer
}

/**
 * Extracts the text of a document, in the child process: a hostile file can harm only that process.
 * Each library is loaded with the first file that needs it.
 */
export async function extractDocument(
  { recognition, ...file }: FileToRead & { recognition?: Recognition },
  limits: ExtractLimits,
): Promise<Extracted> {
  const pictures = new PicturePages(recognition)
  const read = await readDocument({ ...file, pictures }, limits).catch(unreadableOf)
  return { ...read, ...pictures.found }
}

/** Documents in documents. Word itself shows them, but a hostile file holds itself many times. */
const max_depth = 3

/** `depth`: how many documents hold this one. */
async function readDocument(
  file: FileToRead & { pictures: PicturePages },
  limits: ExtractLimits,
  depth = 0,
): Promise<ReadDocument> {
  if (depth > max_depth) throw unreadable(`more than ${max_depth} documents hold one another`)
  const readInner = (inner: FileToRead) => {
    const pictures = file.pictures.inner(inner.bytes)
    return readDocument({ ...inner, pictures }, limits, depth + 1)
  }
  switch (formatOf(file.bytes)) {
    case 'pdf':
      return (await import('./pdf/extract-pdf.ts')).extractPdf(file, limits)
    case 'rtf':
      return (await import('./rtf/extract-rtf.ts')).extractRtf(fromRtfMark(file.bytes), limits)
    case 'zip':
      return (await import('./package/extract-package.ts')).extractPackage(
        file.bytes,
        limits,
        readInner,
      )
    case 'picture':
      return (await import('./picture.ts')).readPicture(file.bytes, limits, file.pictures)
    case 'old office':
      return (await import('./compound/read-compound.ts')).readCompound(file, limits, readInner)
    case 'gzip':
      return readInner(unzipped(file, limits))
    default:
      return isMailFile(file)
        ? (await import('./mail/read-mail.ts')).readMail(file.bytes, limits, readInner)
        : foreignText(file, limits)
  }
}

/** The name of a package of files (tar) in its first file. */
const tar = { at: 257, mark: 'ustar' }

function unzipped({ bytes, filename }: FileToRead, limits: ExtractLimits): FileToRead {
  const inner = gunzip(bytes, maxBytesAtOnce(limits))
  if (inner.toString('latin1', tar.at, tar.at + tar.mark.length) === tar.mark)
    throw unreadable('a package of files (.tar.gz), which the service does not read')
  return { bytes: inner, filename: filename.replace(/\.gz$/i, ''), mime_type: '' }
}

function gunzip(bytes: Buffer, max_bytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: max_bytes })
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? unpacksTooMuch(max_bytes) : error
  }
}

/** Programs that write UTF-8 put its mark before RTF, too. */
function fromRtfMark(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf('{\\rtf'))
}

async function foreignText(file: FileToRead, limits: ExtractLimits): Promise<ReadDocument> {
  const decoded = decodeForeign(file.bytes, charsetIn(file))
  if (decoded === undefined)
    throw unreadable(binaryFault(file, 'it is not text in a known character set'))
  const { text } = decoded
  if (isFlatDocument(text)) {
    const reader = await import('./package/open-document/flat-document.ts')
    return reader.extractFlatDocument(file.bytes, text, limits)
  }
  return textDocument(file, decoded, limits)
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
