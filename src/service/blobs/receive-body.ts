import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ObjectFiles, ObjectPlace, ObjectWriter, StoredObject } from '../store/object-files.ts'

/**
 * Up to this an object lies in the database, in the same commit as its row: one flush shared by many instead of two per file.
 * Above it the database would grow by what a file holds better (sqlite.org/intern-v-extern-blob.html puts the break-even
 * near 100 KB).
 */
export const max_inline_bytes = 65_536

export type Received = StoredObject & ObjectPlace

interface ReceiveOptions {
  length: number
  files: ObjectFiles
  /** Awaited once, when at least half of the body is in and more is to come. */
  halfWay: () => Promise<void> | undefined
}

/** Takes a body of exactly `length` bytes; undefined when the connection ended before. Nothing is left behind then. */
export async function receiveBody(
  request: IncomingMessage,
  { length, files, halfWay }: ReceiveOptions,
): Promise<Received | undefined> {
  const writer = length <= max_inline_bytes ? inlineWriter() : await files.begin()
  let received: Received | undefined
  try {
    if (await writeAll(request, writer, length, halfWay)) received = await writer.finish()
    return received
  } finally {
    if (!received) await writer.discard()
  }
}

function inlineWriter() {
  const chunks: Buffer[] = []
  return {
    write: (chunk: Buffer): unknown => chunks.push(chunk),
    finish(): Received {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      return { bytes, size_in_bytes: bytes.length, md5: hash('md5', bytes, 'hex') }
    },
    discard: () => {},
  }
}

async function writeAll(
  request: IncomingMessage,
  writer: ObjectWriter | ReturnType<typeof inlineWriter>,
  length: number,
  halfWay: ReceiveOptions['halfWay'],
): Promise<boolean> {
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let size = 0
  let past_half = false
  try {
    for (;;) {
      // A connection that breaks off is an ordinary end here.
      const next = await chunks.next().catch(() => undefined)
      if (!next) return false
      if (next.done) return size === length
      size += next.value.length
      await writer.write(next.value)
      if (past_half || size * 2 < length || size >= length) continue
      past_half = true
      await halfWay()
    }
  } catch (error) {
    // Who sends hears of a full disk only when the rest of the body is taken off the wire.
    await chunks.return?.()
    request.resume()
    throw error
  }
}
