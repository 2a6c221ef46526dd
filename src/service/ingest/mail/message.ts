import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { addInner, type ReadInner, shownName } from '../inner-document.ts'

/** A mail, from whatever format. */
export interface Message {
  /** Pairs such as `From` and who sent it; a value may be empty. */
  headers: readonly (readonly [name: string, value: string])[]
  /** Readers of the texts that are shown one after the other. */
  bodies: readonly (() => ReadDocument)[]
  attachments: readonly Attachment[]
}

interface Attachment {
  filename: string
  mime_type: string
  bytes: () => Buffer
  /** Why it is not read, whatever its bytes. */
  unread?: string | undefined
}

/** A mail to a whole company has names for dozens of passages, and nobody asks for all. */
const max_header_length = 4_000

/** Reads a mail: its body and each attachment are units. */
export async function readMessage(
  message: Message,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const text = new DocumentText(limits, 'attachment')
  text.begin()
  for (const [name, value] of message.headers) addHeader(name, value, text)
  for (const read of message.bodies) {
    text.addLabel('\n')
    await addInner(text, 'the body', read)
    text.addLabel('\n')
  }
  for (const { filename, mime_type, bytes, unread } of message.attachments) {
    const name = shownName(filename)
    text.begin()
    text.places.beginUnit(text.length, `attachment ${name}`)
    text.addLabel(`\nAttachment: ${name}\n`)
    await addInner(text, `the attachment ${name}`, () => {
      if (unread !== undefined) throw unreadable(unread)
      return readInner({ filename, mime_type, bytes: bytes() })
    })
    text.addLabel('\n')
  }
  return text.end()
}

/** A subject is what its sender says. The others are written by programs. */
function addHeader(name: string, value: string, text: DocumentText): void {
  if (value.trim() === '') return
  const line = value.replace(/\s+/g, ' ').trim()
  const shown = line.length > max_header_length ? `${line.slice(0, max_header_length)} …` : line
  text.addLabel(`${name}: `)
  if (name === 'Subject') text.add(shown)
  else text.addLabel(shown)
  text.addLabel('\n')
}
