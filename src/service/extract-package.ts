import { type Archive, openArchive } from './extract-archive.ts'
import { extractEpub } from './extract-epub.ts'
import { type ExtractLimits, unreadable } from './extract-limits.ts'
import { extractOpenDocument } from './extract-open-document.ts'
import { extractPresentation } from './extract-presentation.ts'
import { extractWordDocument, word_body } from './extract-word-document.ts'
import { extractWorkbook } from './extract-workbook.ts'

/** A document that is a ZIP archive; which one, its parts say. */
export async function extractPackage(bytes: Buffer, limits: ExtractLimits): Promise<string> {
  const archive = await openArchive(bytes, limits)
  return (await readerOf(archive))(archive, limits)
}

type PackageReader = (archive: Archive, limits: ExtractLimits) => Promise<string>

async function readerOf(archive: Archive): Promise<PackageReader> {
  if (archive.names.some((name) => word_body.test(name))) return extractWordDocument
  if (archive.has('ppt/presentation.xml')) return extractPresentation
  if (archive.has('xl/workbook.xml')) return extractWorkbook
  if (archive.has('META-INF/container.xml')) return extractEpub
  if (archive.has('mimetype') && archive.has('content.xml')) return extractOpenDocument
  throw unreadable('an archive that is no document of a kind that is read')
}
