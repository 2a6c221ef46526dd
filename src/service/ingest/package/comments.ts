import type { DocumentText } from '../document-text.ts'
import type { Archive } from './archive.ts'
import { walkXml } from './xml.ts'

/** Elements of comments on sheets and slides. The replies to one on a slide stand within it. */
const comments = new Set(['comment', 'threadedComment', 'cm', 'reply', 'txBody'])

/** Adds the comments on a sheet, each with its cell, or on a slide. */
export async function addComments(
  archive: Archive,
  part: string,
  text: DocumentText,
): Promise<void> {
  let cell = ''
  let words = ''
  await walkXml(archive, part, {
    open(name, { ref }) {
      if (ref !== undefined) cell = ` on ${ref}`
      // Readings above Asian letters.
      return name !== 'rPh'
    },
    text(piece, name) {
      if (name === 't' || name === 'text') words += piece
    },
    close(name) {
      if (name === 'p') words += ' '
      if (!comments.has(name)) return
      const comment = words.replace(/\s+/g, ' ').trim()
      words = ''
      if (comment === '') return
      text.addLabel(`\nComment${cell}: `)
      text.add(`${comment}\n`)
    },
  })
}
