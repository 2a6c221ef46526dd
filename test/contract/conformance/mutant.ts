import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Route } from '../../../src/contract/routes/route.ts'
import { type RouteId, routes } from '../../../src/contract/routes/routes.ts'

/** One change to the answers of one call. */
export interface Mutation {
  route: RouteId
  /** `data[].asset_id`; for an answer without fields, the change to the whole answer. */
  field: string
  how: 'drop' | 'rename' | 'answer 200' | 'spoil the text'
}

/** A proxy in front of a real implementation that changes one thing in each answer of one call. */
export interface Mutant {
  url: string
  mutation: Mutation | undefined
  /** Every field that was seen in the successes of each call. */
  readonly fields: Map<RouteId, Set<string>>
  /** How often the mutation changed an answer. */
  changed: number
  close(): Promise<void>
}

export async function startMutant(real_url: string): Promise<Mutant> {
  // Node closes an idle connection after 5 s, and a request that is on its way just then is lost.
  const server = createServer(
    { keepAliveTimeout: 600_000 },
    (incoming, outgoing) => void pass(mutant, real_url, incoming, outgoing),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mutant: Mutant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mutation: undefined,
    fields: new Map(),
    changed: 0,
    close: () => closed(server),
  }
  return mutant
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

async function pass(
  mutant: Mutant,
  real_url: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) {
  const { method = 'GET', url = '/', headers } = incoming
  try {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const sent = Object.entries(headers).filter(([name]) => !of_the_connection.has(name)) as [
      string,
      string,
    ][]
    const body = pieces.length === 0 ? {} : { body: new Uint8Array(Buffer.concat(pieces)) }
    const real = await fetch(real_url + url, { method, headers: sent, ...body })
    const text = await real.text()
    const route = routeOf(method, url)
    const answer =
      route && real.ok ? changedBy(mutant, route, real.status, text) : { status: real.status, text }
    const answered = Object.fromEntries(
      [...real.headers].filter(([name]) => !of_the_connection.has(name)),
    )
    if (answer.status !== real.status) answered['content-type'] = 'application/json'
    outgoing.writeHead(answer.status, answered)
    outgoing.end(answer.text)
  } catch {
    // The caller gets no answer, because the real service gave none.
    outgoing.destroy()
  }
}

const of_the_connection = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
])

function changedBy(
  mutant: Mutant,
  route: Route,
  status: number,
  text: string,
): { status: number; text: string } {
  const id = route.id as RouteId
  const seen = mutant.fields.get(id) ?? new Set<string>()
  mutant.fields.set(id, seen)
  const is_json = text !== '' && route.media_type === undefined
  if (is_json) for (const field of fieldsOf(JSON.parse(text))) seen.add(field)
  if (mutant.mutation?.route !== id) return { status, text }
  const { how, field } = mutant.mutation
  mutant.changed += 1
  if (how === 'answer 200') return { status: 200, text: '{}' }
  if (how === 'spoil the text') return { status, text: text.replaceAll(field, `not_${field}`) }
  const value = JSON.parse(text)
  changeField(value, field.split('.'), how)
  return { status, text: JSON.stringify(value) }
}

/** Paths of all fields of a value; items of a list have one path together. */
function* fieldsOf(value: unknown, at = ''): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* fieldsOf(item, at)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    yield path
    yield* fieldsOf(inner, path)
  }
}

function changeField(value: unknown, [name, ...rest]: string[], how: 'drop' | 'rename'): void {
  if (Array.isArray(value)) for (const item of value) changeField(item, [name!, ...rest], how)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || name === undefined)
    return
  const fields = value as Record<string, unknown>
  if (rest.length > 0) {
    changeField(fields[name], rest, how)
    return
  }
  if (how === 'rename' && name in fields) fields[`${name}_`] = fields[name]
  delete fields[name]
}

function routeOf(method: string, url: string): Route | undefined {
  const path = url.split('?')[0]!
  return (routes as readonly Route[]).find((route) => {
    const pattern = new RegExp(
      `^${route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`,
    )
    return route.method === method && pattern.test(path)
  })
}

export function routeIdOf(call: string): RouteId | undefined {
  const [method = '', url = ''] = call.split(' ')
  return routeOf(method, url)?.id as RouteId | undefined
}
