import { type Clock, second_ms } from '../../base/time/time.ts'
import { type BandwidthSpan, bytesPerSecondAt } from '../../domain/bandwidth.ts'
import type { UploadBody } from '../../remote/put-bytes.ts'

/** Time of one piece: short, so that uploads alternate, but long enough for useful sizes. */
const piece_ms = 250
/** Interval to read the timetable during a wait: the next hour may have no limit. */
const check_every_ms = 1_000

export type Bandwidth = ReturnType<typeof createBandwidth>

/** Limits the total rate of all uploads. It outlives each config. */
export function createBandwidth(clock: Clock) {
  let spans: readonly BandwidthSpan[] = []
  /** When the bytes allowed so far have left, at their rate; monotonic ms. */
  let free_at_ms = 0
  let last_turn: Promise<unknown> = Promise.resolve()

  /** Waits, then returns how many of `bytes` may go (all without a limit), and takes their time. */
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
      await clock.sleep(Math.min(free_at_ms - now_ms, check_every_ms), signal)
    }
    return bytes
  }

  /** Takes turns. Otherwise the last sender would always be the first to send again. */
  function takeInTurn(bytes: number, signal: AbortSignal): Promise<number> {
    const turn = last_turn.then(() => take(bytes, signal))
    last_turn = turn
    return turn
  }

  async function* pieces(
    stream: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) {
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
    /** Puts another timetable in force. */
    follow(newer: readonly BandwidthSpan[]): void {
      spans = newer
      free_at_ms = 0
    },
    /** The same body, but its pieces wait for the limit, if there is one. */
    pace(body: UploadBody, signal: AbortSignal): UploadBody {
      // Without a timetable, a body in memory goes as it is. A stream takes longer, and a reload of
      // the config may bring a timetable meanwhile.
      if (spans.length === 0 && 'bytes' in body) return body
      const stream = 'bytes' in body ? [body.bytes] : body.stream
      // Every try reads the body from the start.
      return { size: body.size, stream: { [Symbol.asyncIterator]: () => pieces(stream, signal) } }
    },
  }
}
