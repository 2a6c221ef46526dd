import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { SharedPulse } from '../run/pulse.ts'
import type { Clock } from '../time/time.ts'
import { type Going, networkFault } from './network-fault.ts'
import { limitPace } from './transfer-pace.ts'

/**
 * The parts of undici that a request needs. Its index loads fetch, WebSockets, caches and mocks as well, which each start of a command
 * would pay for. Files of a package may move with its next version; this one is pinned, and what moved would be missing at once.
 */

// undici reads HTTP by WebAssembly. After some answers V8 of Node 20 would optimise one huge function of it, which takes 30 MB of memory and
// 0.1 s, and makes 20,000 answers no faster; newer ones wait longer by themselves. Only heads go through that function, not bodies.
if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=2000000000')

export const PlainAgent = createRequire(import.meta.url)('undici/lib/dispatcher/agent.js') as typeof Agent

/** A proxy is spoken to through methods that only the index adds, so whoever has one loads all of it. */
export function loadProxyAgent(): typeof EnvHttpProxyAgent {
  return (createRequire(import.meta.url)('undici') as typeof import('undici')).EnvHttpProxyAgent
}

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

/** Leaves out a byte order mark. */
const utf8 = new TextDecoder()

/** Gathers one answer as undici brings it, without a stream: most answers have a body of one piece. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpResponse>
  readonly #limits: AnswerLimits
  readonly #options: AnswerOptions
  readonly #pieces: Buffer[] = []
  #resolve!: (answer: HttpResponse) => void
  #reject!: (error: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #fault: Error | undefined
  #head: Pick<HttpResponse, 'status' | 'headers' | 'request_complete'> | undefined
  #left_bytes: number
  #info_began_ms: number | undefined
  #pace: ReturnType<typeof limitPace> | undefined

  constructor(limits: AnswerLimits, options: AnswerOptions) {
    this.#limits = limits
    this.#options = options
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#left_bytes = limits.max_body_bytes
  }

  /** Ends the request, also one that still waits for a free connection. */
  abort(error: Error): void {
    this.#fault ??= error
    if (this.#controller) this.#controller.abort(this.#fault)
    else this.#reject(this.#fault)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#fault) controller.abort(this.#fault)
  }

  onResponseStart(_controller: unknown, status: number, headers: HttpResponse['headers']): void {
    if (status < 200) {
      this.#limitInfo()
      return
    }
    const { clock, timeouts } = this.#limits
    const { going, body_most_ms, onHead } = this.#options
    this.#head = { status, headers, request_complete: onHead() }
    this.#pace = limitPace(clock, body_most_ms ?? timeouts.answer_ms, () => {
      this.abort(networkFault('timeout', going, 'it came too slowly'))
    })
  }

  onResponseData(_controller: unknown, piece: Buffer): void {
    this.#pieces.push(piece.subarray(0, this.#left_bytes))
    this.#left_bytes -= piece.byteLength
    if (this.#options.body_most_ms === undefined) this.#pace?.came(piece.byteLength)
    this.#limits.pulse.beat()
    if (this.#left_bytes >= 0) return
    this.#finish(true)
    this.abort(networkFault('too_large', this.#options.going))
  }

  onResponseEnd(): void {
    this.#finish(false)
  }

  onResponseError(_controller: unknown, error: Error): void {
    // Where the head says all that counts, a body that breaks off is no fault.
    if (this.#head && this.#options.body_most_ms !== undefined) this.#finish(true)
    this.#pace?.end()
    this.#reject(error)
  }

  #finish(truncated: boolean): void {
    this.#pace?.end()
    const [first] = this.#pieces
    const bytes = first && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
    this.#resolve({ ...this.#head!, body: utf8.decode(bytes), truncated })
  }

  /** Each answer 1xx begins the time for the head anew (undici 7): they have that time together. */
  #limitInfo(): void {
    const { info_ms = Number.POSITIVE_INFINITY, going } = this.#options
    const now_ms = this.#limits.clock.monotonic_ms()
    this.#info_began_ms ??= now_ms
    if (now_ms - this.#info_began_ms > info_ms) this.abort(networkFault('timeout', going, 'only answers 1xx came'))
  }
}
