import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { addDrawing } from '../drawing.ts'
import { relatedParts } from '../relationships.ts'
import { walkXml } from '../xml.ts'
import { RichText } from './shared-strings.ts'

/** Adds the comments on a sheet, each with its cell, and the words of text boxes and charts. */
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

async function addComments(archive: Archive, part: string, text: DocumentText): Promise<void> {
  const rich = new RichText()
  let cell = ''
  let is_thread = false
  let words = ''
  await walkXml(archive.stream(part), {
    open(name, { ref = '' }) {
      rich.listener.open(name)
      if (name === 'comment' || name === 'threadedComment') cell = ref
      if (name === 'text') is_thread = true
    },
    text(piece) {
      rich.listener.text(piece)
      if (is_thread) words += piece
    },
    close(name) {
      rich.listener.close(name)
      if (name === 'text') is_thread = false
      if (name !== 'comment' && name !== 'threadedComment') return
      // The text of a thread has no runs.
      const comment = (rich.take() || words).trim()
      words = ''
      if (comment === '') return
      text.addLabel(`\nComment on ${cell}: `)
      text.add(`${comment}\n`)
    },
  })
}
