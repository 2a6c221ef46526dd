import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'

/**
 * Adds the comments on a slide. An old comment has one text; a new one has paragraphs with runs,
 * and its replies stand before them.
 */
export async function addSlideComments(
  archive: Archive,
  part: string,
  text: DocumentText,
): Promise<void> {
  let words = ''
  let is_text = false
  await walkXml(archive.stream(part), {
    open(name) {
      is_text = name === 't' || name === 'text'
    },
    text(piece) {
      if (is_text) words += piece
    },
    close(name) {
      is_text = false
      if (name === 'p') words += ' '
      if (name !== 'cm' && name !== 'reply' && name !== 'txBody') return
      const comment = words.replace(/\s+/g, ' ').trim()
      words = ''
      if (comment === '') return
      text.addLabel('Comment: ')
      text.add(`${comment}\n`)
    },
  })
}
