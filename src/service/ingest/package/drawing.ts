import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { DrawingFlow } from './drawing-flow.ts'
import { type Faults, readOptional } from './optional-part.ts'
import { relatedParts } from './relationships.ts'
import { SlidePictures } from './slides/slide-pictures.ts'
import { walkXml } from './xml.ts'

/**
 * Adds the words of a drawing on a sheet: text boxes, and of the charts and SmartArt that it names.
 * A sheet has no size, so no picture has a share of it.
 */
export async function addDrawing(
  archive: Archive,
  part: string,
  text: DocumentText,
): Promise<void> {
  const pictures = new SlidePictures(text, Number.POSITIVE_INFINITY)
  await walkXml(archive, part, new DrawingFlow(text, { pictures }))
  await addGraphics(archive, part, text)
}

const graphic_kinds = ['chart', 'chartEx', 'diagramData']

/**
 * Adds the words of the charts and SmartArt that a drawing, a slide or a document names. `faults`
 * notes those that are broken.
 */
export async function addGraphics(
  archive: Archive,
  part: string,
  text: DocumentText,
  faults: Faults = text,
): Promise<void> {
  const graphics = await relatedParts(archive, part, ...graphic_kinds)
  await readOptional(graphics, faults, (graphic) =>
    walkXml(archive, graphic, new DrawingFlow(text)),
  )
}
