import type { Dispatcher } from 'undici'
import type { SharedHeartbeat } from '../run/heartbeat.ts'
import { type Clock, second_ms } from '../time/time.ts'
import { type DecodedBody, decodeBody } from './decode-body.ts'
import { type Going, networkFault } from './network-fault.ts'

/** The slowest line that is worth waiting for. */
const slowest_bytes_per_s = 16_384

export function slowestTransfer_ms(bytes: number): number {
  return (bytes / slowest_bytes_per_s) * second_ms
}

/** Calls back once after the deadline, which may move. The returned function ends the watch. */
export function watchDeadline(
  clock: Clock,
  deadline_ms: () => number,
  onPassed: () => void,
): () => void {
  const ended = new AbortController()

  async function watch(): Promise<void> {
    while (!ended.signal.aborted) {
      const left_ms = deadline_ms() - clock.monotonic_ms()
      if (left_ms <= 0) return onPassed()
      await clock.sleep(left_ms, ended.signal)
    }
  }

  // Begins later: most bodies come complete with their head, and a watch costs more than they do.
  const beginning = setImmediate(watch)
  return () => {
    clearImmediate(beginning)
    // With a reason: without one, each answer makes a DOMException with an unused stack.
    ended.abort('ended')
  }
}

/** The body is at most max_body_bytes, before and after it was decoded. */
export interface HttpResponse extends DecodedBody {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** True if the whole request was handed to the network before the answer came. */
  request_complete: boolean
}

export interface AnswerLimits {
  /** `answer_ms`: for the whole body, plus the time that its bytes take on the slowest line. */
  timeouts: { answer_ms: number }
  max_body_bytes: number
  clock: Clock
  heartbeat: Pick<SharedHeartbeat, 'beat'>
}

export interface AnswerOptions {
  going: Going
  /** Maximum time from the first 1xx answer to the last one; absent: no limit. */
  info_ms?: number
  /** Time to read the body. The bytes until then are the body. Undefined: as in `timeouts`. */
  max_body_ms?: number | undefined
  /** Called once, when the head of the answer comes. True if the whole request was handed over. */
  onHead: () => boolean
}

export type AnswerReader = ReturnType<typeof createAnswerReader>

/** Gathers an answer from undici's events, without a stream: most bodies come in one piece. */
export function createAnswerReader(
  { clock, timeouts, max_body_bytes, heartbeat }: AnswerLimits,
  { going, info_ms = Number.POSITIVE_INFINITY, max_body_ms, onHead }: AnswerOptions,
) {
  const pieces: Buffer[] = []
  let left_bytes = max_body_bytes
  let head: Pick<HttpResponse, 'status' | 'headers' | 'request_complete'> | undefined
  let endWatch: (() => void) | undefined
  let info_began_ms: number | undefined
  let controller: Dispatcher.DispatchController | undefined
  let fault: Error | undefined
  let resolve!: (answer: HttpResponse) => void
  let reject!: (error: Error) => void
  const answer = new Promise<HttpResponse>((onAnswer, onFault) => {
    resolve = onAnswer
    reject = onFault
  })
  // A request may be aborted before its sender awaits the answer.
  answer.catch(() => {})

  /** Ends the request, even one that still waits for a free connection. */
  function abort(error: Error): void {
    fault ??= error
    if (controller) controller.abort(fault)
    else reject(fault)
  }

  function finish(is_cut: boolean): void {
    endWatch?.()
    const encoding = head!.headers['content-encoding']
    const limits = { max_bytes: max_body_bytes, is_cut }
    resolve({ ...head!, ...decodeBody(Buffer.concat(pieces), encoding, limits) })
  }

  /** Limits the time for the whole body: a byte now and then would pass a limit on silence. */
  function limitBody(): void {
    const began_ms = clock.monotonic_ms()
    const deadline_ms = () =>
      began_ms +
      (max_body_ms ?? timeouts.answer_ms + slowestTransfer_ms(max_body_bytes - left_bytes))
    endWatch = watchDeadline(clock, deadline_ms, () =>
      abort(networkFault('timeout', going, 'it came too slowly')),
    )
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (fault) started.abort(fault)
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) {
        // Each 1xx answer restarts undici's timer for the head (undici 7), so they share a limit.
        info_began_ms ??= clock.monotonic_ms()
        if (clock.monotonic_ms() - info_began_ms > info_ms)
          abort(networkFault('timeout', going, 'only answers 1xx came'))
        return
      }
      head = { status, headers, request_complete: onHead() }
      limitBody()
    },
    onResponseData(_controller, piece) {
      pieces.push(piece.subarray(0, left_bytes))
      left_bytes -= piece.byteLength
      heartbeat.beat()
      if (left_bytes >= 0) return
      finish(true)
      abort(networkFault('too_large', going))
    },
    onResponseEnd: () => finish(false),
    onResponseError(_controller, error) {
      // With `max_body_ms` the head is enough: a body that breaks off is no fault.
      if (head && max_body_ms !== undefined) finish(true)
      endWatch?.()
      reject(error)
    },
  }

  /** True once a connection carries the request: nothing says then that it did not arrive. */
  const isSent = () => controller !== undefined
  return { answer, abort, handler, isSent }
}
