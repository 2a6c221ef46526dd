import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addComments } from '../comments.ts'
import { addGraphics } from '../drawing.ts'
import { DrawingFlow } from '../drawing-flow.ts'
import { readOptional } from '../optional-part.ts'
import { partsNamed, partsOfKind, partsOfMain, relationshipsOf } from '../relationships.ts'
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
  const { ids, slide_emu2 } = await slidesOf(archive, main)
  const slides = partsNamed(ids, await partsOfMain(archive, main, text), 'slide')
  const repeated = new Set<string>()
  for (const slide of slides) {
    text.begin()
    if (slide === undefined) {
      text.noteFault('is missing')
      continue
    }
    const pictures = new SlidePictures(text, slide_emu2)
    await readOptional(archive, [slide], text, () =>
      walkXml(archive, slide, new DrawingFlow(text, { repeated, pictures })),
    )
    const related = await relationshipsOf(archive, slide, text)
    await addGraphics(archive, related, text)
    await readOptional(archive, partsOfKind(related, 'comments'), text, (part) =>
      addComments(archive, part, text),
    )
    await readOptional(archive, partsOfKind(related, 'notesSlide'), text, (part) =>
      walkXml(archive, part, new DrawingFlow(text, { repeated, label: 'Notes:\n' })),
    )
  }
}

/** What a presentation says of its slides: their ids, in their order. */
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
  return { ids, slide_emu2: slide_emu2 || usual_slide_emu2 }
}
