import { type Clock, second_ms } from '../../base/time/time.ts'
import { type BandwidthSpan, bytesPerSecondAt } from '../../domain/bandwidth.ts'
import type { UploadBody } from '../../remote/put-bytes.ts'

/** So much of a second goes at once: short enough that many uploads take turns, long enough that pieces are not crumbs. */
const piece_ms = 250
/** The timetable is looked at so often while somebody waits: the next hour may have no limit. */
const look_ms = 1_000

export type Bandwidth = ReturnType<typeof createBandwidth>

/**
 * How much of the line uploads take together; lives as long as the process, whatever the
 * configuration becomes.
 */
export function createBandwidth(clock: Clock) {
  let spans: readonly BandwidthSpan[] = []
  /** When the bytes that were let through have gone at the rate of their time. */
  let free_at_ms = 0
  let last_turn: Promise<unknown> = Promise.resolve()

  /** How many of `bytes` may go now; each takes the time that its bytes need, and the next one comes after it. */
  async function take(bytes: number, signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      const rate = bytesPerSecondAt(spans, clock.now_ms())
      if (rate === undefined) return bytes
      const now_ms = clock.monotonic_ms()
      if (free_at_ms <= now_ms) {
        const taken = Math.min(bytes, Math.ceil((rate * piece_ms) / second_ms))
        free_at_ms = now_ms + (taken / rate) * second_ms
        return taken
      }
      await clock.sleep(Math.min(free_at_ms - now_ms, look_ms), signal)
    }
    return bytes
  }

  /** One after the other: without turns who has just sent would be the first to send again. */
  function takeInTurn(bytes: number, signal: AbortSignal): Promise<number> {
    const turn = last_turn.then(() => take(bytes, signal))
    last_turn = turn
    return turn
  }

  async function* pieces(stream: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, signal: AbortSignal) {
    for await (const piece of stream) {
      if (spans.length === 0) {
        yield piece
        continue
      }
      for (let sent = 0; sent < piece.byteLength; ) {
        const taken = await takeInTurn(piece.byteLength - sent, signal)
        yield piece.subarray(sent, sent + taken)
        sent += taken
      }
    }
  }

  return {
    /** Another timetable is in force. */
    follow(newer: readonly BandwidthSpan[]): void {
      spans = newer
      free_at_ms = 0
    },
    /** The same body; where there are limits, its pieces come when the line may take them. */
    pace(body: UploadBody, signal: AbortSignal): UploadBody {
      // What is held in memory is soon gone; while a large one goes a limit may come.
      if (spans.length === 0 && 'bytes' in body) return body
      const stream = 'bytes' in body ? [body.bytes] : body.stream
      // Read anew at every try.
      return { size: body.size, stream: { [Symbol.asyncIterator]: () => pieces(stream, signal) } }
    },
  }
}
