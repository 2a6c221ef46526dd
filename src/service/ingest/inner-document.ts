import { printable } from '../../base/text/format.ts'
import type { DocumentText, ReadDocument } from './document-text.ts'
import { no_text, unreadableOf } from './extract-limits.ts'
import type { FileToRead } from './file-kind.ts'

/** Reads a document that another one holds. */
export type ReadInner = (file: FileToRead) => Promise<ReadDocument>

/** Characters of a name in a reason, which stands in one line with others. */
const max_name_length = 100

/**
 * Adds a document that is in another one to the present unit. What was not read of it is named.
 * `name`: such as `the attachment plan.pdf`.
 */
export async function addInner(
  text: DocumentText,
  name: string,
  read: () => ReadDocument | Promise<ReadDocument>,
): Promise<void> {
  const found = await readOr(read)
  if (typeof found === 'string') {
    // A blank file counts as read, like a blank page.
    if (found !== no_text) text.noteUnread(`${name}: ${found}`)
    return
  }
  const from = text.length
  text.add(found.text)
  for (const table of found.tables)
    text.noteTable({ ...table, from: table.from + from, to: table.to + from })
  text.places.addInner(from, name.replace(/^the /, ''), found.marks)
  const { of, seen, why } = found.reading
  if (seen < of) text.noteUnread(`${name}: ${why}`)
  else if (why !== undefined) text.noteDoubt(`${name}: ${why}`)
}

/** The document, or why it cannot be read. */
async function readOr(read: () => ReadDocument | Promise<ReadDocument>) {
  try {
    return await read()
  } catch (error) {
    return unreadableOf(error).unreadable
  }
}

/** A name of a file as a reason and a text show it. */
export function shownName(name: string): string {
  const line = printable(name.replace(/\s+/g, ' ').trim())
  return line.length > max_name_length ? `${line.slice(0, max_name_length)}…` : line
}
