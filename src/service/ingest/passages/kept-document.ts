import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ReadDocument } from '../document-text.ts'

/** What passages are made of. */
export type KeptDocument = Pick<ReadDocument, 'text' | 'tables' | 'marks'>

/** A text is written once and seldom read, so the fastest level: a third of the size is enough. */
const level = 1
/** Less memory than usual, which takes longer to set up than a short text to pack. */
const memLevel = 6
/** UTF-16 units. A text of 32 MB that is packed as a whole stands in memory twice more. */
const piece_length = 256 * 1024
/** UTF-8 takes at most so many bytes for one of them. */
const bytes_per_unit = 3
/** Bytes before each packed piece that say how long it is. */
const length_bytes = 4

/** Packs the places of a document, and behind them its text in pieces. */
export function packDocument({ text, tables, marks }: KeptDocument): Buffer {
  const packed = [pack(Buffer.from(JSON.stringify({ tables, marks })))]
  // All pieces use the same space, so that no garbage of the size of the text waits for its end.
  const space = Buffer.allocUnsafe(bytes_per_unit * Math.min(text.length, piece_length + 1))
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from)
    packed.push(pack(space.subarray(0, space.write(text.slice(from, to)))))
    from = to
  }
  return Buffer.concat(packed)
}

export function unpackDocument(packed: Buffer): KeptDocument {
  const [places = '', ...pieces] = unpackEach(packed)
  return { ...(JSON.parse(places) as Omit<KeptDocument, 'text'>), text: pieces.join('') }
}

/** Never between the halves of a character. */
function pieceEnd(text: string, from: number): number {
  const end = from + piece_length
  return /[\udc00-\udfff]/.test(text.charAt(end)) ? end + 1 : end
}

function pack(bytes: Buffer): Buffer {
  const packed = deflateRawSync(bytes, { level, memLevel })
  const length = Buffer.alloc(length_bytes)
  length.writeUInt32LE(packed.length)
  return Buffer.concat([length, packed])
}

function* unpackEach(packed: Buffer): Generator<string> {
  for (let at = 0; at < packed.length; ) {
    const from = at + length_bytes
    at = from + packed.readUInt32LE(at)
    yield inflateRawSync(packed.subarray(from, at)).toString()
  }
}
