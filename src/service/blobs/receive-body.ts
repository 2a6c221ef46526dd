import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ObjectFiles, ObjectPlace, ObjectWriter, StoredObject } from '../store/object-files.ts'

/**
 * Objects (the bytes of an asset) up to this size are stored in the database, in the commit of
 * their row. Many share one flush, where a file needs two. Larger objects are better in a file
 * (sqlite.org/intern-v-extern-blob.html puts the break-even near 100 KB).
 */
export const max_inline_bytes = 65_536

export type Received = StoredObject & ObjectPlace

interface ReceiveOptions {
  length: number
  files: ObjectFiles
  /** Awaited once, when at least half of the body has arrived and more is to come. */
  halfWay: () => Promise<void> | undefined
}

/** Receives exactly `length` bytes. Keeps none and returns undefined if fewer arrive. */
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
      // A broken connection is an ordinary end here.
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
    // The sender reads the answer about a full disk only after it has sent the whole body, so the
    // rest is read and dropped.
    await chunks.return?.()
    request.resume()
    throw error
  }
}
