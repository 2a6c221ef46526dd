import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { addGraphics, drawing_rules } from './drawing.ts'
import { idIn, partsOfMain, relatedParts } from './relationships.ts'
import { gatherText, walkXml } from './xml.ts'

/** Adds the slides in their order, each with its speaker notes. */
export async function extractPresentation(
  archive: Archive,
  main: string,
  text: DocumentText,
): Promise<void> {
  for (const slide of await slidesOf(archive, main)) {
    text.begin()
    await gatherText(archive.stream(slide), drawing_rules, text)
    await addGraphics(archive, slide, text)
    for (const notes of await relatedParts(archive, slide, 'notesSlide'))
      await gatherText(archive.stream(notes), drawing_rules, text)
    text.add('\n\n')
  }
}

/** The parts of the slides, in the order of the presentation. */
async function slidesOf(archive: Archive, main: string): Promise<string[]> {
  const related = await partsOfMain(archive, main)
  const slides = related.filter(({ kind, part }) => kind === 'slide' && archive.has(part))
  const ids: string[] = []
  await walkXml(archive.stream(main), {
    open(name, _attributes, written) {
      if (name === 'sldId') ids.push(idIn(written))
    },
  })
  const unlisted = slides.filter(({ id }) => id === '')
  const listed = ids.flatMap((id) => slides.find((slide) => slide.id === id && id !== '') ?? [])
  return [...listed, ...unlisted].map(({ part }) => part)
}
