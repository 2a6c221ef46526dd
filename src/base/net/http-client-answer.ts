import type { Dispatcher } from 'undici'
import type { SharedPulse } from '../run/pulse.ts'
import type { Clock } from '../time/time.ts'
import { type Going, networkFault } from './network-fault.ts'
import { limitPace } from './transfer-pace.ts'

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** As UTF-8, at most max_body_bytes of it. */
  body: string
  truncated: boolean
  /** Whether the whole request was handed to the network before the answer came. */
  request_complete: boolean
}

export interface AnswerLimits {
  /** `answer_ms`: for the whole body; what the slowest line takes for its bytes comes on top. */
  timeouts: { answer_ms: number }
  max_body_bytes: number
  clock: Clock
  pulse: Pick<SharedPulse, 'beat'>
}

export interface AnswerOptions {
  going: Going
  /** Answers 1xx together may take this long. Absent: any time. */
  info_ms?: number
  /** The body is read for this long. What has come by then, or before it breaks off, is the body. */
  body_most_ms?: number | undefined
  /** Whether the whole request was handed over. Called once, with the head of the answer. */
  onHead: () => boolean
}

/** Gathers one answer as undici brings it, without a stream: most answers have a body of one piece. */
export function createAnswerReader(
  { clock, timeouts, max_body_bytes, pulse }: AnswerLimits,
  { going, info_ms = Number.POSITIVE_INFINITY, body_most_ms, onHead }: AnswerOptions,
) {
  const pieces: Buffer[] = []
  let left_bytes = max_body_bytes
  let head: Pick<HttpResponse, 'status' | 'headers' | 'request_complete'> | undefined
  let pace: ReturnType<typeof limitPace> | undefined
  let info_began_ms: number | undefined
  let controller: Dispatcher.DispatchController | undefined
  let fault: Error | undefined
  let resolve!: (answer: HttpResponse) => void
  let reject!: (error: Error) => void
  const answer = new Promise<HttpResponse>((onAnswer, onFault) => {
    resolve = onAnswer
    reject = onFault
  })

  /** Ends the request, also one that still waits for a free connection. */
  function abort(error: Error): void {
    fault ??= error
    if (controller) controller.abort(fault)
    else reject(fault)
  }

  function finish(truncated: boolean): void {
    pace?.end()
    const text = Buffer.concat(pieces).toString('utf8')
    // A byte order mark is no part of the text.
    resolve({ ...head!, body: text.startsWith('\uFEFF') ? text.slice(1) : text, truncated })
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (fault) started.abort(fault)
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) {
        // Each answer 1xx begins the time for the head anew (undici 7): they have that time together.
        info_began_ms ??= clock.monotonic_ms()
        if (clock.monotonic_ms() - info_began_ms > info_ms)
          abort(networkFault('timeout', going, 'only answers 1xx came'))
        return
      }
      head = { status, headers, request_complete: onHead() }
      pace = limitPace(clock, body_most_ms ?? timeouts.answer_ms, () => {
        abort(networkFault('timeout', going, 'it came too slowly'))
      })
    },
    onResponseData(_controller, piece) {
      pieces.push(piece.subarray(0, left_bytes))
      left_bytes -= piece.byteLength
      if (body_most_ms === undefined) pace?.came(piece.byteLength)
      pulse.beat()
      if (left_bytes >= 0) return
      finish(true)
      abort(networkFault('too_large', going))
    },
    onResponseEnd: () => finish(false),
    onResponseError(_controller, error) {
      // Where the head says all that counts, a body that breaks off is no fault.
      if (head && body_most_ms !== undefined) finish(true)
      pace?.end()
      reject(error)
    },
  }

  return { answer, abort, handler }
}
