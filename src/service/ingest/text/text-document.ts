import { DocumentText, type ReadDocument } from '../document-text.ts'
import type { ExtractLimits } from '../extract-limits.ts'
import { isCommaSeparated, isHtml, type NamedFile } from '../file-kind.ts'
import { headerOf } from './comma-separated.ts'
import { addHtml } from './html.ts'

/**
 * The document of a decoded text: a page of HTML, a table, or plain text. Throws `ingest.no_text`.
 */
export function textDocument(
  file: NamedFile,
  decoded: string,
  limits: Pick<ExtractLimits, 'text_length'>,
): ReadDocument {
  const document = new DocumentText(limits, 'part')
  if (isHtml(file, decoded)) {
    addHtml(decoded, document)
    return document.end()
  }
  document.add(decoded)
  const found = isCommaSeparated(file) ? headerOf(decoded) : undefined
  if (found) document.noteTable({ ...found, to: decoded.length })
  return document.end()
}
