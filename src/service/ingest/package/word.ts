import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { gatherText, type TextRules } from './xml.ts'

/**
 * Word keeps the text of paragraphs, formulas and drawings in elements named `t`. Deleted text
 * (`delText`) and field codes (`instrText`) are left out.
 */
const word_rules: TextRules = {
  text_in: new Set(['t']),
  // A `Fallback` repeats a drawing. A `tab` in properties is a tab stop, not a tab.
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' },
  closes: { p: '\n\n', tr: '\n', tbl: '\n\n' },
  cell: 'tc',
}

/** The part with the body of a Word document. Word in the browser calls it document2.xml. */
export const word_body = /^word\/document\d*\.xml$/
/** The parts that are read. Comments are about the document and often by others: left out. */
const word_parts = /^word\/(document|footnotes|endnotes)\d*\.xml$/

export async function extractWordDocument(archive: Archive, text: DocumentText): Promise<void> {
  for (const name of archive.names.filter((part) => word_parts.test(part))) {
    await gatherText(archive.stream(name), word_rules, text)
  }
}
