import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import session from '@fastify/session'
import { guardConnections } from '../base/net/connection-guard.ts'
import type { TlsKeys } from '../base/net/http-server.ts'
import { createHttpApp, type HttpApp, type HttpReply } from '../base/net/http-server-app.ts'
import { minute_ms } from '../base/time/time.ts'
import { createProxyNote, createWayCheck, pagePlaces, refuseStrangers } from './access/guard.ts'
import { type SignedIn, session_ms } from './access/page-store.ts'
import { createRecognition } from './access/recognise.ts'
import { sessionsIn } from './access/sessions.ts'
import type { Viewer } from './access/viewer.ts'
import { serveAssets } from './assets.ts'
import { errorAnswers } from './error-answer.ts'
import type { Frame } from './html/layout.ts'
import { serveAgents } from './mcp/serve-http.ts'
import type { PageTools } from './page-tools.ts'
import { serveErrors } from './screen.ts'
import { screens } from './screens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request that needs no sign-in. */
    viewer: Viewer | undefined
    /** The name that a listed proxy gives, if the page does not know it. */
    stranger: string | undefined
    frame: Frame | undefined
  }
  interface Session extends SignedIn {
    /** Shown once, after an act. */
    said?: { to: string; text: string } | undefined
  }
}

/** Longest body: a question and its scope. */
const body_limit_bytes = 65_536
/** For a whole request: its body is small. */
const request_timeout_ms = minute_ms
/** A browser must load nothing from elsewhere, run no script of a text, and show no frame. */
const headers = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The page as a Fastify app, not listening yet. */
export async function createPageApp(tools: PageTools, tls: TlsKeys | undefined): Promise<HttpApp> {
  const { config, store, base_path } = tools
  const answerError = errorAnswers(tools)
  const app = await createHttpApp({ body_limit_bytes, answerError, tls })
  const recognise = createRecognition(config, store, tools.clock)
  const is_behind_tls = tls === undefined && config.page.base_url?.startsWith('https:') === true
  guardConnections(app.server, { ...pagePlaces(config.page), request_ms: request_timeout_ms })
  const checkWay = createWayCheck(config.page)
  const noteProxy = createProxyNote(config.page, tools.log)
  for (const name of ['viewer', 'stranger', 'frame']) app.decorateRequest(name, undefined)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(headers)
    noteProxy(request)
    checkWay(request)
    refuseStrangers(request, config.page, request.routeOptions.url === `${base_path}/mcp`)
  })
  await app.register(cookie)
  await app.register(session, {
    secret: store.cookieSecret(),
    store: sessionsIn(store),
    cookieName: 'sluice_page',
    cookie: {
      path: base_path || '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: tls !== undefined,
      maxAge: session_ms,
    },
    saveUninitialized: false,
  })
  // A proxy with TLS talks plain HTTP here, which the session would take for the whole way.
  if (is_behind_tls) app.addHook('onSend', async (_request, reply) => secureCookies(reply))
  await app.register(csrf, { sessionPlugin: '@fastify/session' })
  await app.register(formbody)
  app.addHook('onRequest', async (request, reply) => {
    Object.assign(request, await recognise(request, reply))
  })
  await app.register(
    async (page) => {
      serveAssets(page)
      serveAgents(page, tools)
      for (const serve of screens) serve(page, tools)
      serveErrors(page, tools)
    },
    { prefix: base_path },
  )
  return app
}

function secureCookies(reply: HttpReply): void {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  if (cookies.length === 0) return
  void reply.removeHeader('set-cookie')
  for (const cookie of cookies) void reply.header('set-cookie', `${cookie}; Secure`)
}
