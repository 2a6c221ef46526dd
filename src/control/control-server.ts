import { isUtf8 } from 'node:buffer'
import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { guardConnections } from '../base/net/connection-guard.ts'
import {
  closeServer,
  createBareServer,
  type ErrorAnswer,
  leftSignal,
  listenOnSocket,
} from '../base/net/http-server.ts'
import {
  isSluiceError,
  messageOf,
  type PlainError,
  SluiceError,
  toPlainError,
} from '../base/run/errors.ts'
import { scrubText } from '../base/text/scrub.ts'
import { second_ms } from '../base/time/time.ts'
import {
  type AskedQuestion,
  type ControlVerbs,
  type DeliveriesOfRun,
  type Doubt,
  max_pause_ms,
  type PauseWish,
  type PlaceInFolder,
} from './control-verbs.ts'

export interface Control {
  /** Stops listening, gives open requests a second to end, cuts the rest and removes the socket. */
  close(): Promise<void>
}

/** Limit of a request body. A path has at most 4,096 bytes on Linux, times six in JSON. */
const max_body_bytes = 32_768
/** Calls that wait, such as `idle`, keep their connection. Programs may keep one, too. */
const max_connections = 100
const request_timeout_ms = 30 * second_ms
/** Time for open requests at the end. The cut shows callers of `idle` that the daemon ends. */
const close_grace_ms = second_ms
/** Maximum bytes of the path of a socket, without the NUL: 103 on macOS, 107 on Linux (unix(7)). */
const max_socket_path_bytes = 103

/**
 * Serves the verbs as JSON over HTTP on a Unix socket. The caller holds the ledger's lock, so an
 * existing socket belongs to a dead process. Errors: `config.state_dir`, `http.listen`.
 */
export async function startControl(options: {
  socket: string
  verbs: ControlVerbs
}): Promise<Control> {
  const { socket } = options
  refuseLongPath(socket)
  const verbs = servedVerbs(options.verbs)
  // Without Fastify, whose start would cost each daemon more than all of this file.
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void answerTo(request, response, verbs).then((answer) => send(request, response, answer))
  }
  const server = createBareServer({ handle, answerError })
  guardConnections(server, {
    max: max_connections,
    has_small_bodies: true,
    request_ms: request_timeout_ms,
  })
  rmSync(socket, { force: true })
  await listenOnSocket(server, socket)
  chmodSync(socket, 0o600)
  return { close: () => closeServer(server, close_grace_ms) }
}

/** `body`: undefined if none was sent. `gone`: aborts at a disconnect. No result sends `{}`. */
type Verb = (body: unknown, gone: AbortSignal) => Promise<unknown>

function servedVerbs(verbs: ControlVerbs): Record<string, Verb> {
  return {
    'GET /v1/ping': () => verbs.ping(),
    'POST /v1/rescan': (body) => {
      const { folder } = fieldsOf(body)
      return verbs.rescan({ folder: ifGiven(folder, 'folder', textOf) })
    },
    'POST /v1/retry': (body) => verbs.retry(placeOf(body)),
    'POST /v1/accept': (body) => verbs.accept(placeOf(body)),
    'POST /v1/accept-removals': (body) => verbs.acceptRemovals(placeOf(body)),
    'POST /v1/run-prompt': (body) =>
      verbs.runPrompt({ prompt: textOf(fieldsOf(body).prompt, 'prompt') }),
    'POST /v1/pause': (body) => verbs.pause(pauseOf(body)),
    'POST /v1/resume': () => verbs.resume(),
    'POST /v1/reload': () => verbs.reload(),
    'POST /v1/deliver-again': (body) => verbs.deliverAgain(deliveriesOf(body)),
    'POST /v1/audit': () => verbs.audit(),
    'POST /v1/doubt': (body) => verbs.doubt(doubtOf(body)),
    'POST /v1/ask': (body, gone) => verbs.ask(questionOf(body), gone),
    'POST /v1/idle': (_body, gone) => verbs.idle(gone),
  }
}

function placeOf(body: unknown): PlaceInFolder {
  const { folder, path } = fieldsOf(body)
  return { folder: textOf(folder, 'folder'), path: textOf(path, 'path') }
}

function deliveriesOf(body: unknown): DeliveriesOfRun {
  const { run, targets } = fieldsOf(body)
  return { run: idOf(run, 'run'), targets: textsOf(targets, 'targets') }
}

function textsOf(value: unknown, field: string): string[] {
  if (!Array.isArray(value)) throw wrongBody(`${field} must be a list`)
  return value.map((text) => textOf(text, `each of ${field}`))
}

function questionOf(body: unknown): AskedQuestion {
  const { text, folders, paths, labels, within_ms, chat_id, sees } = fieldsOf(body)
  return {
    text: textOf(text, 'text'),
    folders: ifGiven(folders, 'folders', textsOf),
    paths: textsOf(paths, 'paths'),
    labels: textsOf(labels, 'labels'),
    within_ms: ifGiven(within_ms, 'within_ms', idOf),
    chat_id: ifGiven(chat_id, 'chat_id', textOf),
    sees: ifGiven(sees, 'sees', textsOf),
  }
}

function doubtOf(body: unknown): Doubt {
  const { about, content, label } = fieldsOf(body)
  if (about === 'bytes') return { about, ...placeOf(body) }
  if (about === 'label')
    return { about, content: idOf(content, 'content'), label: textOf(label, 'label') }
  throw wrongBody('about must be bytes or label')
}

function pauseOf(body: unknown): PauseWish {
  const { by, why, for_ms } = fieldsOf(body)
  return {
    by: textOf(by, 'by'),
    why: ifGiven(why, 'why', textOf),
    for_ms: ifGiven(for_ms, 'for_ms', pauseDurationOf),
  }
}

function pauseDurationOf(value: unknown): number {
  if (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value > 0 &&
    value <= max_pause_ms
  )
    return value
  throw wrongBody(`for_ms must be milliseconds, more than none and at most ${max_pause_ms}`)
}

function ifGiven<Value>(
  value: unknown,
  field: string,
  read: (value: unknown, field: string) => Value,
): Value | undefined {
  return value === undefined ? undefined : read(value, field)
}

function fieldsOf(body: unknown): Record<string, unknown> {
  if (body === undefined) return {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw wrongBody('the body is not a JSON object')
}

function idOf(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw wrongBody(`${field} must be a whole number`)
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw wrongBody(`${field} must be a text`)
}

function wrongBody(message: string): SluiceError {
  return new SluiceError({ code: 'control.body', message })
}

/** For errors of verbs and of HTTP. The command shows code, message and hint as its own. */
function answerError(error: unknown): ErrorAnswer {
  const { code, message, hint } = toPlainError(error)
  const body: PlainError = { code, message: scrubText(message), hint: hint && scrubText(hint) }
  return { status: isSluiceError(error) ? (unknown_things.has(error.code) ? 404 : 400) : 500, body }
}

/** Errors of a named thing that does not exist: they are answered with 404. */
const unknown_things: ReadonlySet<string> = new Set([
  'usage.folder',
  'usage.prompt',
  'usage.run',
  'usage.content',
])

function refuseLongPath(socket: string): void {
  if (Buffer.byteLength(socket) <= max_socket_path_bytes) return
  throw new SluiceError({
    code: 'config.state_dir',
    message: `${socket} is too long for the path of a socket (${max_socket_path_bytes} bytes at the most)`,
    hint: 'set state_dir to a shorter path',
  })
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  verbs: Readonly<Record<string, Verb>>,
): Promise<ErrorAnswer> {
  const left = leftSignal(response)
  try {
    const { method, url } = request
    const verb = verbs[`${method} ${url}`]
    if (!verb)
      throw new SluiceError({
        code: 'http.path_unknown',
        message: `404 not found: ${method} ${url}`,
      })
    const answer = await verb(await readBody(request), left)
    return { status: 200, body: answer ?? {} }
  } catch (error) {
    return answerError(error)
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let read_bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    read_bytes += piece.byteLength
    if (read_bytes > max_body_bytes)
      throw new SluiceError({
        code: 'http.body_too_large',
        message: `the body has more than ${max_body_bytes} bytes`,
      })
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

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: ErrorAnswer,
): void {
  // The rest of a refused body is not read, so the connection cannot serve another request.
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
