import { buffer } from 'node:stream/consumers'
import { DocumentText, type ReadDocument } from '../../document-text.ts'
import { broken, type ExtractLimits } from '../../extract-limits.ts'
import { rootTag } from '../../text/xml-root.ts'
import { extractOpenDocument, unitOf } from './open-document.ts'

/** As long as the pieces of an archive, so that as much is read of a broken document. */
const piece_bytes = 16_384
const parts = ['content.xml', 'styles.xml']

/** Extracts the text of an OpenDocument in one file, which stands for the parts of an archive. */
export async function extractFlatDocument(
  bytes: Buffer,
  text: string,
  limits: ExtractLimits,
): Promise<ReadDocument> {
  const unit = unitOf(rootTag(text))
  if (unit === undefined) throw broken('an OpenDocument without its kind')
  async function* stream() {
    for (let at = 0; at < bytes.length; at += piece_bytes)
      yield bytes.subarray(at, at + piece_bytes)
  }
  const has = (name: string) => parts.includes(name)
  const document = new DocumentText(limits, unit)
  const file = { names: parts, has, stream, read: () => buffer(stream()) }
  await extractOpenDocument(file, unit, document)
  return document.end()
}
