import type { SharedPulse } from '../run/pulse.ts'
import { type Clock, second_ms } from '../time/time.ts'
import { type Going, networkFault } from './network-fault.ts'

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** As UTF-8, at most max_body_bytes of it. */
  body: string
  truncated: boolean
  /** Whether the whole request was handed to the network before the answer came. */
  request_complete: boolean
}

/** As undici hands it over. */
interface RawAnswer {
  statusCode: number
  headers: HttpResponse['headers']
  body: AsyncIterable<Buffer> & { text(): Promise<string>; destroy(error?: Error): unknown }
}

/** Up to so much is read at once; of more each piece counts. */
const small_body_bytes = 65_536

export interface AnswerLimits {
  /** `answer_ms`: for the whole body; what the slowest line takes for its bytes comes on top. */
  timeouts: { answer_ms: number }
  max_body_bytes: number
  clock: Clock
  pulse: Pick<SharedPulse, 'beat'>
  going: Going
}

/** Errors: `network.timeout` for a body that comes too slowly; what breaks off, as it is. */
export async function readAnswer(
  { statusCode: status, headers, body }: RawAnswer,
  { clock, timeouts, max_body_bytes, pulse, going }: AnswerLimits,
  isComplete: () => boolean,
): Promise<HttpResponse> {
  const pace = limitPace(clock, timeouts.answer_ms, () => {
    body.destroy(networkFault('timeout', going, 'it came too slowly'))
  })
  try {
    const head = { status, headers, request_complete: isComplete() }
    const announced = Number(headers['content-length'])
    // undici holds a server to the length that it announced.
    if (announced <= Math.min(small_body_bytes, max_body_bytes))
      return { ...head, body: await body.text(), truncated: false }
    const pieces: Buffer[] = []
    const truncated = await gather(body, pieces, max_body_bytes, (bytes) => {
      pace.came(bytes)
      pulse.beat()
    })
    return { ...head, body: Buffer.concat(pieces).toString('utf8'), truncated }
  } finally {
    pace.end()
  }
}

/** What has come of the body by then; it may break off. */
export async function readBriefly(
  { statusCode: status, headers, body }: RawAnswer,
  most_ms: number,
  { max_body_bytes, clock }: Pick<AnswerLimits, 'max_body_bytes' | 'clock'>,
): Promise<HttpResponse> {
  const pieces: Buffer[] = []
  const done = new AbortController()
  void clock.sleep(most_ms, done.signal).then(() => body.destroy())
  let truncated = true
  try {
    truncated = await gather(body, pieces, max_body_bytes, () => {})
  } catch {
    // It broke off, or took too long; the head has been read.
  } finally {
    done.abort()
  }
  return { status, headers, request_complete: true, body: Buffer.concat(pieces).toString('utf8'), truncated }
}

/** At most so many bytes; true when there are more. */
async function gather(
  body: AsyncIterable<Buffer>,
  pieces: Buffer[],
  max_bytes: number,
  onPiece: (bytes: number) => void,
): Promise<boolean> {
  let left_bytes = max_bytes
  for await (const piece of body) {
    pieces.push(piece.subarray(0, left_bytes))
    left_bytes -= piece.byteLength
    onPiece(piece.byteLength)
    // Leaving the loop destroys the body, and with it the connection.
    if (left_bytes < 0) return true
  }
  return false
}

/** The slowest line that is worth waiting for. */
export const slowest_bytes_per_s = 16_384

/**
 * Bounds the whole of a body, not the silence between two pieces of it: one that drips would hold its call for ever. It has `first_ms`,
 * and what its bytes take on the slowest line; then `onTooSlow` is called, once.
 *
 * @internal
 */
export function limitPace(clock: Clock, first_ms: number, onTooSlow: () => void) {
  const began_ms = clock.monotonic_ms()
  let came_bytes = 0
  let is_over = false
  let ended: AbortController | undefined

  async function watch(): Promise<void> {
    ended = new AbortController()
    while (!is_over) {
      const allowed_ms = first_ms + (came_bytes / slowest_bytes_per_s) * second_ms
      const left_ms = began_ms + allowed_ms - clock.monotonic_ms()
      if (left_ms <= 0) return onTooSlow()
      await clock.sleep(left_ms, ended.signal)
    }
  }

  // Most bodies come with their head, and are over by then: to watch one costs more than to read it.
  setImmediate(() => {
    if (!is_over) void watch()
  })
  return {
    /** Some more of it came. */
    came(bytes: number): void {
      came_bytes += bytes
    },
    /** Must be called. */
    end(): void {
      is_over = true
      // A reason of our own: without one each answer makes a DOMException with its stack, for nobody.
      ended?.abort('ended')
    },
  }
}

/** Watches a transfer that may take hours as long as it moves: a limit on silence instead of one on the whole. */
export function watchProgress(clock: Clock, outer?: AbortSignal) {
  const abort = new AbortController()
  const ended = new AbortController()
  let allowed_ms = Number.POSITIVE_INFINITY
  let last_ms = 0
  let watching = false
  let is_stalled = false

  const onOuter = () => abort.abort()
  outer?.addEventListener('abort', onOuter)
  if (outer?.aborted) onOuter()

  async function watch(): Promise<void> {
    watching = true
    while (!ended.signal.aborted && allowed_ms !== Number.POSITIVE_INFINITY) {
      const left_ms = last_ms + allowed_ms - clock.monotonic_ms()
      if (left_ms <= 0) {
        is_stalled = true
        abort.abort()
        break
      }
      await clock.sleep(left_ms, ended.signal)
    }
    watching = false
  }

  return {
    /** Aborts when nothing moved for too long, or when the caller's signal aborts. */
    signal: abort.signal,
    /** From now on silence may last this long, in milliseconds; infinity: for ever, as before the first call. */
    allowSilence(silence_ms: number): void {
      last_ms = clock.monotonic_ms()
      allowed_ms = silence_ms
      if (!watching) void watch()
    },
    progressed(): void {
      last_ms = clock.monotonic_ms()
    },
    stalled: () => is_stalled,
    /** Must be called: it ends the watch and lets go of the caller's signal. */
    end(): void {
      ended.abort('ended')
      outer?.removeEventListener('abort', onOuter)
    },
  }
}
