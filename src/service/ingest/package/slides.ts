import type { DocumentText } from '../document-text.ts'
import { type Archive, numberedParts } from './archive.ts'
import { gatherText, type TextRules } from './xml.ts'

const slide_rules: TextRules = {
  text_in: new Set(['t']),
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { br: '\n', tab: '\t' },
  closes: { p: '\n', tr: '\n' },
  cell: 'tc',
}

/** Adds the slides in the order of their numbers, each with its speaker notes. */
export async function extractPresentation(archive: Archive, text: DocumentText): Promise<void> {
  for (const name of numberedParts(archive, 'ppt/slides')) {
    text.begin()
    await gatherText(archive.stream(name), slide_rules, text)
    const notes = name.replace('/slides/slide', '/notesSlides/notesSlide')
    if (notes !== name && archive.has(notes))
      await gatherText(archive.stream(notes), slide_rules, text)
    text.add('\n\n')
  }
}
