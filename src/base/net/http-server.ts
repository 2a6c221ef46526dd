import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ListenOptions, Socket } from 'node:net'
import { codeOf, messageOf, SluiceError } from '../run/errors.ts'
import { second_ms, system_clock } from '../time/time.ts'

export interface ErrorAnswer {
  status: number
  /** Sent as JSON; a text is HTML. */
  body: unknown
  headers?: Record<string, string>
}

export type AnswerError = (error: unknown) => ErrorAnswer

/** PEM texts. A chain begins with the certificate of this host. */
export interface TlsKeys {
  cert: string
  key: string
}

/** For a TLS handshake and request headers: idle connections must not pile up (slowloris). */
const headers_timeout_ms = 30_000
/** Longer than the usual 60 s of clients and proxies, so that they close a connection first. */
export const keep_alive_ms = 72_000

/** A refused client has so long to read the answer; one that does not close is destroyed then. */
const linger_ms = second_ms

/** Options for a limit on silence; 0: none. Node checks its limits ten times within theirs. */
export function optionsFor(silence_ms: number) {
  const headersTimeout = Math.min(headers_timeout_ms, silence_ms || headers_timeout_ms)
  return {
    // The application refuses a missing Host header in its own form. Node would send a bare 400.
    requireHostHeader: false,
    headersTimeout,
    handshakeTimeout: headersTimeout,
    connectionsCheckingInterval: headersTimeout / 10,
  }
}

/**
 * Answers what the HTTP parser refuses, and late requests, directly on the socket, and closes it.
 * After a fault of TLS or of the network no client could read an answer.
 */
export function answerMalformed(error: Error, socket: Socket, answerError: AnswerError): void {
  if (!socket.writable || !/^(HPE|ERR_HTTP)_/.test(codeOf(error) ?? '')) {
    socket.destroy()
    return
  }
  refuse(
    socket,
    answerError,
    `this is not a request that can be read as HTTP: ${messageOf(error)}`,
    error,
  )
}

function refuse(socket: Socket, answerError: AnswerError, message: string, cause?: unknown): void {
  const { status, body } = answerError(new SluiceError({ code: 'http.malformed', message, cause }))
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  socket.end([...head, '', text].join('\r\n'))
  // Half closed, it would count as open for as long as the client likes.
  socket.resume()
  destroyAfter(socket, linger_ms)
}

function destroyAfter(socket: Socket, ms: number, isDone = () => false): void {
  const over = new AbortController()
  socket.once('close', () => over.abort())
  void system_clock.sleep(ms, over.signal).then(() => {
    if (!isDone()) socket.destroy()
  })
}

/** Aborts when the client leaves, or after the whole answer. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.once('close', () => left.abort())
  return left.signal
}

/** Refuses an unknown `Expect` and the method CONNECT in our form instead of Node's. */
export function refuseOddConnections(server: Server, answerError: AnswerError): void {
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    refuse(socket, answerError, 'this Expect header is unknown'),
  )
  server.on('connect', (_request, socket) =>
    refuse(socket as Socket, answerError, 'CONNECT is not served here'),
  )
}

export interface BareServerOptions {
  handle: RequestListener
  tls?: TlsKeys | undefined
  answerError: AnswerError
  /** A connection without traffic for so long is cut, even within a body; absent: no limit. */
  silence_ms?: number
}

/** A server without routes and parsers, for streamed bodies. The handler gets Node's objects. */
export function createBareServer({
  handle,
  answerError,
  tls,
  silence_ms = 0,
}: BareServerOptions): Server {
  // A body may be gigabytes over a slow line, so only headers and silence have a limit.
  const options = { ...optionsFor(silence_ms), keepAliveTimeout: keep_alive_ms, requestTimeout: 0 }
  const serve: RequestListener = (request, response) => {
    if (silence_ms > 0) boundTheRest(request, response, silence_ms)
    handle(request, response)
  }
  const server: Server = tls
    ? createTlsServer({ ...tls, ...options }, serve)
    : createServer(options, serve)
  server.setTimeout(silence_ms)
  server.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, answerError))
  refuseOddConnections(server, answerError)
  return server
}

/** Limits the reading after an early answer. Without reading, the client would not see it. */
function boundTheRest(request: IncomingMessage, response: ServerResponse, max_ms: number): void {
  response.once('finish', () => {
    if (!request.complete) destroyAfter(request.socket, max_ms, () => request.complete)
  })
}

/** Listens and answers the port; `port` 0 takes a free one. Error `http.listen`. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await startListening(
    server,
    { host, port },
    `${host}, port ${port}`,
    '`ss -lptn` shows what uses a port; choose another one, or 0 for a free one',
  )
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** Listens on a Unix socket; Node removes it on close. Error `http.listen`, also if it exists. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await startListening(server, { path }, path, 'check who may write into its folder')
}

async function startListening(
  server: Server,
  where: ListenOptions,
  name: string,
  hint: string,
): Promise<void> {
  try {
    server.listen(where)
    await once(server, 'listening')
  } catch (error) {
    const detail = codeOf(error)
    throw new SluiceError({
      code: 'http.listen',
      message: `cannot listen on ${name}: ${listen_faults[detail ?? ''] ?? messageOf(error)}`,
      hint,
      detail,
      cause: error,
    })
  }
}

const listen_faults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the name of the host is not known',
  EACCES: 'this user may not do that there (ports below 1024 are for root)',
}

/** Interval at which `closeServer` ends connections that became idle: Node does not by itself. */
const idle_check_ms = 20

/** Lets requests in flight finish for `grace_ms` of real time, and then cuts the rest. */
export async function closeServer(
  server: Server,
  grace_ms: number,
  beforeCut?: () => void,
): Promise<void> {
  if (!server.listening) return
  let open = true
  // A client with request after request would never be idle: its next answer is its last.
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  const looking = new AbortController()
  server.close(() => {
    open = false
    looking.abort()
  })
  const deadline_ms = system_clock.monotonic_ms() + grace_ms
  while (open) {
    if (system_clock.monotonic_ms() < deadline_ms) server.closeIdleConnections()
    else {
      beforeCut?.()
      server.closeAllConnections()
    }
    await system_clock.sleep(idle_check_ms, looking.signal)
  }
}
