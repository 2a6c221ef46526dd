import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addComments } from '../comments.ts'
import { addGraphics } from '../drawing.ts'
import { DrawingFlow } from '../drawing-flow.ts'
import { readOptional } from '../optional-part.ts'
import { partsNamed, partsOfMain, relatedParts } from '../relationships.ts'
import { walkXml } from '../xml.ts'
import { SlidePictures } from './slide-pictures.ts'

/** The area of a slide of 10 by 7.5 inches, which old presentations have. */
const usual_slide_emu2 = 9_144_000 * 6_858_000

/** Adds the slides in their order, each with its charts, comments and speaker notes. */
export async function extractPresentation(
  archive: Archive,
  main: string,
  text: DocumentText,
): Promise<void> {
  const { slides, slide_emu2 } = await slidesOf(archive, main)
  const repeated = new Set<string>()
  for (const slide of slides) {
    text.begin()
    if (slide === undefined) {
      text.noteFault('is missing')
      continue
    }
    const pictures = new SlidePictures(text, slide_emu2)
    await walkXml(archive, slide, new DrawingFlow(text, { repeated, pictures }))
    await addGraphics(archive, slide, text)
    const comments = await relatedParts(archive, slide, 'comments')
    await readOptional(comments, text, (part) => addComments(archive, part, text))
    const notes = await relatedParts(archive, slide, 'notesSlide')
    await readOptional(notes, text, (part) =>
      walkXml(archive, part, new DrawingFlow(text, { repeated, label: 'Notes:\n' })),
    )
  }
}

/** The parts of the slides, in the order of the presentation; undefined for one that is missing. */
async function slidesOf(archive: Archive, main: string) {
  const ids: string[] = []
  let slide_emu2 = 0
  await walkXml(archive, main, {
    open(name, { cx = '', cy = '', id = '' }) {
      if (name === 'sldId') ids.push(id)
      if (name === 'sldSz') slide_emu2 = Number(cx) * Number(cy)
      // Sections name the slides again.
      return name !== 'section'
    },
  })
  const slides = partsNamed(ids, await partsOfMain(archive, main), 'slide')
  return { slides, slide_emu2: slide_emu2 || usual_slide_emu2 }
}
