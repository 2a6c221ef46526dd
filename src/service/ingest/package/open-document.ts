import type { DocumentText } from '../document-text.ts'
import { unreadable } from '../extract-limits.ts'
import type { Archive } from './archive.ts'
import { gatherText, type TextRules } from './xml.ts'

/** OpenDocument texts, tables and presentations keep text in paragraphs and headings. */
const open_rules: TextRules = {
  text_in: new Set(['p', 'h']),
  // Comments are about the document. Tracked changes contain the deleted text.
  skip: new Set(['tracked-changes', 'annotation']),
  opens: { tab: '\t', s: ' ', 'line-break': '\n' },
  closes: { p: '\n\n', h: '\n\n', 'table-row': '\n', table: '\n\n', page: '\n\n' },
  cell: 'table-cell',
}
const manifest = 'META-INF/manifest.xml'

export async function extractOpenDocument(archive: Archive, text: DocumentText): Promise<void> {
  // OpenDocument encrypts the parts, not the archive.
  if (archive.has(manifest) && (await archive.read(manifest)).includes('encryption-data'))
    throw unreadable('encrypted')
  await gatherText(archive.stream('content.xml'), open_rules, text)
}
