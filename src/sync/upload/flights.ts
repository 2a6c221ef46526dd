import type { UploadBody } from '../../remote/put-bytes.ts'

/** The part of the streamed files under way that has gone. */
export interface Moved {
  /** The sum of their parts: two halves are one file. */
  files: number
  bytes: number
  count: number
  largest_left_bytes: number
}

/**
 * How far the uploads of large files are. The ledger knows only when one has ended, which may be
 * hours later. A file counts until `end`, when the ledger knows more.
 */
export class Flights {
  readonly #flights = new Map<number, { size: number; moved: number }>()

  /** The same body, whose bytes are counted. One in memory goes at once, and is not counted. */
  watch(content: number, body: UploadBody): UploadBody {
    if ('bytes' in body) return body
    const { size, stream } = body
    const flight = { size, moved: 0 }
    this.#flights.set(content, flight)
    return { size, stream: { [Symbol.asyncIterator]: () => counted(stream, flight) } }
  }

  end(content: number): void {
    this.#flights.delete(content)
  }

  moved(): Moved {
    const sum = { files: 0, bytes: 0, count: this.#flights.size, largest_left_bytes: 0 }
    for (const { size, moved } of this.#flights.values()) {
      sum.files += moved / size
      sum.bytes += moved
      sum.largest_left_bytes = Math.max(sum.largest_left_bytes, size - moved)
    }
    return sum
  }
}

async function* counted(stream: AsyncIterable<Uint8Array>, flight: { moved: number }) {
  // Every try sends the file from its start.
  flight.moved = 0
  for await (const piece of stream) {
    yield piece
    flight.moved += piece.byteLength
  }
}
