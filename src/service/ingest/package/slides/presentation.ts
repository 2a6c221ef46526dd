import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addComments } from '../comments.ts'
import { addGraphics } from '../drawing.ts'
import { DrawingFlow } from '../drawing-flow.ts'
import { readOptional } from '../optional-part.ts'
import { partsOfMain, relatedParts } from '../relationships.ts'
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
  const addFlow = async (part: string, flow: DrawingFlow) => {
    await walkXml(archive.stream(part), flow)
    flow.end()
  }
  for (const slide of slides) {
    text.begin()
    if (!archive.has(slide)) {
      text.noteFault('is missing')
      continue
    }
    const pictures = new SlidePictures(text, slide_emu2)
    await addFlow(slide, new DrawingFlow(text, { repeated, pictures }))
    await addGraphics(archive, slide, text)
    for (const part of await relatedParts(archive, slide, 'comments'))
      await readOptional(part, text, () => addComments(archive, part, text))
    for (const part of await relatedParts(archive, slide, 'notesSlide'))
      await readOptional(part, text, () =>
        addFlow(part, new DrawingFlow(text, { repeated, label: 'Notes:\n' })),
      )
  }
}

/** The parts of the slides, in the order of the presentation; the archive may lack some. */
async function slidesOf(archive: Archive, main: string) {
  const related = await partsOfMain(archive, main)
  const slides = related.filter(({ kind }) => kind === 'slide')
  const ids: string[] = []
  let slide_emu2 = 0
  await walkXml(archive.stream(main), {
    open(name, { cx = '', cy = '', id = '' }) {
      if (name === 'sldId') ids.push(id)
      if (name === 'sldSz') slide_emu2 = Number(cx) * Number(cy)
    },
  })
  const unlisted = slides.filter(({ id }) => id === '')
  const listed = ids.flatMap((id) => slides.find((slide) => slide.id === id && id !== '') ?? [])
  return {
    slides: [...listed, ...unlisted].map(({ part }) => part),
    slide_emu2: slide_emu2 || usual_slide_emu2,
  }
}
