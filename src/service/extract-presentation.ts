import { type Archive, numberedParts } from './extract-archive.ts'
import type { ExtractLimits } from './extract-limits.ts'
import { GrowingText, gatherText, type TextRules } from './gather-text.ts'

const rules: TextRules = {
  text_in: new Set(['t']),
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { br: '\n', tab: '\t' },
  closes: { p: '\n', tr: '\n' },
  cell: 'tc',
}

/** Slides in the order of their numbers, each with what its speaker noted. */
export async function extractPresentation(archive: Archive, limits: ExtractLimits): Promise<string> {
  const text = new GrowingText(limits)
  for (const name of numberedParts(archive, 'ppt/slides')) {
    await gatherText(archive.stream(name), rules, text)
    const notes = name.replace('/slides/slide', '/notesSlides/notesSlide')
    if (notes !== name && archive.has(notes)) await gatherText(archive.stream(notes), rules, text)
    text.add('\n\n')
  }
  return text.toString()
}
