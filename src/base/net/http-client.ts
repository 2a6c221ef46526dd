import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Agent, EnvHttpProxyAgent } from 'undici'
import { SluiceError } from '../run/errors.ts'
import { type Heartbeats, shareHeartbeat, unwatched } from '../run/heartbeat.ts'
import type { Clock } from '../time/time.ts'
import {
  type AnswerReader,
  createAnswerReader,
  type HttpResponse,
  slowestTransfer_ms,
  watchDeadline,
} from './http-client-answer.ts'
import { loadProxyAgent, PlainAgent } from './http-client-undici.ts'
import { isLoopbackHost } from './loopback.ts'
import { type Going, networkFault, translateNetworkError } from './network-fault.ts'

export type { HttpResponse } from './http-client-answer.ts'

/** Values of the proxy variables; this module does not read the environment. */
export interface ProxyVariables {
  http_proxy?: string | undefined
  https_proxy?: string | undefined
  no_proxy?: string | undefined
}

export interface HttpTimeouts {
  /** For a connection, TLS included. */
  connect_ms: number
  /** For the head of an answer, and again for its body. Bytes add their slowest transfer time. */
  answer_ms: number
  /** Between two pieces of an answer. */
  body_ms: number
  /** Between two pieces of a streamed request. */
  stall_ms: number
}

export interface HttpClientOptions {
  /** Maximum connections to one origin, kept alive. Further requests wait for a free one. */
  connections: number
  /** PEM certificates, trusted besides the usual ones; absent: none. */
  ca?: string | undefined
  proxy?: ProxyVariables | undefined
  /** Unix socket to connect to, whatever the URL's host; absent: the host. */
  socket_path?: string | undefined
  timeouts: HttpTimeouts
  /** The rest of a longer answer is not read. */
  max_body_bytes: number
  clock: Clock
  heartbeats?: Heartbeats | undefined
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: URL
  headers: Readonly<Record<string, string>>
  /** A stream has a size: object stores refuse chunked encoding. Callers set no Content-Length. */
  body?: string | Uint8Array | StreamBody | undefined
  /** If the head is enough: limit for the body, which may be incomplete. Absent: the whole body. */
  max_body_ms?: number | undefined
  signal?: AbortSignal | undefined
}

export interface StreamBody {
  size: number
  stream: AsyncIterable<Uint8Array>
}

interface Sending {
  headers: Readonly<Record<string, string>>
  body: Uint8Array | Readable | null
  headersTimeout: number
}

export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * The only HTTP client. It follows no redirect, repeats nothing and knows no tokens. Errors:
 * `network.<reason>` with method and host, never a path, a query or a header, which may be secret;
 * `http.body_length` if a stream has another length than its `size`. An error of the stream itself
 * passes unchanged.
 */
export function createHttpClient(options: HttpClientOptions) {
  const { clock, timeouts, max_body_bytes } = options
  const direct = new PlainAgent(directOptions(options))
  const proxied = createProxied(options)
  // Requests may wait hours for a free connection while others use it: they share a heartbeat.
  const heartbeat = shareHeartbeat(options.heartbeats ?? unwatched, 'requests to the service')
  const limits = { clock, timeouts, max_body_bytes, heartbeat }

  async function exchange(
    request: HttpRequest,
    sending: Sending,
    going: Going,
    reader: AnswerReader,
  ) {
    const { method, url, signal } = request
    const dispatcher = proxied && !isLoopbackHost(url.hostname) ? proxied : direct
    const stop = () => reader.abort(networkFault('aborted', going))
    signal?.addEventListener('abort', stop)
    heartbeat.begin()
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method, ...sending },
        reader.handler,
      )
      return await reader.answer
    } catch (error) {
      throw translateNetworkError(error, going, reader.isSent())
    } finally {
      heartbeat.end()
      signal?.removeEventListener('abort', stop)
    }
  }

  async function sendBytes(
    request: HttpRequest,
    bytes: Uint8Array | undefined,
    going: Going,
  ): Promise<HttpResponse> {
    // undici's limit from the end of the request to the head. `sendStream` uses its own instead.
    const headersTimeout = timeouts.answer_ms + slowestTransfer_ms(bytes?.byteLength ?? 0)
    const headers = bytes ? withLength(request.headers, bytes.byteLength) : request.headers
    const body = bytes?.byteLength ? bytes : null
    const { max_body_ms } = request
    const reader = createAnswerReader(limits, {
      going,
      info_ms: headersTimeout,
      max_body_ms,
      onHead: () => true,
    })
    return exchange(request, { headers, body, headersTimeout }, going, reader)
  }

  /** A transfer may take hours: its silence is limited, not its whole time. */
  async function sendStream(
    request: HttpRequest,
    { size, stream }: StreamBody,
    going: Going,
  ): Promise<HttpResponse> {
    let handed_bytes = 0
    let stream_fault: { error: unknown } | undefined
    let deadline_ms = Number.POSITIVE_INFINITY
    let endWatch = () => {}
    const reader = createAnswerReader(limits, { going, onHead })

    function onHead(): boolean {
      endWatch()
      return handed_bytes === size
    }

    function allowSilence(silence_ms: number): void {
      deadline_ms = clock.monotonic_ms() + silence_ms
    }

    async function* pieces(): AsyncGenerator<Uint8Array> {
      // Starts only now: waiting for a free connection is no silence.
      allowSilence(timeouts.stall_ms)
      const stalled = () => reader.abort(networkFault('timeout', going, 'nothing moved any more'))
      endWatch = watchDeadline(clock, () => deadline_ms, stalled)
      try {
        for await (const piece of stream) {
          if (handed_bytes + piece.byteLength > size) throw wrongLength(size, 'more')
          handed_bytes += piece.byteLength
          allowSilence(timeouts.stall_ms)
          heartbeat.beat()
          yield piece
        }
        if (handed_bytes < size) throw wrongLength(size, 'less')
        allowSilence(timeouts.answer_ms)
      } catch (error) {
        stream_fault = { error }
        throw error
      }
    }

    try {
      // undici does not begin a stream of size 0, but its source must still check the file.
      if (size === 0) {
        for await (const _ of pieces());
      }
      // undici takes async iterables (Dispatcher.request documents it), but its types do not.
      const body = size === 0 ? null : (pieces() as AsyncIterable<Uint8Array> as Readable)
      const headers = withLength(request.headers, size)
      return await exchange(request, { headers, body, headersTimeout: 0 }, going, reader)
    } catch (error) {
      throw stream_fault ? stream_fault.error : error
    } finally {
      endWatch()
    }
  }

  return {
    async request(request: HttpRequest): Promise<HttpResponse> {
      const { body, signal } = request
      const going = { method: request.method, host: request.url.host }
      if (signal?.aborted) throw networkFault('aborted', going)
      // Each request under way adds a listener and removes it at its end: many are no leak.
      if (signal) setMaxListeners(0, signal)
      if (typeof body === 'object' && 'stream' in body) return sendStream(request, body, going)
      return sendBytes(request, typeof body === 'string' ? Buffer.from(body) : body, going)
    },
    /** Ends every request and connection at once. */
    async close(): Promise<void> {
      await Promise.all([direct.destroy(), proxied?.destroy()])
    },
  }
}

function wrongLength(size: number, found: 'more' | 'less'): SluiceError {
  return new SluiceError({
    code: 'http.body_length',
    message: `a body of ${size} bytes turned out to have ${found}`,
  })
}

function withLength(
  headers: Readonly<Record<string, string>>,
  bytes: number,
): Record<string, string> {
  return { ...headers, 'content-length': String(bytes) }
}

function directOptions({
  connections,
  ca,
  socket_path,
  timeouts,
}: HttpClientOptions): Agent.Options {
  return {
    ...poolOptions(connections, timeouts),
    connect: {
      timeout: timeouts.connect_ms,
      ...(socket_path === undefined ? {} : { socketPath: socket_path }),
      // One context for all: reading some 150 certificates costs more than a request.
      ...(ca === undefined ? {} : { secureContext: createSecureContext(trusting(ca)) }),
    },
  }
}

function createProxied({
  connections,
  ca,
  timeouts,
  proxy,
}: HttpClientOptions): EnvHttpProxyAgent | undefined {
  const { http_proxy = '', https_proxy = '', no_proxy = '' } = proxy ?? {}
  if (http_proxy === '' && https_proxy === '') return undefined
  for (const address of [http_proxy, https_proxy]) refuseOddProxy(address)
  const tls = { timeout: timeouts.connect_ms, ...trusting(ca) }
  const ProxyAgent = loadProxyAgent()
  return new ProxyAgent({
    ...poolOptions(connections, timeouts),
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    // All three are set: undici would read a missing one from the environment.
    httpProxy: http_proxy,
    httpsProxy: https_proxy,
    noProxy: no_proxy,
  })
}

function refuseOddProxy(address: string): void {
  if (address === '' || (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)))
    return
  // The message omits the address, which may hold a password.
  throw new SluiceError({
    code: 'network.proxy_address',
    message: 'the address of the proxy is not a URL of the form http://host:port',
    hint: 'check http_proxy and https_proxy in the environment',
  })
}

function poolOptions(connections: number, { body_ms }: HttpTimeouts) {
  return { connections, pipelining: 1, bodyTimeout: body_ms }
}

/** Adds `ca` to the usual authorities: the blob store may have its certificate from one of them. */
export function trusting(ca: string | undefined): { ca?: string[] } {
  return ca === undefined ? {} : { ca: [...rootCertificates, ca] }
}
