import { type Decoded, DocumentText, type ReadDocument } from '../document-text.ts'
import type { ExtractLimits } from '../extract-limits.ts'
import { isCommaSeparated, isHtml, isXhtml, type NamedFile } from '../file-kind.ts'
import { addCalendar, isCalendar } from './calendar.ts'
import { headerOf } from './comma-separated.ts'
import { withoutDataUris } from './encoded-text.ts'
import { addHtml } from './html.ts'
import { headingsIn, isMarkdown } from './markdown-headings.ts'
import { addNotebook, isNotebook } from './notebook.ts'
import { sourceFault } from './source-text.ts'

/**
 * The document of a decoded text: a notebook, a calendar, a page of HTML, a table, or plain text.
 * Throws if it has no words, or is the source of a picture or of a document.
 */
export function textDocument(
  file: NamedFile,
  { text: decoded, doubt }: Decoded,
  limits: Pick<ExtractLimits, 'text_length'>,
): ReadDocument {
  const document = new DocumentText(limits, 'part')
  if (doubt !== undefined) document.noteDoubt(doubt)
  const fault = sourceFault(decoded, file.filename)
  if (fault !== undefined) throw fault
  const text = withoutDataUris(decoded)
  if (isNotebook(text)) {
    addNotebook(text, document)
    return document.end()
  }
  if (isCalendar(text)) {
    addCalendar(text, document)
    return document.end()
  }
  if (isHtml(file, text)) {
    addHtml(text, document, isXhtml(file, text))
    return document.end()
  }
  document.add(text)
  const found = isCommaSeparated(file) ? headerOf(text) : undefined
  if (found) {
    document.noteTable({ ...found, to: text.length })
    document.places.noteRow(found.from, found.from === 0 ? 1 : 2)
  }
  if (isMarkdown(file))
    for (const { at, level, words } of headingsIn(text))
      document.places.noteHeading(at, level, words)
  return document.end()
}
