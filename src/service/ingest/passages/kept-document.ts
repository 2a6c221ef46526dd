import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ReadDocument } from '../document-text.ts'

/** What passages are made of. */
export type KeptDocument = Pick<ReadDocument, 'text' | 'tables' | 'marks'>

/** A text is written once and seldom read, so the fastest level: a third of the size is enough. */
const level = 1
/** Less memory than usual, which takes longer to set up than a short text to pack. */
const memLevel = 6

export function packDocument({ text, tables, marks }: KeptDocument): Buffer {
  return deflateRawSync(JSON.stringify({ text, tables, marks }), { level, memLevel })
}

export function unpackDocument(packed: Buffer): KeptDocument {
  return JSON.parse(inflateRawSync(packed).toString()) as KeptDocument
}
