import { messageOf } from '../base/errors.ts'
import type { TlsKeys } from '../base/http-server.ts'
import { createHttpApp, type HttpApp, type HttpReply, type HttpRequest } from '../base/http-server-app.ts'
import type { Clock } from '../base/time.ts'
import { api_key_header, isId, project_header } from '../contract/identifiers.ts'
import type { Role } from '../contract/messages-projects.ts'
import type { Route } from '../contract/route.ts'
import { type RouteId, routes } from '../contract/routes.ts'
import type { Access, Caller, ProjectAccess } from './access.ts'
import { type Gatekeeper, hasOneHost } from './address.ts'
import type { AnswerSeen } from './answer-seen.ts'
import { sendFailure } from './bad-answer.ts'
import type { BadDaysJudge, Failure } from './bad-days.ts'
import { answerFault, fault } from './faults.ts'
import type { Answer, Call, Handlers } from './handler.ts'
import { checkLengths, type Limits } from './limit-options.ts'
import type { Observer, RequestEntry } from './observer.ts'
import { parseCall } from './parse-call.ts'
import type { Profile } from './profile.ts'
import { checkRole, leastRole } from './roles.ts'

export interface AppParts {
  access: Access
  observer: Observer
  bad_days: BadDaysJudge
  profile: Profile
  limits: Limits
  /** Seconds that a token has to wait whose request is one too many; called once per request. */
  gate: Gatekeeper
  tls: TlsKeys | undefined
  silence_ms: number
  limitFor: (token: number) => number | undefined
  handlers: Handlers<RouteId>
  clock: Clock
  log: (line: string) => void
  onAnswer: ((answer: AnswerSeen) => void) | undefined
}

/** What is known of a request on its way, from the first hook on. */
interface Context {
  entry: RequestEntry
  caller: Caller
  project: number
  role: Role
  /** Of what is known of keys and members, when caller and role were found. */
  version: number
  /** A failure that comes after the work is done. */
  failure: Failure | undefined
}

type Tracked = HttpRequest & { context_of_call: Context | null }

const nobody: Caller = { token: 0, user: null, every_project: 0, projects: new Map() }

/** The API: the routes of the contract's table, each with its handler. */
export async function createApp(parts: AppParts): Promise<HttpApp> {
  const { observer, profile, limits, log } = parts
  const app = await createHttpApp({
    body_limit_bytes: limits.body_bytes,
    answerError: (error) => answerFault(error, { blank_codes: profile.blank_codes, log }),
    isPath: pathMatcher(),
    tls: parts.tls,
    silence_ms: parts.silence_ms,
    ...(profile.cors ? { cors: cors_options } : {}),
  })
  app.decorateRequest('context_of_call', null)
  app.addHook('onRequest', (request, reply) => admit(parts, request as Tracked, reply))
  app.addHook('onSend', (request, reply, payload, done) => {
    const entry = (request as Tracked).context_of_call?.entry
    if (!entry) return done(null, payload)
    entry.status = reply.statusCode
    // Whoever went away hears none.
    if (!request.raw.readableAborted) {
      parts.onAnswer?.({
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        type: String(reply.getHeader('content-type') ?? ''),
        body: String(payload ?? ''),
      })
    }
    const told = observer.tell('handled', entry)
    if (!told) return done(null, payload)
    // An error here would get an answer of fastify's own: a listener's fault is for the log.
    told.catch((error: unknown) => log(`a listener failed: ${messageOf(error)}`)).then(() => done(null, payload))
  })
  for (const route of routes) addRoute(app, parts, route)
  return app
}

const cors_options = {
  methods: ['GET', 'POST', 'DELETE'],
  request_headers: ['X-API-Key', 'X-Project-Id', 'Content-Type'],
  answer_headers: ['Retry-After'],
}

/** Before anything is done: noted, made to wait or fail where that is ordered, then host, key and project, in this order. */
async function admit(parts: AppParts, request: Tracked, reply: HttpReply): Promise<unknown> {
  const { observer, bad_days, clock } = parts
  const route = (request.routeOptions.config as { route?: Route }).route
  const place = (route?.id ?? 'unknown') as RouteId | 'unknown'
  const entry = observer.begin(place, clock.now_ms())
  const context: Context = { entry, caller: nobody, project: 0, role: 'reader', version: 0, failure: undefined }
  request.context_of_call = context
  reply.raw.once('close', () => void observer.tell('end', entry))
  const told = observer.tell('begin', entry)
  if (told) await told

  const { latency_ms = 0 } = bad_days.current
  if (latency_ms > 0) await clock.sleep(latency_ms)
  const wait_s = bad_days.limitFor(place)
  if (wait_s !== undefined) return fail(reply, entry, { status: 429, retry_after_s: wait_s })
  const failure = bad_days.failureFor(place)
  if (failure && failure.when !== 'after') return fail(reply, entry, failure)
  context.failure = failure

  if (!hasOneHost(request.raw)) throw fault('publicapi.request.malformed', 'There is more than one Host header.')
  checkDoor(parts.gate, request.headers)
  if (!route?.auth) return undefined
  context.caller = callerOf(parts.access, request)
  checkRate(reply, parts.limitFor(context.caller.token))
  enterProject(parts.access, route, request, context)
  return undefined
}

/** Throws where the key is of nobody (any more). */
function callerOf(access: Access, { headers }: HttpRequest): Caller {
  const caller = access.callerOf(headers[api_key_header])
  if (!caller) throw fault('publicapi.auth.invalid', 'X-API-Key is missing, malformed, unknown or revoked.')
  return caller
}

function enterProject(access: Access, route: Route, { headers }: HttpRequest, context: Context): void {
  context.version = access.version()
  if (!route.scoped) return
  const { project, role } = projectOf(access, context.caller, headers[project_header])
  checkRole(role, leastRole(route))
  Object.assign(context, { project, role })
}

/** A body can take minutes to come: a key that was revoked and a role that was lost meanwhile are so here, too. */
function admitAgain(access: Access, route: Route, request: HttpRequest, context: Context): void {
  if (!route.auth || context.version === access.version()) return
  context.caller = callerOf(access, request)
  enterProject(access, route, request, context)
}

function checkRate(reply: HttpReply, wait_s: number | undefined): void {
  if (wait_s === undefined) return
  reply.header('retry-after', String(wait_s))
  throw fault('publicapi.rate.limited', `This key has sent too many requests: again in ${wait_s} s.`)
}

function projectOf(access: Access, caller: Caller, project_id: unknown): ProjectAccess {
  if (!isId('project', project_id)) {
    throw fault('publicapi.tenancy.project.missing', 'X-Project-Id is missing, or not the id of a project.')
  }
  const project = access.projectOf(caller, project_id)
  if (project === undefined) {
    throw fault('publicapi.tenancy.project.not_found', 'There is no such project within reach of this key.')
  }
  return project
}

function checkDoor(gate: Gatekeeper, { host, origin }: HttpRequest['headers']): void {
  if (!gate.isOurHost(host)) {
    throw fault('publicapi.request.malformed', 'The Host header names another host than those of this service.')
  }
  if (gate.mayAsk(origin)) return
  throw fault('publicapi.request.malformed', 'Pages of this Origin may not ask this service.')
}

function fail(reply: HttpReply, entry: RequestEntry, failure: Failure): HttpReply {
  entry.status = failure.drop_connection ? 0 : failure.status
  reply.hijack()
  sendFailure(reply.raw, failure, entry.place)
  return reply
}

function addRoute(app: HttpApp, parts: AppParts, route: (typeof routes)[number]): void {
  const handle = parts.handlers[route.id] as (call: Call<RouteId>) => Answer | Promise<Answer>
  const { media_type } = route as Route
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { route } as object,
    handler: async (request, reply) => {
      const context = (request as Tracked).context_of_call!
      admitAgain(parts.access, route, request, context)
      const { entry, caller, project, role, failure } = context
      const parsed = parseCall(route, request)
      checkLengths(parsed.body, parts.limits)
      const asset_id = (parsed.params as { asset_id?: string } | undefined)?.asset_id
      if (asset_id !== undefined) entry.asset_id = asset_id
      const answer = await handle({ caller, project, role, ...parsed } as Call<RouteId>)
      if (answer.asset_id !== undefined) entry.asset_id = answer.asset_id
      if (failure) {
        await parts.observer.tell('handled', entry)
        return fail(reply, entry, failure)
      }
      reply.code(answer.status)
      if (media_type !== undefined) reply.type(media_type)
      return reply.send(answer.body)
    },
  })
}

/** Whether a path is served at all, whatever the method. */
function pathMatcher(): (path: string) => boolean {
  const patterns = routes.map(({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`))
  return (path) => patterns.some((pattern) => pattern.test(path))
}
