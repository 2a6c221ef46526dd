import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addComments } from '../comments.ts'
import { addDrawing } from '../drawing.ts'
import { readOptional } from '../optional-part.ts'
import { partsOfKind, relationshipsOf } from '../relationships.ts'

/** Adds the comments on a sheet, and the words of its text boxes and charts. */
export async function addRemarks(
  archive: Archive,
  sheet: string,
  text: DocumentText,
): Promise<void> {
  const related = await relationshipsOf(archive, sheet, text)
  const threads = partsOfKind(related, 'threadedComment')
  // Beside threads, Excel keeps a copy of each for programs that do not know them.
  const notes = threads.length > 0 ? threads : partsOfKind(related, 'comments')
  await readOptional(archive, notes, text, (part) => addComments(archive, part, text))
  for (const part of partsOfKind(related, 'drawing')) await addDrawing(archive, part, text)
}
