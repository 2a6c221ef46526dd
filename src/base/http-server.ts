import { isUtf8 } from 'node:buffer'
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
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { codeOf, messageOf, SluiceError } from './errors.ts'
import { system_clock } from './time.ts'

export type HttpApp = FastifyInstance
export type HttpRequest = FastifyRequest
export type HttpReply = FastifyReply

/** What an error becomes on the wire. */
export interface ErrorAnswer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** PEM texts; of a chain the certificate of this host first. */
export interface TlsKeys {
  cert: string
  key: string
}

export interface HttpAppOptions {
  body_limit_bytes: number
  /** Absent: plain HTTP. */
  tls?: TlsKeys | undefined
  /**
   * Gives every error its answer, so that none escapes the application's own form. Faults of HTTP itself come as SluiceError:
   * `http.path_unknown`, `http.method_wrong`, `http.media_type`, `http.body_too_large`, `http.body_invalid`, `http.malformed`; anything else is
   * what a handler threw.
   */
  answerError: (error: unknown) => ErrorAnswer
  /** Whether something is served under this path, by another method: such a request is `http.method_wrong`. */
  isPath?: (path: string) => boolean
  /** A connection on which nothing moves for so long, or a request that has not come whole, is cut; absent: only one without headers. */
  silence_ms?: number
  /** Answers preflights and adds the CORS headers for any origin; absent: neither. */
  cors?: { methods: string[]; request_headers: string[]; answer_headers: string[] }
}

/** A connection must have become a TLS one, and a request must have sent its headers within this time, so that idle connections cannot pile up (slowloris). */
const headers_timeout_ms = 30_000
/** Longer than what clients and proxies commonly keep a connection (60 s), so that the client is the one to close it. */
const keep_alive_ms = 72_000

const server_options = {
  // A missing Host header is the application's to refuse, in its own words; Node would send a bare 400.
  requireHostHeader: false,
  headersTimeout: headers_timeout_ms,
  // Of TLS.
  handshakeTimeout: headers_timeout_ms,
}

/** Node takes the shorter of the two times for that of the headers, and looks at all of them now and then: as exactly as is needed. */
function optionsFor(silence_ms: number): typeof server_options & { connectionsCheckingInterval?: number } {
  if (silence_ms === 0) return server_options
  const headersTimeout = Math.min(headers_timeout_ms, silence_ms)
  return { ...server_options, headersTimeout, connectionsCheckingInterval: headersTimeout / 10 }
}

export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { body_limit_bytes, answerError, isPath, cors: shared, tls, silence_ms = 0 } = options
  const app = fastify({
    bodyLimit: body_limit_bytes,
    keepAliveTimeout: keep_alive_ms,
    requestTimeout: silence_ms,
    connectionTimeout: silence_ms,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Of the two servers only their common side is used.
    ...(tls ? ({ https: { ...tls, ...optionsFor(silence_ms) } } as object) : { http: optionsFor(silence_ms) }),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, answerError),
    frameworkErrors: (error, _request, reply) => sendError(reply, answerError(httpFault(error))),
  })
  app.setErrorHandler((error, { raw }, reply) => {
    // Nobody is left to hear it; but whoever went away in the middle of a body is no failure of ours.
    const fault = raw.readableAborted ? invalidBody('the connection ended before the body') : httpFault(error)
    return sendError(reply, answerError(fault))
  })
  app.setNotFoundHandler((request, reply) => {
    const code = isPath?.(request.url.split('?')[0] ?? '') ? 'http.method_wrong' : 'http.path_unknown'
    const message = `nothing answers ${request.method} on this path`
    return sendError(reply, answerError(new SluiceError({ code, message })))
  })
  acceptJson(app)
  refuseOddConnections(app.server, answerError)
  if (shared) {
    const { default: cors } = await import('@fastify/cors')
    await app.register(cors, {
      origin: '*',
      methods: shared.methods,
      allowedHeaders: shared.request_headers,
      exposedHeaders: shared.answer_headers,
      strictPreflight: false,
    })
  }
  return app
}

/** JSON only; an empty body is an empty body whatever type is declared, since clients send the header on calls without one. */
function acceptJson(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // `curl -d ''` says that nothing is a form.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 || request.is404) done(null, undefined)
    else done(new SluiceError({ code: 'http.media_type', message: 'a body is application/json here' }))
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined)
    else if (!isUtf8(body)) done(invalidBody('the body is not UTF-8'))
    else {
      parse(request, body.toString('utf8'), (error, value) => {
        if (error) done(invalidBody(messageOf(error)))
        else done(null, value)
      })
    }
  })
}

function invalidBody(message: string): SluiceError {
  return new SluiceError({ code: 'http.body_invalid', message })
}

function sendError(reply: HttpReply, { status, body, headers }: ErrorAnswer): HttpReply {
  if (headers) reply.headers(headers)
  return reply.status(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

const fastify_faults: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'http.media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'http.body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'http.body_invalid',
  FST_ERR_BAD_URL: 'http.malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'http.malformed',
}

function httpFault(error: unknown): unknown {
  const code = fastify_faults[codeOf(error) ?? '']
  return code === undefined ? error : new SluiceError({ code, message: messageOf(error), cause: error })
}

/** What the parser of HTTP refuses never becomes a request: it is answered on the socket, which then closes. */
function answerMalformed(error: Error, socket: Socket, answerError: HttpAppOptions['answerError']): void {
  if (!socket.writable || codeOf(error) === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const message = `this is not a request that can be read as HTTP: ${messageOf(error)}`
  const { status, body } = answerError(new SluiceError({ code: 'http.malformed', message, cause: error }))
  socket.end(rawAnswer(status, body))
}

function rawAnswer(status: number, body: unknown): string {
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}

/** Node answers an unknown `Expect` and the method CONNECT in its own form; both are given ours. */
function refuseOddConnections(server: Server, answerError: HttpAppOptions['answerError']): void {
  function refuse(socket: Socket, message: string): void {
    const { status, body } = answerError(new SluiceError({ code: 'http.malformed', message }))
    socket.end(rawAnswer(status, body))
  }
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request.socket, 'this Expect header is unknown'))
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'CONNECT is not served here'))
}

export interface BareServerOptions {
  handle: RequestListener
  tls?: TlsKeys | undefined
  answerError: HttpAppOptions['answerError']
  /** A connection on which nothing moves for so long is cut, in the middle of a body, too. */
  silence_ms?: number
}

/** A server without routes and parsers, for bodies that are streamed: the handler sees Node's own request and response. */
export function createBareServer({ handle, answerError, tls, silence_ms = 0 }: BareServerOptions): Server {
  // A body may be gigabytes over a slow line: only its headers have a deadline, and silence.
  const options = { ...optionsFor(silence_ms), keepAliveTimeout: keep_alive_ms, requestTimeout: 0 }
  const serve: RequestListener = (request, response) => {
    if (silence_ms > 0) boundTheRest(request, response, silence_ms)
    handle(request, response)
  }
  const server: Server = tls ? createTlsServer({ ...tls, ...options }, serve) : createServer(options, serve)
  server.setTimeout(silence_ms)
  server.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, answerError))
  refuseOddConnections(server, answerError)
  return server
}

/** What comes behind an early answer is read and thrown away, or the client would not see the answer; but not for ever. */
function boundTheRest(request: IncomingMessage, response: ServerResponse, most_ms: number): void {
  response.once('finish', () => {
    if (request.complete) return
    const over = new AbortController()
    request.socket.once('close', () => over.abort())
    void system_clock.sleep(most_ms, over.signal).then(() => {
      if (!request.complete) request.socket.destroy()
    })
  })
}

/** Listens and answers the port that was given (`port` 0 takes a free one). Error `http.listen`. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await startListening(server, { host, port }, `${host}, port ${port}`, 'choose another port, or 0 for a free one')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** Listens on a Unix socket; Node removes the file when the server closes. Error `http.listen`, where something lies there too. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await startListening(server, { path }, path, 'check who may write into its folder')
}

async function startListening(server: Server, where: ListenOptions, name: string, hint: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(where, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    throw new SluiceError({
      code: 'http.listen',
      message: `cannot listen on ${name}: ${messageOf(error)}`,
      hint,
      cause: error,
    })
  }
}

/** A connection whose last request has just ended is idle from then on, and Node does not look again by itself. */
const look_for_idle_ms = 20

/**
 * Takes no new connection, lets requests in flight finish for `grace_ms`, then calls `beforeCut` and cuts what is left. Real time, whatever clock
 * the application runs on: it waits for sockets.
 */
export async function closeServer(server: Server, grace_ms: number, beforeCut?: () => void): Promise<void> {
  if (!server.listening) return
  let open = true
  // A client that sends one request after the other on one connection would never leave it idle: its next answer is its last.
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
    await system_clock.sleep(look_for_idle_ms, looking.signal)
  }
}
