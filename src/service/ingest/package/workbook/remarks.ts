import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addComments } from '../comments.ts'
import { addDrawing } from '../drawing.ts'
import { relatedParts } from '../relationships.ts'

/** Adds the comments on a sheet, and the words of its text boxes and charts. */
export async function addRemarks(
  archive: Archive,
  sheet: string,
  text: DocumentText,
): Promise<void> {
  const threads = await relatedParts(archive, sheet, 'threadedComment')
  // Beside threads, Excel keeps a copy of each for programs that do not know them.
  const notes = threads.length > 0 ? threads : await relatedParts(archive, sheet, 'comments')
  for (const part of notes) await addComments(archive, part, text)
  for (const part of await relatedParts(archive, sheet, 'drawing'))
    await addDrawing(archive, part, text)
}
