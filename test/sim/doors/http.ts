import { createHash } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import inject from 'light-my-request'
import type { Dispatcher } from 'undici'
import { type Fault, placeOfCall } from '../day/day.ts'
import { holdAgainstDisk } from '../play/removals.ts'
import { type Call, called } from '../world/claims.ts'
import { type Life, world } from '../world/world.ts'

/*
 * Replaces base/net/http-client-undici and the listener of base/net/http-server: a request goes to
 * the service's server in this process. It takes virtual time, and meets the faults of the day
 * here.
 */

type ServiceFault = Extract<Fault, { kind: 'service' }>

/** Port on which the local service "listens": first its API, then its blob store. */
const first_port = 41_001
/** Time of a request: the way there, and the way back. */
const way_ms = [10, 40] as const
/** Factor for one request in six. */
const slow_times = 50
/** Time between two pieces of an outgoing body. */
const piece_ms = 30

export async function listen(server: Server, _host: string, _port: number): Promise<number> {
  const port = first_port + world.servers.size
  world.servers.set(port, server)
  return port
}

export function listenOnSocket(): never {
  throw new Error('the sim listens on no Unix socket')
}

export async function closeServer(server: Server): Promise<void> {
  for (const [port, other] of world.servers) if (other === server) world.servers.delete(port)
}

export class PlainAgent {
  readonly #life: Life | undefined = world.life
  readonly #under_way = new Set<Exchange>()
  #is_destroyed = false

  /** As undici does: passes the head of the answer, then its body in pieces. */
  dispatch(options: Options, handler: Dispatcher.DispatchHandler): boolean {
    const exchange: Exchange = new Exchange(this.#life, options, handler, () =>
      this.#under_way.delete(exchange),
    )
    this.#under_way.add(exchange)
    exchange.begin(this.#is_destroyed)
    return true
  }

  async destroy(): Promise<void> {
    this.#is_destroyed = true
    for (const exchange of [...this.#under_way]) exchange.destroy()
  }
}

export function loadProxyAgent(): never {
  throw new Error('the sim has no proxy')
}

type Options = Dispatcher.DispatchOptions

/**
 * Each of these calls may leave a bare slot: its answer is lost, or the slot is given up after it.
 */
export const slot_costs = 'calls that cost a slot'

/** One request and its answer. */
class Exchange {
  readonly #life: Life | undefined
  readonly #options: Options
  readonly #handler: Dispatcher.DispatchHandler
  readonly #onEnd: () => void
  /** Aborted once the head has arrived. */
  readonly #head = new AbortController()
  /** Aborted once the exchange has ended. */
  readonly #ended = new AbortController()
  readonly #controller: Dispatcher.DispatchController
  #callEnded = () => {}

  constructor(
    life: Life | undefined,
    options: Options,
    handler: Dispatcher.DispatchHandler,
    onEnd: () => void,
  ) {
    this.#life = life
    this.#options = options
    this.#handler = handler
    this.#onEnd = onEnd
    const abort = (reason: Error) => this.#fail(reason)
    this.#controller = {
      aborted: false,
      paused: false,
      reason: null,
      abort,
      pause() {},
      resume() {},
    }
  }

  begin(is_destroyed: boolean): void {
    this.#handler.onRequestStart?.(this.#controller, {})
    if (is_destroyed) this.destroy()
    if (this.#ended.signal.aborted) return
    if (this.#life) this.#callEnded = called(this.#life, callOf(this.#options), declared)
    this.#limitHead(this.#options.headersTimeout ?? 0)
    void this.#bring()
  }

  #limitHead(limit_ms: number): void {
    if (limit_ms === 0) return
    const late = () => {
      if (!this.#head.signal.aborted) this.#fail(networkError('UND_ERR_HEADERS_TIMEOUT'))
    }
    void world.clockOf(this.#life, 'machine').sleep(limit_ms, this.#head.signal).then(late)
  }

  async #bring(): Promise<void> {
    try {
      const { statusCode, headers, body } = await carry(
        this.#life,
        this.#options,
        this.#ended.signal,
      )
      if (this.#ended.signal.aborted || this.#life?.is_dead) return
      this.#callEnds()
      this.#handler.onResponseStart?.(this.#controller, statusCode, headers)
      for await (const piece of body) {
        if (this.#ended.signal.aborted || this.#life?.is_dead) return
        this.#handler.onResponseData?.(this.#controller, piece)
      }
      this.#end(() => this.#handler.onResponseEnd?.(this.#controller, {}))
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  destroy(): void {
    this.#fail(networkError('UND_ERR_DESTROYED'))
  }

  #fail(error: Error): void {
    this.#end(() => this.#handler.onResponseError?.(this.#controller, error))
  }

  #end(settle: () => void): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#callEnds()
    this.#onEnd()
    if (!this.#life?.is_dead) settle()
  }

  #callEnds(): void {
    this.#head.abort()
    this.#callEnded()
    this.#callEnded = () => {}
  }
}

function callOf({ method, path, body }: Options): Call {
  const place = placeOfCall(method, path)
  if (place !== 'create') return { place, about: asset_id.exec(path)?.[0] ?? path }
  const { md5, filename } = JSON.parse(String(body)) as { md5?: string; filename: string }
  return { place, about: md5 ?? filename }
}

/** Carries out a request. `gone`: the client no longer waits for the answer. */
async function carry(
  life: Life | undefined,
  options: Options,
  gone: AbortSignal,
): Promise<Answered> {
  const clock = world.clockOf(life, 'machine')
  const place = placeOfCall(options.method, options.path)
  const fault = faultFor(callOf(options))
  if (fault) world.note(`service: ${fault.how} at ${place}`)
  const costs_slot = place === 'create' || place === 'put' || place === 'complete'
  if (costs_slot && (fault || world.inForce('descriptors').length > 0)) world.count(slot_costs)
  const slow = world.chance.oneIn(6) ? slow_times : 1
  const ways = way_ms.map((max) => slow * (1 + world.chance.below(max))) as [number, number]
  await clock.sleep(ways[0])
  if (world.inForce('descriptors').length > 0) throw networkError('EMFILE')
  if (fault?.how === 'refused') throw networkError('ECONNREFUSED')
  if (fault?.how === 'early') return answerOf(place === 'put' ? 201 : 200, '')
  const body = await bodyOf(life, options.body, gone)
  if (fault?.how === 'status' || fault?.how === 'unknown slot') {
    await clock.sleep(ways[1])
    return refusal(fault)
  }
  if (gone.aborted || life?.is_dead) throw networkError('ECONNRESET')
  const answer = await dispatch(options, body)
  holdToMd5(place, body, answer.payload, options.path)
  if (place === 'delete' && answer.statusCode < 300) {
    const { about } = callOf(options)
    holdAgainstDisk(about, declared.get(about))
  }
  await clock.sleep(ways[1])
  if (fault?.how === 'lost answer') throw networkError('ECONNRESET')
  if (fault?.how === 'late') await clock.sleep(world.chance.below(90_000))
  if (fault?.how === 'wrong body')
    return answerOf(answer.statusCode, wrong_bodies[world.chance.below(wrong_bodies.length)]!)
  const text = fault?.how === 'bad ticket' ? withBadTicket(answer.payload) : answer.payload
  return answerOf(
    answer.statusCode,
    text,
    answer.headers,
    fault?.how === 'slow body' ? dripping(life) : undefined,
  )
}

/** By asset: the md5 in its create call. */
const declared = new Map<string, string>()
const asset_id = /asset_[a-z0-9]{20}/

/**
 * Accepts a body only if it has the md5 of the create call: a file that changed meanwhile never
 * becomes a complete object.
 */
function holdToMd5(place: string, body: Buffer | undefined, payload: string, path: string): void {
  if (!body) return
  if (place === 'create') {
    const { md5 } = JSON.parse(body.toString()) as { md5?: string }
    const id = asset_id.exec(payload)?.[0]
    if (md5 !== undefined && id !== undefined) declared.set(id, md5)
  }
  const wanted = place === 'put' ? declared.get(asset_id.exec(path)?.[0] ?? '') : undefined
  if (wanted === undefined || createHash('md5').update(body).digest('hex') === wanted) return
  world.broken.push(`the bytes of another content went into a slot for ${wanted}`)
}

const wrong_bodies = ['', '{}', '{"data":', '<!doctype html><title>Sign in</title>', '"ok"', 'null']

/** Replaces the upload address by one without a server. */
function withBadTicket(payload: string): string {
  return payload.replace(/("upload_url":"http:\/\/[^:/]+:)\d+/, '$19')
}

function refusal({ status, how }: ServiceFault): Answered {
  const headers: Record<string, string> = status === 429 ? { 'retry-after': '5' } : {}
  if (status === 502)
    return answerOf(status, '<html>Bad Gateway</html>', { 'content-type': 'text/html' })
  const unavailable = status === 401 ? 'publicapi.auth.invalid' : 'publicapi.service.unavailable'
  const code = how === 'unknown slot' ? 'publicapi.asset.not_found' : unavailable
  return answerOf(
    status,
    JSON.stringify({ code, humane: 'by the day', statusCode: status }),
    headers,
  )
}

/** Pause of a slow body: one piece every few seconds. */
function dripping(life: Life | undefined): () => Promise<void> {
  return () => world.clockOf(life, 'machine').sleep(4_000)
}

/**
 * Chooses a fault by the number of earlier calls, so that removing another fault does not change
 * it.
 */
function faultFor(call: Call): ServiceFault | undefined {
  return world.inForce('service').find((fault) => {
    if (fault.place !== 'all' && fault.place !== call.place) return false
    if (fault.one_content && !isItsContent(fault, call)) return false
    return world.count(`${fault.from_ms} ${fault.how} ${fault.place}`) % fault.one_in === 0
  })
}

/** By fault: the one content that meets it, the first that did. */
const befallen = new WeakMap<ServiceFault, string>()

function isItsContent(fault: ServiceFault, { about }: Call): boolean {
  const content = declared.get(about) ?? about
  if (!befallen.has(fault)) befallen.set(fault, content)
  return befallen.get(fault) === content
}

async function bodyOf(
  life: Life | undefined,
  body: unknown,
  gone: AbortSignal,
): Promise<Buffer | undefined> {
  if (body === null || body === undefined) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body as Uint8Array)
  const pieces: Buffer[] = []
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    // A chunk is valid until the one after the next is requested.
    pieces.push(Buffer.from(piece))
    await world.clockOf(life, 'machine').sleep(piece_ms)
    if (gone.aborted || life?.is_dead) throw networkError('UND_ERR_ABORTED')
  }
  return Buffer.concat(pieces)
}

async function dispatch(options: Options, body: Buffer | undefined) {
  const origin = new URL(String(options.origin))
  const server = world.servers.get(Number(origin.port))
  if (!server) throw networkError('ECONNREFUSED')
  const headers = options.headers as Record<string, string>
  return inject(
    (request, response) => {
      const whole = request as unknown as IncomingMessage & {
        headersDistinct: Record<string, string[]>
      }
      whole.headersDistinct = Object.fromEntries(
        Object.entries(whole.headers).map(([name, value]) => [name, [String(value)]]),
      )
      // The body is complete, and there is no connection to end.
      whole.complete = true
      server.emit('request', whole, response as unknown as ServerResponse)
    },
    {
      method: options.method as 'GET',
      url: options.path,
      authority: origin.host,
      headers,
      ...(body === undefined ? {} : { payload: body as unknown as Readable }),
    },
  )
}

/** An answer as undici passes it. */
interface Answered {
  statusCode: number
  headers: Record<string, string | string[] | undefined>
  body: AsyncIterable<Buffer>
}

type Headers = Answered['headers']

/** The body of an answer: at once, or in pieces with a pause before each. */
async function* piecesOf(
  text: string,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  const length = pause ? Math.max(1, Math.ceil(bytes.length / 20)) : Math.max(1, bytes.length)
  for (let at = 0; at < bytes.length; at += length) {
    await pause?.()
    yield bytes.subarray(at, at + length)
  }
}

function answerOf(
  statusCode: number,
  text: string,
  headers: object = {},
  pause?: () => Promise<void>,
): Answered {
  const known: Headers = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)]),
  )
  if (pause) delete known['content-length']
  else known['content-length'] = String(Buffer.byteLength(text))
  return { statusCode, headers: known, body: piecesOf(text, pause) }
}

function networkError(code: string): Error {
  return Object.assign(new Error(`the day: ${code}`), { code })
}
