import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { partsOfMain } from './relationships.ts'
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

/** Adds the body of a Word document, and its notes. */
export async function extractWordDocument(
  archive: Archive,
  main: string,
  text: DocumentText,
): Promise<void> {
  const notes = (await partsOfMain(archive, main)).filter(
    ({ kind, part }) => ['footnotes', 'endnotes'].includes(kind) && archive.has(part),
  )
  for (const part of [main, ...notes.map(({ part }) => part)])
    await gatherText(archive.stream(part), word_rules, text)
}
