import type { ReadUnit } from '../../../contract/messages/messages-assets.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { unread_kind } from '../file-kind.ts'
import { type Archive, openArchive } from './archive.ts'
import { extractEpub } from './epub.ts'
import { extractOpenDocument, openDocumentUnit } from './open-document/open-document.ts'
import { mainPart, rootName } from './relationships.ts'
import { extractPresentation } from './slides/presentation.ts'
import { extractWordDocument, type ReadInner } from './word/word.ts'
import { extractWorkbook } from './workbook/workbook.ts'

/**
 * Extracts the text of a document that is a ZIP archive. Its parts show which kind it is.
 * `readInner` reads the documents that it holds.
 */
export async function extractPackage(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const archive = await openArchive(bytes, limits)
  const { unit, read } = await readerOf(archive, readInner)
  const text = new DocumentText(limits, unit)
  await read(text)
  return text.end()
}

interface PackageReader {
  unit: ReadUnit
  read(text: DocumentText): Promise<void>
}

async function readerOf(archive: Archive, readInner: ReadInner): Promise<PackageReader> {
  const main = await mainPart(archive)
  if (main?.endsWith('.bin'))
    throw unreadable('a binary workbook of Excel (.xlsb), which the service does not read')
  const office = main === undefined ? undefined : await officeReader(archive, main, readInner)
  if (office) return office
  if (archive.has('META-INF/container.xml'))
    return { unit: 'part', read: (text) => extractEpub(archive, text) }
  if (archive.has('content.xml')) {
    const unit = await openDocumentUnit(archive)
    if (unit) return { unit, read: (text) => extractOpenDocument(archive, unit, text) }
  }
  throw unreadable(unread_kind)
}

/**
 * The first element of the main part says what a document is, as names and types can be wrong.
 * Undefined if the archive is no Office document.
 */
async function officeReader(
  archive: Archive,
  main: string,
  readInner: ReadInner,
): Promise<PackageReader | undefined> {
  const root = await rootName(archive, main)
  if (root === 'document' || main.startsWith('word/'))
    return { unit: 'part', read: (text) => extractWordDocument(archive, main, text, readInner) }
  if (root === 'presentation' || main.startsWith('ppt/'))
    return { unit: 'slide', read: (text) => extractPresentation(archive, main, text) }
  if (root === 'workbook' || main.startsWith('xl/'))
    return { unit: 'sheet', read: (text) => extractWorkbook(archive, main, text) }
  return undefined
}
