import type { ReadUnit } from '../../../contract/messages/messages-assets.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { type Archive, openArchive } from './archive.ts'
import { extractEpub } from './epub.ts'
import { extractOpenDocument } from './open-document.ts'
import { extractPresentation } from './slides.ts'
import { extractWordDocument, word_body } from './word.ts'
import { extractWorkbook } from './workbook/workbook.ts'

/** Extracts the text of a document that is a ZIP archive. Its parts show which kind it is. */
export async function extractPackage(bytes: Buffer, limits: ExtractLimits): Promise<ReadDocument> {
  const archive = await openArchive(bytes, limits)
  const { unit, read } = readerOf(archive)
  const text = new DocumentText(limits, unit)
  await read(archive, text)
  return text.end()
}

interface PackageReader {
  unit: ReadUnit
  read(archive: Archive, text: DocumentText): Promise<void>
}

function readerOf(archive: Archive): PackageReader {
  if (archive.names.some((name) => word_body.test(name)))
    return { unit: 'part', read: extractWordDocument }
  if (archive.has('ppt/presentation.xml')) return { unit: 'slide', read: extractPresentation }
  if (archive.has('xl/workbook.xml')) return { unit: 'sheet', read: extractWorkbook }
  if (archive.has('META-INF/container.xml')) return { unit: 'part', read: extractEpub }
  if (archive.has('mimetype') && archive.has('content.xml'))
    return { unit: 'part', read: extractOpenDocument }
  throw unreadable('the archive is not a document that the service can read')
}
