import {
  createHttpApp,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
} from '../base/net/http-server-app.ts'
import { messageOf } from '../base/run/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { api_key_header, isId, project_header } from '../contract/identifiers.ts'
import type { Route } from '../contract/routes/route.ts'
import { type RouteId, routes } from '../contract/routes/routes.ts'
import { type Gate, hasOneHost } from './address.ts'
import { serveInvitations } from './api/invitation-page.ts'
import type { Door } from './blobs/blob-store.ts'
import { type Failure, sendFailure } from './fault-injection.ts'
import { answerFault, fault } from './faults/faults.ts'
import { fieldSentence, findingOf, gate_texts } from './faults/humane.ts'
import { checkLengths, checkRate } from './limits.ts'
import type { RequestEntry } from './observer.ts'
import type { Parts } from './parts.ts'
import {
  type Access,
  type Call,
  type Caller,
  checkRole,
  type Handlers,
  minRole,
  type Who,
} from './store/access.ts'

export interface AppParts extends Parts, Door {
  /** Counts a request of this token, so call it once. Returns the seconds to wait, or undefined. */
  limitFor: (token: number) => number | undefined
  handlers: Handlers<RouteId>
}

/** The state of one request. `admit` makes it, before the body is read. */
interface Context extends Who {
  entry: RequestEntry
  /** An injected failure that replaces the answer after the work is done; undefined: none. */
  failure: Failure | undefined
}

type Tracked = HttpRequest & { context_of_call: Context | null }

const nobody: Caller = { token: 0, user: null, every_project: 0 }

/** The API: the routes of the contract's table, each with its handler. */
export async function createApp(parts: AppParts): Promise<HttpApp> {
  const { observer, profile, settings, log } = parts
  const app = await createHttpApp({
    body_limit_bytes: settings.limits.body_bytes,
    answerError: (error) => answerFault(error, { blank_codes: profile.blank_codes, log }),
    isPath: pathMatcher(),
    tls: parts.tls,
    silence_ms: settings.silence_ms,
    ...(profile.cors ? { cors: cors_options } : {}),
  })
  app.decorateRequest('context_of_call', null)
  app.addHook('onRequest', (request, reply) => admit(parts, request as Tracked, reply))
  app.addHook('onSend', (request, reply, payload, done) => {
    const entry = (request as Tracked).context_of_call?.entry
    if (!entry) return done(null, payload)
    entry.status = reply.statusCode
    // A client that has closed the connection gets no answer, so `onAnswer` gets none, either.
    if (!request.raw.readableAborted) {
      settings.onAnswer?.({
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        type: String(reply.getHeader('content-type') ?? ''),
        body: String(payload ?? ''),
      })
    }
    const notified = observer.notify('handled', entry)
    if (!notified) return done(null, payload)
    // Fastify would make an error here its own answer, so a listener's error only goes to the log.
    notified
      .catch((error: unknown) => log(`a listener of requests failed: ${messageOf(error)}`))
      .then(() => done(null, payload))
  })
  for (const route of routes) addRoute(app, parts, route)
  serveInvitations(app, parts)
  return app
}

const cors_options = {
  methods: ['GET', 'POST', 'DELETE'],
  request_headers: ['X-API-Key', 'X-Project-Id', 'Content-Type'],
  answer_headers: ['Retry-After'],
}

/**
 * Runs for every request before its body is read. It adds the request to the request log, injects
 * delays and failures, then checks host, origin, key, limit, project and role in this order.
 */
async function admit(parts: AppParts, request: Tracked, reply: HttpReply): Promise<unknown> {
  const { observer, injected_faults, clock } = parts
  const { route, is_page } = request.routeOptions.config as { route?: Route; is_page?: boolean }
  const place = (route?.id ?? 'unknown') as RouteId | 'unknown'
  const entry = observer.begin(place, reply.raw, clock.now_ms())
  const context: Context = { entry, caller: nobody, project: 0, role: 'reader', failure: undefined }
  request.context_of_call = context
  const notified = observer.notify('begin', entry)
  if (notified) await notified

  const failure = await injected_faults.meet(place, request.url.includes('after_id='))
  if (failure && failure.when !== 'after') return fail(reply, entry, failure)
  context.failure = failure

  checkOrigin(parts.gate, request, is_page)
  if (!route?.auth) return undefined
  context.caller = callerOf(parts.access, request)
  checkRate(reply, parts.limitFor(context.caller.token))
  enterProject(parts.access, route, request, context)
  return undefined
}

/** The token and user of the key. Throws if it is missing, malformed, unknown or revoked. */
function callerOf(access: Access, { headers }: HttpRequest): Caller {
  const caller = access.callerOf(headers[api_key_header])
  if (!caller) throw fault('publicapi.auth.invalid')
  return caller
}

function enterProject(
  access: Access,
  route: Route,
  { headers }: HttpRequest,
  context: Context,
): void {
  if (!route.scoped) return
  const project_id = headers[project_header]
  if (!isId('project', project_id)) throw fault('publicapi.tenancy.project.missing')
  const found = access.projectOf(context.caller, project_id)
  if (!found) throw fault('publicapi.tenancy.project.not_found')
  checkRole(found.role, minRole(route))
  Object.assign(context, found)
}

/**
 * Checks key, project and role again, after the body has arrived. That can take minutes, and a key
 * or a role may have been revoked meanwhile.
 */
function admitAgain(access: Access, route: Route, request: HttpRequest, context: Context): void {
  if (!route.auth || route.method === 'GET') return
  context.caller = callerOf(access, request)
  enterProject(access, route, request, context)
}

/**
 * Refuses requests for another host, and from pages of origins that are not allowed. Our own page
 * takes its own form only, even where pages of others may call the API. Most browsers say where a
 * form comes from. Some send `Origin: null`, because of the page's referrer policy.
 */
function checkOrigin(gate: Gate, { raw, headers }: HttpRequest, is_page = false): void {
  const refuse = (why: keyof typeof gate_texts) =>
    fault('publicapi.request.malformed', {}, gate_texts[why])
  if (!hasOneHost(raw)) throw refuse('several_hosts')
  if (!gate.isOurHost(headers.host)) throw refuse('other_host')
  const { origin, 'sec-fetch-site': site } = headers
  if (site === 'same-origin') return
  const is_own_origin = origin === 'null' || gate.isOwnOrigin(origin ?? '', headers.host!)
  const is_own_form = origin === undefined || (site === undefined && is_own_origin)
  if (is_page ? !is_own_form : !gate.isAllowedOrigin(origin)) throw refuse('other_origin')
}

function fail(reply: HttpReply, entry: RequestEntry, failure: Failure): HttpReply {
  reply.hijack()
  sendFailure(reply.raw, failure, entry)
  return reply
}

function addRoute(app: HttpApp, parts: AppParts, route: (typeof routes)[number]): void {
  const handle = parts.handlers[route.id] as unknown as (call: Call<RouteId>) => unknown
  const { media_type, answers } = route as Route
  const statuses = Object.keys(answers).map(Number)
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { route } as object,
    handler: async (request, reply) => {
      const context = (request as Tracked).context_of_call!
      admitAgain(parts.access, route, request, context)
      const { entry, caller, project, role, failure } = context
      const parsed = parseCall(route, request)
      checkLengths(parsed.body, parts.settings.limits)
      const noteAsset = (found: unknown) => {
        const { asset_id } = (found ?? {}) as { asset_id?: string }
        if (asset_id !== undefined) entry.asset_id = asset_id
      }
      noteAsset(parsed.params)
      const answer = await handle({ caller, project, role, ...parsed } as Call<RouteId>)
      noteAsset(answer)
      if (failure) {
        await parts.observer.notify('handled', entry)
        return fail(reply, entry, failure)
      }
      // A route with two answers has them in this order: the thing existed already, it was made.
      const { already_exists = true } = (answer ?? {}) as { already_exists?: boolean }
      reply.code(statuses[already_exists ? 0 : 1]!)
      if (media_type !== undefined) reply.type(media_type)
      return reply.send(answer)
    },
  })
}

/** Returns a function that is true for a path that any method serves. */
function pathMatcher(): (path: string) => boolean {
  const patterns = routes.map(
    ({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  )
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/** Parses path, query and body. Throws a 400 that names the first wrong field. */
function parseCall(
  { params, query, request: schema, field_codes = {} }: Route,
  request: HttpRequest,
) {
  return {
    params: parse(params, request.params, 'address', () => 'publicapi.path.invalid'),
    query: parse(query, request.query, 'query', () => 'publicapi.query.invalid'),
    body: parse(
      schema,
      request.body,
      'request',
      (field) => field_codes[field] ?? 'publicapi.body.invalid',
    ),
  }
}

function parse(
  schema: Route['params'],
  value: unknown,
  whole: string,
  codeOf: (field: string) => ErrorCode,
): unknown {
  const result = schema?.safeParse(value, { error: findingOf })
  if (!result || result.success) return result?.data
  const { path, message } = result.error.issues[0]!
  throw fault(codeOf(String(path[0])), {}, fieldSentence(whole, path, message))
}
