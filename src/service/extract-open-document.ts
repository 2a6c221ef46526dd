import type { Archive } from './extract-archive.ts'
import { type ExtractLimits, unreadable } from './extract-limits.ts'
import { GrowingText, gatherText, type TextRules } from './gather-text.ts'

/** Texts, tables and presentations of OpenDocument share their elements: text is what stands in a paragraph or a heading. */
const rules: TextRules = {
  text_in: new Set(['p', 'h']),
  // Comments are about the document; what was deleted is kept in the tracked changes.
  skip: new Set(['tracked-changes', 'annotation']),
  opens: { tab: '\t', s: ' ', 'line-break': '\n' },
  closes: { p: '\n\n', h: '\n\n', 'table-row': '\n', table: '\n\n', page: '\n\n' },
  cell: 'table-cell',
}
const manifest = 'META-INF/manifest.xml'

export async function extractOpenDocument(archive: Archive, limits: ExtractLimits): Promise<string> {
  // The archive is not encrypted, its parts are.
  if (archive.has(manifest) && (await archive.read(manifest)).includes('encryption-data')) throw unreadable('encrypted')
  const text = new GrowingText(limits)
  await gatherText(archive.stream('content.xml'), rules, text)
  return text.toString()
}
