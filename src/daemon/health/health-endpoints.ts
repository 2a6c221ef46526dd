import { guardConnections } from '../../base/net/connection-guard.ts'
import { closeServer, listen } from '../../base/net/http-server.ts'
import {
  createHttpApp,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
} from '../../base/net/http-server-app.ts'
import { hasOneHost, isLoopbackAuthority } from '../../base/net/loopback.ts'
import { messageOf, SluiceError, toPlainError } from '../../base/run/errors.ts'
import { second_ms } from '../../base/time/time.ts'
import { hostAndPort } from '../../config/listen.ts'
import { max_connections } from '../../config/open-files.ts'

/** One answer: its status, and a JSON body, or text with its own content type. */
export interface HealthAnswer {
  status: number
  body: unknown
  content_type?: string
}

type HealthReader = (name: string) => Promise<HealthAnswer>
export type HealthEndpoints = Awaited<ReturnType<typeof serveHealth>>

export type HealthPath =
  | '/healthz'
  | '/readyz'
  | '/readyz/folder/:name'
  | '/readyz/prompt/:name'
  | '/metrics'

/** Requests carry no body. */
const body_limit_bytes = 1_024
const request_timeout_ms = 10 * second_ms
/** Maximum wait of a close for running requests; a scrape takes milliseconds. */
const close_grace_ms = 200

/**
 * Serves GET (and HEAD) of these paths on an address of this machine; answers get the name in the
 * path. A web page in a local browser cannot read them: the server refuses every Origin, and every
 * Host that is not this machine (DNS rebinding). Error `http.listen`.
 */
export async function serveHealth(where: string, answers: Record<HealthPath, HealthReader>) {
  const { host, port } = hostAndPort(where)!
  const paths = Object.keys(answers) as HealthPath[]
  const isPath = (path: string) =>
    paths.some((known) => new RegExp(`^${known.replace(':name', '[^/]+')}$`).test(path))
  const app = await createHttpApp({ body_limit_bytes, answerError, isPath })
  guardConnections(app.server, {
    max: max_connections.health,
    has_small_bodies: true,
    request_ms: request_timeout_ms,
  })
  app.addHook('onRequest', async (request) => refuseOthers(request))
  for (const path of paths) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (...asked) => send(...asked, answers[path]),
    })
  }
  await app.ready()
  const real_port = await listen(app.server, host.replace(/^\[|\]$/g, ''), port).catch(
    async (error) => {
      await app.close()
      throw error
    },
  )
  /** `address`: with the real port, such as `127.0.0.1:9464`. */
  return { address: where.replace(/\d+$/, String(real_port)), close: () => close(app) }
}

async function close(app: HttpApp): Promise<void> {
  await closeServer(app.server, close_grace_ms)
  await app.close()
}

async function send(
  { params }: HttpRequest,
  reply: HttpReply,
  read: HealthReader,
): Promise<HttpReply> {
  const { name = '' } = params as { name?: string }
  const { status, body, content_type = 'application/json; charset=utf-8' } = await read(name)
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
  return reply.status(status).header('cache-control', 'no-store').type(content_type).send(text)
}

function refuseOthers({ headers, raw }: HttpRequest): void {
  const { host, origin } = headers
  const is_ours = host !== undefined && hasOneHost(raw) && isLoopbackAuthority(host)
  if (is_ours && origin === undefined) return
  const what = is_ours ? 'a page in a browser' : 'another host than this machine'
  throw new SluiceError({ code: 'health.not_for_you', message: `this is not served to ${what}` })
}

const statuses: Record<string, number> = {
  'health.not_for_you': 403,
  'health.unknown': 404,
  'http.path_unknown': 404,
  'http.method_wrong': 405,
  'http.body_too_large': 413,
  'http.media_type': 415,
}

function answerError(error: unknown) {
  const { code } = toPlainError(error)
  const is_ours = code.startsWith('http.') || code.startsWith('health.')
  const status = statuses[code] ?? (is_ours ? 400 : 500)
  const headers = code === 'http.method_wrong' ? { allow: 'GET, HEAD' } : {}
  return { status, body: { code, message: messageOf(error) }, headers }
}
