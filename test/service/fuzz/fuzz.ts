import fc from 'fast-check'
import type { Route } from '../../../src/contract/routes/route.ts'
import { routes } from '../../../src/contract/routes/routes.ts'
import { describeInterface } from '../../../src/service/api/openapi.ts'
import { checkOwnAnswer } from '../described-answers.ts'
import { start } from '../fixture.ts'
import { fitting, mutated } from './fuzz-values.ts'
import { FuzzWorld, type Sent, send } from './fuzz-world.ts'

/** The purpose of a request. Most requests are meant to reach the work itself. */
const intents = [
  'right',
  'odd body or query',
  'unknown thing',
  'right',
  'odd body or query',
  'right',
  'odd envelope',
  'right',
  'malformed id',
] as const

type Intent = (typeof intents)[number]

export interface FuzzResult {
  seed: number
  sent: number
  /** How often each status came, for each route. */
  statuses: Map<string, Map<number, number>>
  /** Requests that key, project and JSON allow. */
  past_the_door: number
  /** Answers of 500 and more, as the service counted them. */
  failures: number
  /** The lines that the service logged. */
  log: string[]
  /** Answers that differ from the description of the service. */
  unlike_described: string[]
}

const unknown_tail = '00000000000000000000'

/**
 * Sends requests made from the description to a service of its own, round by round over all routes.
 */
export async function fuzz(count: number, seed: number): Promise<FuzzResult> {
  const log: string[] = []
  const client = await start({
    log: (line) => log.push(line),
    max_logged_requests: count * 3 + 10_000,
  })
  const world = new FuzzWorld(client)
  const statuses = new Map<string, Map<number, number>>(
    routes.map(({ id }) => [id, new Map<number, number>()]),
  )
  const unlike_described: string[] = []
  let past_the_door = 0

  for (let at = 0; at < count; at++) {
    const route: Route = routes[at % routes.length]!
    const intent = intents[Math.floor(at / routes.length) % intents.length]!
    const { sent, params, stops_at_door } = await requestFor(world, route, intent, seed + at)
    const { status, type, text } = await send(client.service.api, sent)
    const faults = checkOwnAnswer({ method: sent.method, url: sent.path, status, type, body: text })
    unlike_described.push(
      ...faults.map((fault) => `${fault}, after ${JSON.stringify(sent).slice(0, 1_000)}`),
    )
    const of_route = statuses.get(route.id)!
    of_route.set(status, (of_route.get(status) ?? 0) + 1)
    if (!stops_at_door && status !== 401) past_the_door += 1
    const body = type.includes('json') ? JSON.parse(text) : undefined
    if (sent.method === route.method) world.learn(route.id, params, status, body)
  }
  const failures = client.service.requestLog.filter(({ status }) => status >= 500).length
  return { seed, sent: count, statuses, past_the_door, failures, log, unlike_described }
}

interface Planned {
  sent: Sent
  params: Record<string, string>
  /** The request is meant to be refused before its subject matters. */
  stops_at_door: boolean
}

async function requestFor(
  world: FuzzWorld,
  route: Route,
  intent: Intent,
  seed: number,
): Promise<Planned> {
  const pick = <Value>(arbitrary: fc.Arbitrary<Value>): Value =>
    fc.sample(arbitrary, { seed, numRuns: 1 })[0]!
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const params = await world.idsFor(names, route.id, seed)
  const headers: Record<string, string> = {}
  if (route.auth) headers['x-api-key'] = world.client.token
  if (route.scoped) headers['x-project-id'] = world.client.project_id
  const sent: Sent = { method: route.method, path: '', headers }
  let stops_at_door = false

  if (intent === 'malformed id' && names.length > 0) params[names.at(-1)!] = pick(odd_ids)
  if (intent === 'unknown thing') {
    const name = names.find((candidate) => !candidate.startsWith('label_') || names.length === 1)
    if (name) params[name] = `${name.replace(/_id$/, '')}_${unknown_tail}`
    else {
      stops_at_door = true
      if (route.scoped) headers['x-project-id'] = `project_${unknown_tail}`
      else sent.method = 'PUT'
    }
  }
  // A route without an id gets in this round what is refused for certain: an odd value may be right.
  const wrong = intent === 'malformed id' && names.length === 0
  const odd = intent === 'odd body or query' || wrong
  const odd_query = wrong ? wrong_queries : odd_queries
  const query = route.query ? pick(odd ? odd_query : rightQuery(world, route, seed)) : ''
  sent.path = route.path.replace(/\{(\w+)\}/g, (_, name) => params[name]!) + query
  if (route.request) {
    headers['content-type'] = 'application/json'
    const fits = bodyOf(world, route, seed)
    // The description cannot say every rule, and a body is judged before what it is about.
    const isTaken = (body: unknown) => route.request!.safeParse(body).success
    const right = intent === 'unknown thing' ? fits.filter(isTaken) : fits
    const odd_body = wrong ? wrong_bodies : mutated(right)
    const text = JSON.stringify(pick(odd ? odd_body : right))
    if (text !== undefined) sent.body = text
  }
  if (intent === 'odd envelope') {
    stops_at_door = true
    pick(fc.constantFrom(...odd_envelopes))(sent)
  }
  // Only its Host can be odd.
  if (odd && !route.auth) {
    stops_at_door = true
    headers.host = 'evil.example'
  }
  return { sent, params, stops_at_door }
}

const odd_ids = fc.constantFrom(
  'nonsense',
  'asset_',
  '%20',
  '%00',
  '..%2f..',
  `Asset_${unknown_tail}`,
  'x'.repeat(90),
  '%F0%9F%92%A9',
)

const odd_queries = fc.constantFrom(
  '?limit=0',
  '?limit=101',
  '?limit=x',
  '?limit=1&limit=2',
  '?after_id=nonsense',
  '?after_id=%00',
  '?order=asc',
  '?limit=%31%30%31',
  '?__proto__=1',
  '?after_id[]=1',
)

const wrong_queries = fc.constantFrom('?limit=0', '?limit=101', '?limit=x')

const wrong_bodies = fc.constantFrom<unknown>([], null, 7, 'text')

const odd_envelopes: ((sent: Sent) => void)[] = [
  (sent) => delete sent.headers['x-api-key'],
  (sent) => {
    sent.headers['x-api-key'] = `pat_${'0'.repeat(32)}`
  },
  (sent) => delete sent.headers['x-project-id'],
  (sent) => {
    sent.headers['x-project-id'] = 'project_x'
  },
  (sent) =>
    Object.assign(sent, {
      body: '{"a',
      headers: { ...sent.headers, 'content-type': 'application/json' },
    }),
  (sent) =>
    Object.assign(sent, {
      body: 'hello',
      headers: { ...sent.headers, 'content-type': 'text/plain' },
    }),
  (sent) => {
    sent.headers.host = 'evil.example'
  },
]

function rightQuery(world: FuzzWorld, route: Route, seed: number): fc.Arbitrary<string> {
  const kind =
    { projects: 'project', memories: 'memory' }[route.id.split('.')[0]!] ??
    route.id.split('.')[0]!.slice(0, -1)
  const cursor =
    route.id === 'projects.members' || route.id === 'sessions.transcript'
      ? undefined
      : world.any(kind, seed)
  return fc
    .tuple(
      fc.option(fc.integer({ min: 1, max: 100 })),
      fc.constantFrom('', 'after_id', 'before_id'),
    )
    .map(([limit, which]) => {
      const parts = [
        ...(limit === null ? [] : [`limit=${limit}`]),
        ...(which === '' || cursor === undefined ? [] : [`${which}=${cursor}`]),
      ]
      return parts.length === 0 ? '' : `?${parts.join('&')}`
    })
}

// biome-ignore lint/suspicious/noExplicitAny: the document is what the bodies are made from
const description = describeInterface(routes, 'http://127.0.0.1') as any

function bodyOf(world: FuzzWorld, route: Route, seed: number): fc.Arbitrary<unknown> {
  const { schema } =
    description.paths[route.path][route.method.toLowerCase()].requestBody.content[
      'application/json'
    ]
  const pickId = (kind: string) => {
    if (kind === 'project') return world.client.project_id
    return kind === 'concept' || kind === 'view' ? undefined : world.any(kind, seed)
  }
  const fits = fitting(schema, description.components.schemas, pickId)
  return fits.map((body) => withinReach(body as Body))
}

// biome-ignore lint/suspicious/noExplicitAny: what was made from a schema
type Body = any

/**
 * Skills have random names, and ids can be of kinds without things. Both lead nowhere, so they are
 * mostly left out.
 */
function withinReach(body: Body): Body {
  if (!('prompt' in body)) return body
  const { skills: _, scope, ...rest } = body
  if (scope === undefined) return rest
  const { concept_ids: _c, view_ids: _v, ...reachable } = scope
  const known = Object.entries(reachable).filter(
    ([, ids]) => !JSON.stringify(ids).includes('4f7k2m9q0x3c8v1b6n5z'),
  )
  return { ...rest, scope: Object.fromEntries(known) }
}

/** One line for each route: how often each status came. */
export function distribution({
  statuses,
  sent,
  past_the_door,
  failures,
  seed,
}: FuzzResult): string {
  const lines = [...statuses].map(([id, counts]) => {
    const each = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
    return `  ${id.padEnd(24)} ${each.join('  ')}`
  })
  const share = Math.round((past_the_door / sent) * 100)
  return [
    `fuzz, seed ${seed}: ${sent} requests, ${share} % past the door, ${failures} failures`,
    ...lines,
  ].join('\n')
}
