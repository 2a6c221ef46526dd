import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AnswerError, createBareServer, type ErrorAnswer } from '../base/net/http-server.ts'
import { messageOf, SluiceError } from '../base/run/errors.ts'

/** `body`: undefined when none was sent. `gone`: the caller disconnected. No value is `{}`. */
export type Verb = (body: unknown, gone: AbortSignal) => Promise<unknown>

export interface VerbServerOptions {
  /** The key is method and path: `POST /v1/retry`. */
  verbs: Readonly<Record<string, Verb>>
  max_body_bytes: number
  /**
   * Answers what a verb threw, and faults of HTTP: `http.path_unknown`, `http.media_type`,
   * `http.body_too_large`, `http.body_invalid`, `http.malformed`.
   */
  answerError: AnswerError
}

/** Without Fastify, whose start would cost each daemon more than all of this file. */
export function createVerbServer(options: VerbServerOptions): Server {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void answerTo(request, response, options).then((answer) => send(request, response, answer))
  }
  return createBareServer({ handle, answerError: options.answerError })
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  { verbs, max_body_bytes, answerError }: VerbServerOptions,
): Promise<ErrorAnswer> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const { method, url } = request
    const verb = verbs[`${method} ${url}`]
    if (!verb) throw new SluiceError({ code: 'http.path_unknown', message: `404 not found: ${method} ${url}` })
    const answer = await verb(await readBody(request, max_body_bytes), gone.signal)
    return { status: 200, body: answer ?? {} }
  } catch (error) {
    return answerError(error)
  }
}

async function readBody(request: IncomingMessage, limit_bytes: number): Promise<unknown> {
  const pieces: Buffer[] = []
  let read_bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    read_bytes += piece.byteLength
    if (read_bytes > limit_bytes)
      throw new SluiceError({ code: 'http.body_too_large', message: `the body has more than ${limit_bytes} bytes` })
    pieces.push(piece)
  }
  if (read_bytes === 0) return undefined
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new SluiceError({ code: 'http.media_type', message: 'the body is not application/json' })
  return parse(Buffer.concat(pieces))
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalidBody('the body is not UTF-8')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw invalidBody(messageOf(error))
  }
}

function invalidBody(message: string): SluiceError {
  return new SluiceError({ code: 'http.body_invalid', message })
}

function send(request: IncomingMessage, response: ServerResponse, { status, body }: ErrorAnswer): void {
  // The rest of a refused body is not read, so the connection cannot serve another request.
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
