import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { DrawingFlow } from './drawing-flow.ts'
import { type Faults, readOptional } from './optional-part.ts'
import { partsOfKind, type Relationship, relationshipsOf } from './relationships.ts'
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
  await readOptional(archive, [part], text, () =>
    walkXml(archive, part, new DrawingFlow(text, { pictures })),
  )
  await addGraphics(archive, await relationshipsOf(archive, part, text), text)
}

/**
 * Adds the words of the charts and SmartArt that a drawing, a slide or a document names. `faults`
 * notes those that are broken.
 */
export async function addGraphics(
  archive: Archive,
  related: readonly Relationship[],
  text: DocumentText,
  faults: Faults = text,
): Promise<void> {
  const graphics = partsOfKind(related, 'chart', 'chartEx', 'diagramData')
  await readOptional(archive, graphics, faults, (graphic) =>
    walkXml(archive, graphic, new DrawingFlow(text)),
  )
}
