import { createHash } from 'node:crypto'
import {
  type HttpApp,
  type HttpReply,
  type HttpRequest,
  httpFault,
} from '../base/net/http-server-app.ts'
import { SluiceError } from '../base/run/errors.ts'
import { unknownAddress } from './access/guard.ts'
import { unknownUser } from './access/recognise.ts'
import type { Viewer } from './access/viewer.ts'
import { errorScreen } from './error-answer.ts'
import { documentOf, type Frame, type Screen } from './html/layout.ts'
import { signInScreen } from './html/sign-in-form.ts'
import type { PageTools } from './page-tools.ts'

/** A request of a signed-in user. */
export interface Visit {
  viewer: Viewer
  frame: Frame
  /** True for a refresh of a page that stays open. */
  is_refresh: boolean
  /** Time zone of the browser; without script that of this machine. */
  zone(): string
  /** Before the paths of links in what leaves this page, such as `https://example.com/sluice`. */
  address: string
  /** Values of the path, of the query, and of a form; empty texts where one is missing. */
  param(name: string): string
  query(name: string): string
  field(name: string): string
}

/** Longest address with a question; Node takes heads of 16 KiB. */
const max_kept = 8_000

/** The end of an act: the path to go to, and a sentence about what it did. */
interface Done {
  to: string
  said?: string
}

/** Serves a screen. Who is not signed in gets the sign-in, which leads back to it. */
export function get(
  app: HttpApp,
  tools: PageTools,
  path: string,
  build: (visit: Visit) => Promise<Screen>,
): void {
  read(app, tools, path, async (request, reply) => {
    const last = request.session.said
    if (last !== undefined) request.session.said = undefined
    // A proxy may sign in others in the same browser.
    const said = last?.to === request.viewer?.name ? last?.text : undefined
    const screen = await build(visitOf(request, reply, tools))
    if (screen.to !== undefined) return reply.redirect(`${tools.base_path}${screen.to}`, 303)
    return sendScreen(request, reply, tools, { said, ...screen })
  })
}

/** Serves a form that does something, and then goes to another screen. `role`: who may. */
export function act(
  app: HttpApp,
  tools: PageTools,
  path: string,
  { role, run }: { role: Viewer['role']; run: (visit: Visit) => Promise<Done> },
): void {
  app.route({
    method: 'POST',
    url: path,
    async handler(request, reply) {
      if (!request.viewer) return askToSignIn(request, reply, tools)
      await new Promise<void>((resolve) => app.csrfProtection(request, reply, resolve))
      const visit = visitOf(request, reply, tools)
      if (role === 'operator' && visit.viewer.role !== 'operator') throw notAllowed()
      const { to, said } = await run(visit)
      if (said !== undefined) request.session.said = { to: visit.viewer.name, text: said }
      return reply.redirect(`${tools.base_path}${to}`, 303)
    },
  })
}

/** A file or a feed. */
export interface Sent {
  type: string
  body: string
  /** The name under which a browser saves it; absent: it is shown. */
  save_as?: string
}

/** Serves what is no screen. A program without a session is asked for a token. */
export function send(
  app: HttpApp,
  tools: PageTools,
  path: string,
  build: (visit: Visit) => Promise<Sent>,
): void {
  const answer = async (request: HttpRequest, reply: HttpReply) => {
    const { type, body, save_as } = await build(visitOf(request, reply, tools))
    if (save_as !== undefined)
      void reply.header('content-disposition', `attachment; filename="${save_as}"`)
    void reply.header('cache-control', 'private, no-cache').type(`${type}; charset=utf-8`)
    return isKnown(request, reply, body) ? reply.status(304).send() : reply.send(body)
  }
  read(app, tools, path, answer, 'Basic realm="Sluice", charset="UTF-8"')
}

/** Serves what only a known user may read. `challenge`: how a program can sign in. */
function read(
  app: HttpApp,
  tools: PageTools,
  url: string,
  answer: (request: HttpRequest, reply: HttpReply) => Promise<HttpReply>,
  challenge?: string,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    async handler(request, reply) {
      if (request.viewer) return answer(request, reply)
      // In a browser, the form is better than its own dialog.
      const is_browser = request.headers['sec-fetch-mode'] === 'navigate'
      if (challenge && !is_browser) void reply.header('www-authenticate', challenge)
      return askToSignIn(request, reply, tools)
    },
  })
}

/** Answers errors of screens and unknown addresses by a screen. Register it after all screens. */
export function serveErrors(app: HttpApp, tools: PageTools): void {
  const answer = (request: HttpRequest, reply: HttpReply, error: unknown) =>
    sendScreen(request, reply, tools, errorScreen(httpFault(error), tools))
  app.setErrorHandler((error, request, reply) => {
    // The browser has gone, which is no fault: see createHttpApp.
    if (request.raw.readableAborted) throw error
    return answer(request, reply, error)
  })
  app.all('/*', (request, reply) => answer(request, reply, unknownAddress()))
}

/** Adds an ETag. True if the client has this content. */
function isKnown(request: HttpRequest, reply: HttpReply, content: string): boolean {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  void reply.header('etag', etag)
  // A proxy that compresses makes it weak (RFC 9110, 8.8.3).
  return request.headers['if-none-match']?.replace(/^W\//, '') === etag
}

export function notAllowed(who = 'an operator'): SluiceError {
  return new SluiceError({
    code: 'page.no_right',
    message: `only ${who} may do this`,
    hint: 'ask your administrator to make you one',
  })
}

function visitOf(request: HttpRequest, reply: HttpReply, tools: PageTools): Visit {
  const valueIn = (source: unknown) => (name: string) => {
    const value = (source as Record<string, unknown> | undefined)?.[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    viewer: request.viewer!,
    frame: frameOf(request, reply, tools),
    is_refresh: request.headers['hx-request'] === 'true',
    zone: () => zoneIn(request.cookies.sluice_zone),
    address: tools.config.page.base_url ?? `${request.protocol}://${request.host}`,
    param: valueIn(request.params),
    query: valueIn(request.query),
    field: valueIn(request.body),
  }
}

/** An alias gives the usual name of its zone. */
function zoneIn(cookie?: string): string {
  try {
    return new Intl.DateTimeFormat('en', cookie ? { timeZone: cookie } : {}).resolvedOptions()
      .timeZone
  } catch {
    return zoneIn()
  }
}

/** One for each request, so that all of its forms have the same token. */
function frameOf(request: HttpRequest, reply: HttpReply, { base_path, clock }: PageTools): Frame {
  const { viewer, url: here } = request
  let csrf: string | undefined
  request.frame ??= {
    base_path,
    viewer,
    here,
    now_ms: clock.now_ms(),
    get csrf() {
      csrf ??= mayKeepToken(request) ? reply.generateCsrf() : ''
      return csrf
    },
  }
  return request.frame
}

/** False for programs that a proxy signs in: with a token, each request would make a session. */
function mayKeepToken({ viewer, session, headers, method }: HttpRequest): boolean {
  if (!viewer || viewer.by === 'token') return false
  return (
    session.is_known === true || (method !== 'HEAD' && /\btext\/html\b/.test(headers.accept ?? ''))
  )
}

/** With an ETag, so that a refresh that shows nothing new sends nothing. */
export function sendScreen(
  request: HttpRequest,
  reply: HttpReply,
  tools: PageTools,
  screen: Screen,
): HttpReply {
  const frame = frameOf(request, reply, tools)
  void reply.status(screen.status ?? 200).header('cache-control', 'private, no-cache')
  const text = documentOf(screen, frame).text
  // Without the time and the tokens of forms, which are other ones in each answer.
  const fixed = text.replaceAll(frame.csrf || '\n', '').replace(/<span id="as-of">.*?<\/span>/, '')
  if (screen.live && (screen.status ?? 200) === 200 && isKnown(request, reply, fixed))
    return reply.status(304).send()
  return reply.type('text/html; charset=utf-8').send(text)
}

function askToSignIn(request: HttpRequest, reply: HttpReply, tools: PageTools): HttpReply {
  if (request.stranger !== undefined) throw unknownUser(request.stranger)
  // A link in a mail comes from another site, so the browser keeps the cookie back (SameSite). The
  // same address once more, from this page, comes with it.
  if (request.headers['sec-fetch-site'] === 'cross-site' && request.method === 'GET') {
    return reply.header('refresh', `0; url=${request.url}`).type('text/html').send('')
  }
  return sendScreen(request, reply, tools, signInScreen(tools, afterSignIn(request, tools)))
}

/** The path after a sign-in. It keeps a question that was sent, unless it would be too long. */
function afterSignIn({ method, url, body }: HttpRequest, { base_path }: PageTools): string {
  if (method !== 'POST') return url
  if (url !== `${base_path}/ask`) return `${base_path}/`
  const kept = `${url}?${new URLSearchParams({ question: String((body as { question?: unknown })?.question ?? '') })}`
  return kept.length > max_kept ? url : kept
}
