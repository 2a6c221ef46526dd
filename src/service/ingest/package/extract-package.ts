import type { ReadUnit } from '../../../contract/messages/messages-assets.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { unread_kind } from '../file-kind.ts'
import type { ReadInner } from '../inner-document.ts'
import { openArchive } from './archive.ts'
import { mainPart, rootName } from './relationships.ts'
import type { extractWordDocument } from './word/word.ts'

/**
 * The kinds of Office documents, by the first element of the main part, or by its folder. The
 * reader of a kind is loaded with its first file.
 */
const office_kinds: readonly {
  root: string
  folder: string
  unit: ReadUnit
  reader: () => Promise<typeof extractWordDocument>
}[] = [
  {
    root: 'document',
    folder: 'word/',
    unit: 'part',
    reader: async () => (await import('./word/word.ts')).extractWordDocument,
  },
  {
    root: 'presentation',
    folder: 'ppt/',
    unit: 'slide',
    reader: async () => (await import('./slides/presentation.ts')).extractPresentation,
  },
  {
    root: 'workbook',
    folder: 'xl/',
    unit: 'sheet',
    reader: async () => (await import('./workbook/workbook.ts')).extractWorkbook,
  },
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
    const extract = await kind?.reader()
    if (kind && extract) return read(kind.unit, (text) => extract(archive, main, text, readInner))
  }
  if (archive.has('META-INF/container.xml')) {
    const { extractEpub } = await import('./epub.ts')
    return read('part', (text) => extractEpub(archive, text))
  }
  if (archive.has('content.xml')) {
    const reader = await import('./open-document/open-document.ts')
    const unit = await reader.openDocumentUnit(archive)
    if (unit) return read(unit, (text) => reader.extractOpenDocument(archive, unit, text))
  }
  throw unreadable(unread_kind)
}
