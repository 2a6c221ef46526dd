import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici'
import { SluiceError } from '../run/errors.ts'
import { type Pulses, type SharedPulse, sharePulse, unwatched } from '../run/pulse.ts'
import { type Clock, second_ms } from '../time/time.ts'
import { loadProxyAgent, PlainAgent, requestThrough } from './http-client-undici.ts'
import { isLoopbackHost } from './loopback.ts'
import { type Going, networkFault, translateNetworkError } from './network-fault.ts'
import { type HttpResponse, readAnswer, readBriefly, slowest_bytes_per_s, watchProgress } from './read-answer.ts'

export type { HttpResponse } from './read-answer.ts'

/** Values of the proxy variables of the environment; this room does not read it. */
export interface ProxyVariables {
  http_proxy?: string | undefined
  https_proxy?: string | undefined
  no_proxy?: string | undefined
}

export interface HttpTimeouts {
  /** Until there is a connection, TLS included. */
  connect_ms: number
  /**
   * From the end of the request to the head of the answer, and once more for its body. What the slowest line takes for the bytes comes
   * on top: of a request that is held in memory, and of the answer.
   */
  answer_ms: number
  /** Between two pieces of an answer. */
  body_ms: number
  /** Between two pieces of a streamed request that the network takes. */
  stall_ms: number
}

export interface HttpClientOptions {
  /** Connections to one origin, kept alive. What comes on top waits its turn. */
  connections: number
  /** PEM certificates that are trusted besides the usual ones. */
  ca?: string | undefined
  proxy?: ProxyVariables | undefined
  /** Connect to this Unix socket, whatever the host of the URL says. */
  socket_path?: string | undefined
  timeouts: HttpTimeouts
  /** More of an answer is not read. */
  max_body_bytes: number
  clock: Clock
  /** Where a watchdog asks whether anything moves while requests are under way. */
  pulses?: Pulses | undefined
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: URL
  headers: Readonly<Record<string, string>>
  /** A stream says its size beforehand: object stores refuse chunked encoding. Nothing else of Content-Length need be said. */
  body?: string | Uint8Array | StreamBody | undefined
  /**
   * For an answer whose head says all that counts: its body is read for so long at the most, and what has not come by then, or
   * breaks off, is missing. Absent: the whole body, or an error.
   */
  body_most_ms?: number | undefined
  signal?: AbortSignal | undefined
}

export interface StreamBody {
  size: number
  stream: AsyncIterable<Uint8Array>
}

export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * The only door to HTTP as a client. Follows no redirect, repeats nothing, knows nothing of tokens. Errors: `network.<reason>`
 * (network-fault.ts), naming method and host but never a path, a query or a header; what a streamed body throws comes out as it
 * is, and so does `http.body_length` when a stream is not as long as it said.
 */
export function createHttpClient(options: HttpClientOptions) {
  const direct = new PlainAgent(directOptions(options))
  const proxied = createProxied(options)
  // Requests wait for a free connection while others, for hours perhaps, use it: together they must move.
  const pulse = sharePulse(options.pulses ?? unwatched, 'requests to the service')

  return {
    async request(request: HttpRequest): Promise<HttpResponse> {
      const going = { method: request.method, host: request.url.host }
      if (request.signal?.aborted) throw networkFault('aborted', going)
      // Each request under way listens once and leaves when it ends: as many listeners as requests are no leak.
      if (request.signal) setMaxListeners(0, request.signal)
      const dispatcher = proxied && !isLoopbackHost(request.url.hostname) ? proxied : direct
      const { body } = request
      if (typeof body === 'object' && 'stream' in body)
        return requestWithStream(dispatcher, request, body, going, { ...options, pulse })
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      // Streams are watched piece by piece instead.
      const transfer_ms = Math.floor((bytes?.byteLength ?? 0) / slowest_bytes_per_s) * second_ms
      const headers_ms = options.timeouts.answer_ms + transfer_ms
      pulse.begin()
      try {
        const answer = await requestThrough(dispatcher, {
          ...target(request),
          onInfo: endlessInfo(options.clock, headers_ms, going),
          headers: bytes ? withLength(request.headers, bytes.byteLength) : request.headers,
          body: bytes?.byteLength ? bytes : null,
          headersTimeout: headers_ms,
          signal: request.signal ?? null,
        })
        const { body_most_ms } = request
        const limits = { ...options, pulse, going }
        return body_most_ms === undefined
          ? await readAnswer(answer, limits, () => true)
          : await readBriefly(answer, body_most_ms, limits)
      } catch (error) {
        throw request.signal?.aborted ? networkFault('aborted', going) : translateNetworkError(error, going)
      } finally {
        pulse.end()
      }
    },
    /** Ends every request and connection at once. */
    async close(): Promise<void> {
      await Promise.all([direct.destroy(), proxied?.destroy()])
    },
  }
}

async function requestWithStream(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { size, stream }: StreamBody,
  going: Going,
  options: HttpClientOptions & { pulse: SharedPulse },
): Promise<HttpResponse> {
  const { timeouts, clock, pulse } = options
  let handed_bytes = 0
  let stream_fault: { error: unknown } | undefined
  const watch = watchProgress(clock, request.signal)

  async function* pieces(): AsyncGenerator<Uint8Array> {
    // Only now: waiting for a free connection is no silence.
    watch.allowSilence(timeouts.stall_ms)
    try {
      for await (const piece of stream) {
        if (handed_bytes + piece.byteLength > size) throw wrongLength(size, 'more')
        handed_bytes += piece.byteLength
        watch.progressed()
        pulse.beat()
        yield piece
      }
      if (handed_bytes < size) throw wrongLength(size, 'less')
      // All is handed over: now the other side has its time to answer.
      watch.allowSilence(timeouts.answer_ms)
    } catch (error) {
      stream_fault = { error }
      throw error
    }
  }

  pulse.begin()
  try {
    // undici does not begin a stream of size 0, but what watches over its file must still speak.
    if (size === 0) for await (const _ of pieces());
    const answer = await requestThrough(dispatcher, {
      ...target(request),
      headers: withLength(request.headers, size),
      // undici takes async iterables (its Dispatcher.request documents it); its types only know their subclass.
      body: size === 0 ? null : (pieces() as AsyncIterable<Uint8Array> as Readable),
      headersTimeout: 0,
      signal: watch.signal,
    })
    watch.allowSilence(Number.POSITIVE_INFINITY)
    return await readAnswer(answer, { ...options, going }, () => handed_bytes === size)
  } catch (error) {
    if (stream_fault) throw stream_fault.error
    if (watch.stalled()) throw networkFault('timeout', going, 'nothing moved any more')
    throw request.signal?.aborted ? networkFault('aborted', going) : translateNetworkError(error, going)
  } finally {
    watch.end()
    pulse.end()
  }
}

/** Each answer 1xx begins the time for the head anew (undici 7): they have that time together. */
function endlessInfo(clock: Clock, most_ms: number, going: Going): () => void {
  let began_ms: number | undefined
  return () => {
    began_ms ??= clock.monotonic_ms()
    if (clock.monotonic_ms() - began_ms > most_ms) throw networkFault('timeout', going, 'only answers 1xx came')
  }
}

function wrongLength(size: number, found: 'more' | 'less'): SluiceError {
  return new SluiceError({ code: 'http.body_length', message: `a body of ${size} bytes turned out to have ${found}` })
}

function target({ method, url }: HttpRequest) {
  return { origin: url.origin, path: url.pathname + url.search, method } as const
}

function withLength(headers: Readonly<Record<string, string>>, bytes: number): Record<string, string> {
  return { ...headers, 'content-length': String(bytes) }
}

function directOptions({ connections, ca, socket_path, timeouts }: HttpClientOptions): Agent.Options {
  return {
    ...poolOptions(connections, timeouts),
    connect: {
      timeout: timeouts.connect_ms,
      ...(socket_path === undefined ? {} : { socketPath: socket_path }),
      // One context for all connections: reading some 150 certificates for each of them costs more than the request.
      ...(ca === undefined ? {} : { secureContext: createSecureContext({ ca: trusted(ca) }) }),
    },
  }
}

function createProxied({ connections, ca, timeouts, proxy }: HttpClientOptions): EnvHttpProxyAgent | undefined {
  const { http_proxy = '', https_proxy = '', no_proxy = '' } = proxy ?? {}
  if (http_proxy === '' && https_proxy === '') return undefined
  for (const address of [http_proxy, https_proxy]) refuseOddProxy(address)
  const tls = { timeout: timeouts.connect_ms, ...(ca === undefined ? {} : { ca: trusted(ca) }) }
  const ProxyAgent = loadProxyAgent()
  return new ProxyAgent({
    ...poolOptions(connections, timeouts),
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    // All three are given, if only as '': undici would look for a missing one in the environment by itself.
    httpProxy: http_proxy,
    httpsProxy: https_proxy,
    noProxy: no_proxy,
  })
}

function refuseOddProxy(address: string): void {
  if (address === '' || (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol))) return
  // The address is not repeated: it may hold a password.
  throw new SluiceError({
    code: 'network.proxy_address',
    message: 'the address of the proxy is not a URL of the form http://host:port',
    hint: 'check http_proxy and https_proxy in the environment',
  })
}

function poolOptions(connections: number, { body_ms }: HttpTimeouts) {
  return { connections, pipelining: 1, bodyTimeout: body_ms }
}

/** `ca` comes on top of the usual authorities: the blob store has its certificate from somebody else than the API. */
function trusted(ca: string): string[] {
  return [...rootCertificates, ca]
}
