import type { Archive } from './extract-archive.ts'
import type { ExtractLimits } from './extract-limits.ts'
import { GrowingText, gatherText, type TextRules } from './gather-text.ts'

/** Text stands in w:t (deleted text in w:delText, fields in w:instrText), formulas in m:t, drawings in a:t. */
const rules: TextRules = {
  text_in: new Set(['t']),
  // What is drawn in two ways stands there twice; properties hold tab stops, which are no tabs.
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' },
  closes: { p: '\n\n', tr: '\n', tbl: '\n\n' },
  cell: 'tc',
}

/** Word in the browser calls it document2.xml. */
export const word_body = /^word\/document\d*\.xml$/
/** Comments are not read: they are about the document, and often by somebody else. */
const parts = /^word\/(document|footnotes|endnotes)\d*\.xml$/

export async function extractWordDocument(archive: Archive, limits: ExtractLimits): Promise<string> {
  const text = new GrowingText(limits)
  for (const name of archive.names.filter((part) => parts.test(part))) {
    await gatherText(archive.stream(name), rules, text)
  }
  return text.toString()
}
