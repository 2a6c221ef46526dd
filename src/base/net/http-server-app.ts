import { isUtf8 } from 'node:buffer'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { codeOf, messageOf, SluiceError } from '../run/errors.ts'
import {
  type AnswerError,
  answerMalformed,
  type ErrorAnswer,
  keep_alive_ms,
  optionsFor,
  refuseOddConnections,
  type TlsKeys,
} from './http-server.ts'

export type HttpApp = FastifyInstance
export type HttpRequest = FastifyRequest
export type HttpReply = FastifyReply

export interface HttpAppOptions {
  body_limit_bytes: number
  /** Absent: plain HTTP. */
  tls?: TlsKeys | undefined
  /** Gets the errors of handlers, and faults of HTTP as SluiceErrors (`http.*` in this file). */
  answerError: AnswerError
  /** True if the path exists with another method: then the error is `http.method_wrong`. */
  isPath?: (path: string) => boolean
  /** Limit for a pause in traffic and for a whole request; absent: only its headers have one. */
  silence_ms?: number
  /** Answers preflights and adds CORS headers for any origin; absent: neither. */
  cors?: { methods: string[]; request_headers: string[]; answer_headers: string[] }
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
    // The cast joins the types of both servers: only their common side is used.
    ...(tls
      ? ({ https: { ...tls, ...optionsFor(silence_ms) } } as object)
      : { http: optionsFor(silence_ms) }),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, answerError),
    frameworkErrors: (error, _request, reply) => sendError(reply, answerError(httpFault(error))),
  })
  app.setErrorHandler((error, { raw }, reply) => {
    // A client that leaves within a body is no failure of ours. It reads no answer, either.
    const fault = raw.readableAborted
      ? invalidBody('the connection ended before the body')
      : httpFault(error)
    return sendError(reply, answerError(fault))
  })
  app.setNotFoundHandler((request, reply) => {
    const code = isPath?.(request.url.split('?')[0] ?? '')
      ? 'http.method_wrong'
      : 'http.path_unknown'
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

/** JSON only. An empty body may have any type: clients send the header without a body. */
function acceptJson(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // `curl -d ''` declares its empty body as a form.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 || request.is404) done(null, undefined)
    else
      done(new SluiceError({ code: 'http.media_type', message: 'a body is application/json here' }))
  })
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      if (body.length === 0) done(null, undefined)
      else if (!isUtf8(body)) done(invalidBody('the body is not UTF-8'))
      else {
        parse(request, body.toString('utf8'), (error, value) => {
          if (error) done(invalidBody(messageOf(error)))
          else done(null, value)
        })
      }
    },
  )
}

function invalidBody(message: string): SluiceError {
  return new SluiceError({ code: 'http.body_invalid', message })
}

function sendError(reply: HttpReply, { status, body, headers }: ErrorAnswer): HttpReply {
  const is_html = typeof body === 'string'
  void reply.status(status).headers({ 'content-type': is_html ? html_type : json_type, ...headers })
  return reply.send(is_html ? body : JSON.stringify(body))
}

const html_type = 'text/html; charset=utf-8'
const json_type = 'application/json; charset=utf-8'
const fastify_faults: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'http.media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'http.body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'http.body_invalid',
  FST_ERR_BAD_URL: 'http.malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'http.malformed',
}

/** The same error; a fault of HTTP that Fastify found is a SluiceError then. */
export function httpFault(error: unknown): unknown {
  const code = fastify_faults[codeOf(error) ?? '']
  return code === undefined
    ? error
    : new SluiceError({ code, message: messageOf(error), cause: error })
}
