import type { ReadDocument } from '../../../src/service/ingest/document-text.ts'
import { splitDocument } from '../../../src/service/ingest/passages/split-passages.ts'

/** The texts of the passages of a document. */
export function passageTexts(document: Pick<ReadDocument, 'text' | 'tables' | 'marks'>): string[] {
  return [...splitDocument(document)].map(({ text }) => text)
}
