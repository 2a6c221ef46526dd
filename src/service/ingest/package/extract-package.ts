import type { ReadUnit } from '../../../contract/messages/messages-assets.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { unread_kind } from '../file-kind.ts'
import { openArchive } from './archive.ts'
import { extractEpub } from './epub.ts'
import { extractOpenDocument, openDocumentUnit } from './open-document/open-document.ts'
import { mainPart, rootName } from './relationships.ts'
import { extractPresentation } from './slides/presentation.ts'
import { extractWordDocument, type ReadInner } from './word/word.ts'
import { extractWorkbook } from './workbook/workbook.ts'

/** The kinds of Office documents, by the first element of the main part, or by its folder. */
const office_kinds: readonly {
  root: string
  folder: string
  unit: ReadUnit
  extract: typeof extractWordDocument
}[] = [
  { root: 'document', folder: 'word/', unit: 'part', extract: extractWordDocument },
  { root: 'presentation', folder: 'ppt/', unit: 'slide', extract: extractPresentation },
  { root: 'workbook', folder: 'xl/', unit: 'sheet', extract: extractWorkbook },
]

/**
 * Extracts the text of a document that is a ZIP archive. Its parts show which kind it is, as names
 * and types can be wrong. `readInner` reads the documents that it holds.
 */
export async function extractPackage(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const archive = await openArchive(bytes, limits)
  const read = async (unit: ReadUnit, extract: (text: DocumentText) => Promise<void>) => {
    const text = new DocumentText(limits, unit)
    await extract(text)
    return text.end()
  }
  const main = await mainPart(archive)
  if (main?.endsWith('.bin'))
    throw unreadable('a binary workbook of Excel (.xlsb), which the service does not read')
  if (main !== undefined) {
    const first = await rootName(archive, main)
    const kind = office_kinds.find(({ root, folder }) => root === first || main.startsWith(folder))
    if (kind) return read(kind.unit, (text) => kind.extract(archive, main, text, readInner))
  }
  if (archive.has('META-INF/container.xml'))
    return read('part', (text) => extractEpub(archive, text))
  const unit = archive.has('content.xml') ? await openDocumentUnit(archive) : undefined
  if (unit) return read(unit, (text) => extractOpenDocument(archive, unit, text))
  throw unreadable(unread_kind)
}
