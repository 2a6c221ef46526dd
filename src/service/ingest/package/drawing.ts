import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { faultOf } from './optional-part.ts'
import { relatedParts } from './relationships.ts'
import { gatherText, type TextRules } from './xml.ts'

/** DrawingML keeps the text of shapes, tables and SmartArt in elements named `t`. */
const drawing_rules: TextRules = {
  text_in: new Set(['t']),
  // A `Fallback` repeats a drawing. A `tab` in properties is a tab stop, not a tab.
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { br: '\n', tab: '\t' },
  closes: { p: '\n', tr: '\n' },
  cell: 'tc',
}

/** Titles are texts; names of series and categories are values of a cache of strings. */
const chart_rules: TextRules = {
  text_in: new Set(['t', 'v']),
  skip: new Set(['numCache', 'numLit', 'pPr', 'rPr', 'formatCode', 'f']),
  opens: { br: '\n' },
  closes: { p: '\n', pt: '\n', tx: '\n' },
  cell: 'tc',
}

/** Adds the words of a drawing: text boxes, and of the charts and SmartArt that it names. */
export async function addDrawing(
  archive: Archive,
  part: string,
  text: DocumentText,
): Promise<void> {
  text.addLabel('\n')
  await gatherText(archive.stream(part), drawing_rules, text)
  await addGraphics(archive, part, text)
}

const graphic_kinds = ['chart', 'chartEx', 'diagramData']

export async function hasGraphics(archive: Archive, part: string): Promise<boolean> {
  return (await relatedParts(archive, part, ...graphic_kinds)).length > 0
}

/** Adds the words of the charts and SmartArt that a drawing, a slide or a document names. */
export async function addGraphics(
  archive: Archive,
  part: string,
  text: DocumentText,
): Promise<void> {
  for (const kind of graphic_kinds) {
    const rules = kind === 'diagramData' ? drawing_rules : chart_rules
    for (const graphic of await relatedParts(archive, part, kind)) {
      text.addLabel('\n')
      const fault = await faultOf(graphic, () => gatherText(archive.stream(graphic), rules, text))
      if (fault !== undefined) text.noteFault(fault)
    }
  }
}
