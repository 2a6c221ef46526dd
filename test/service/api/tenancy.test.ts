import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type IdKind, id_kinds, idPattern } from '../../../src/contract/identifiers.ts'
import type { Role } from '../../../src/contract/messages/messages-projects.ts'
import type { Route } from '../../../src/contract/routes/route.ts'
import { type RouteId, routes } from '../../../src/contract/routes/routes.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { Client, type Reply, temporaryFolder } from '../fixture.ts'

/**
 * Every call about a project is made three times: with the caller's own ids (2xx), with one id of
 * another project, and with an id that never existed. The last two answers must be the same. The
 * calls come from the table of routes.
 */

type KeyedRouteId = Exclude<RouteId, 'description.read'>
type Things = Record<Kind, string>
type Kind = Exclude<IdKind, 'turn'>

/**
 * The call's data besides its path. Each id of the caller's project in the body is swapped, too.
 */
interface Entry {
  body?: (own: Things) => object
  /**
   * The kind that a list contains, whose ids are cursors. A transcript numbers its turns alike in
   * each session.
   */
  lists?: Kind
  /** The status for an id that never existed, by the name of its parameter, where it is not 404. */
  never_is?: Record<string, number>
}

const schedule = { hour: '8', weekday: '1', month_day: '*', timezone: 'Europe/Berlin' }
const skill = () => ({ name: unique('skill'), content: 'x', scope: 'project', category: 'skill' })
const memory = { content: 'x', category: 'fact', importance: 1 }
const action = { name: 'Digest', prompt: 'x', schedule }
const turns = [{ speaker: 1, source: 'mic', text: 'x', start: 0, end: 1 }]
const question = (own: Things) => ({
  prompt: 'x',
  scope: {
    asset_ids: [own.asset],
    label_ids: [own.label],
    chat_ids: [own.chat],
    concept_ids: [own.concept],
    view_ids: [own.view],
    project_ids: [own.project],
  },
})

/** A call that is added to the contract has no types and no test until it is listed here. */
const entries: Record<KeyedRouteId, Entry> = {
  'projects.list': { lists: 'project' },
  'projects.create': { body: () => ({ name: 'another' }) },
  'projects.update': { body: () => ({ name: 'renamed' }) },
  'projects.members': { lists: 'user' },
  'projects.invite': { body: () => ({ email: 'eve@example.org', role: 'reader' }) },
  'projects.uninvite': {},
  'assets.create': { body: () => ({ filename: 'a.txt', mime_type: 'text/plain' }) },
  'assets.list': { lists: 'asset' },
  'assets.read': {},
  'assets.update': { body: () => ({ name: 'renamed' }) },
  'assets.delete': {},
  'assets.complete': {},
  'assets.attach_label': { body: () => ({ label_name: 'attached' }) },
  'assets.detach_label': { never_is: { label_id: 204 } },
  'labels.list': { lists: 'label' },
  'labels.create': { body: () => ({ name: 'made' }) },
  'labels.read': {},
  'labels.update': { body: () => ({ color: '#112233' }) },
  'labels.delete': {},
  'chats.start': { body: question },
  'chats.list': { lists: 'chat' },
  'chats.read': {},
  'chats.update': { body: () => ({ title: 'renamed' }) },
  'chats.delete': {},
  'messages.append': { body: question },
  'messages.list': {},
  'messages.read': {},
  'messages.delete': {},
  'skills.list': { lists: 'skill' },
  'skills.create': { body: skill },
  'skills.read': {},
  'skills.update': { body: () => ({ content: 'y' }) },
  'skills.delete': {},
  'skills.enable': {},
  'skills.disable': {},
  'memories.list': { lists: 'memory' },
  'memories.create': { body: () => memory },
  'memories.read': {},
  'memories.update': { body: () => ({ content: 'y' }) },
  'memories.delete': {},
  'actions.list': { lists: 'action' },
  'actions.create': { body: () => action },
  'actions.read': {},
  'actions.update': { body: () => ({ ...action, prompt: 'y' }) },
  'actions.delete': {},
  'actions.enable': {},
  'actions.disable': {},
  'sessions.list': { lists: 'session' },
  'sessions.create': { body: () => ({ name: 'Weekly', turns }) },
  'sessions.read': {},
  'sessions.update': { body: () => ({ description: 'y' }) },
  'sessions.delete': {},
  'sessions.transcript': {},
}

const keyed_routes = (routes as readonly Route[]).filter(({ auth }) => auth)
const scoped_routes = keyed_routes.filter(({ scoped }) => scoped)
/** Only their user sees records of these kinds. */
const private_kinds: readonly Kind[] = ['skill', 'memory']

const isPrivate = (kind: Kind | undefined) => kind !== undefined && private_kinds.includes(kind)

const neverWas = (kind: string) => `${kind}_${'0'.repeat(20)}`

function allNever(): Things {
  const kinds = id_kinds.filter((kind) => kind !== 'turn')
  return Object.fromEntries(kinds.map((kind) => [kind, neverWas(kind)])) as Things
}

const entryOf = ({ id }: Route): Entry => entries[id as KeyedRouteId]
const paramsOf = ({ path }: Route) =>
  [...path.matchAll(/\{((\w+)_id)\}/g)].map(([, name, kind]) => ({ name, kind }))

/** Makes the call with these ids; `cursor` goes into the query of a list. */
function call(
  client: Client,
  route: Route,
  ids: Things,
  cursor?: [name: string, id: string],
): Promise<Reply> {
  const path = route.path.replace(/\{(\w+)_id\}/g, (_, kind: Kind) => ids[kind])
  const query = cursor ? `?${cursor[0]}=${cursor[1]}` : ''
  const body = entryOf(route).body?.(ids)
  return client.call(route.method, path + query, {
    body,
    headers: route.scoped ? {} : { 'x-project-id': undefined },
  })
}

/** The kinds of ids in the path and body of a call that can belong to another project or user. */
function slotsOf(route: Route, ids: Things): Kind[] {
  const text = JSON.stringify(entryOf(route).body?.(ids) ?? {})
  const in_body = (Object.keys(ids) as Kind[]).filter((kind) => text.includes(ids[kind]))
  return [...new Set([...paramsOf(route).map(({ kind }) => kind as Kind), ...in_body])]
}

/** Both are refused, and the refusals differ in nothing but the id. */
function expectAlike(theirs: Reply, never: Reply, status: number, what: string): void {
  const words = ({ body }: Reply) => JSON.stringify(body).replace(/([a-z]+)_[a-z0-9]{20}/g, '$1_ID')
  expect([theirs.status, words(theirs)], what).toEqual([never.status, words(never)])
  expect(theirs.status, what).toBe(status)
}

/** One service for all tests: each test has two projects of its own. */
let service: Service
/** Reaches every project. */
let both: Client
let ours: string
let theirs: string
let made_so_far = 0

beforeAll(async () => {
  service = await startService({ data_dir: temporaryFolder() })
  both = new Client(service, '', service.tokens.create('both').token)
})
afterAll(() => service.close())

beforeEach(() => {
  ours = service.projects.create('ours').project_id
  theirs = service.projects.create('of others').project_id
})

const inProject = (project_id: string) => both.as({ project_id })

/** A client whose key reaches this project and no other. */
function onlyIn(project_id: string): Client {
  return both.as({
    project_id,
    token: service.tokens.create(unique('key'), { project_ids: [project_id] }).token,
  })
}

function unique(word: string): string {
  return `${word} ${++made_so_far}`
}

function uniqueEmail(): string {
  return `${++made_so_far}@example.org`
}

/** A user with a role in our project, and their key. */
function member(role: Role): Client {
  const email = uniqueEmail()
  service.users.create(email)
  service.members.add(email, ours, role)
  return both.as({
    project_id: ours,
    token: service.tokens.create(unique('key'), { user: email }).token,
  })
}

/** Makes a thing of each kind in the project of this client. */
const makers: Record<Kind, (client: Client, so_far: Things) => string | Promise<string>> = {
  project: ({ project_id }) => project_id,
  asset: (client) => client.upload(unique('text')),
  chat: async (client) => (await client.post('/v1/chats', { prompt: 'x' })).body.chat_id,
  message: async (client, { chat }) =>
    (await client.post(`/v1/chats/${chat}/messages`, { prompt: 'x' })).body.message_id,
  label: async (client) =>
    (await client.post('/v1/labels', { name: unique('label') })).body.label_id,
  async user(client) {
    const email = uniqueEmail()
    const { user_id } = service.users.create(email)
    service.members.add(email, client.project_id, 'reader')
    return user_id
  },
  async invitation(client) {
    const guest = { email: uniqueEmail(), role: 'reader' }
    return (await client.post(`/v1/projects/${client.project_id}/invitations`, guest)).body
      .invitation_id
  },
  skill: async (client) => (await client.post('/v1/skills', skill())).body.skill_id,
  memory: async (client) => (await client.post('/v1/memories', memory)).body.memory_id,
  action: async (client) => (await client.post('/v1/actions', action)).body.action_id,
  session: async (client) =>
    (await client.post('/v1/sessions', { name: 'Weekly', turns })).body.session_id,
  concept: ({ project_id }, { asset }) =>
    service.concepts.create(unique('concept'), { project_id, asset_ids: [asset] }).concept_id,
  view: ({ project_id }) =>
    service.views.create(unique('view'), { project_id, name_pattern: '*' }).view_id,
}

/**
 * The things that a call needs, in the project of this client, and ids that never existed for all
 * other kinds.
 */
async function makeThings(client: Client, route: Route): Promise<Things> {
  const things = allNever()
  const needed: (Kind | undefined)[] = [...slotsOf(route, things), entryOf(route).lists]
  for (const kind of Object.keys(makers) as Kind[]) {
    if (needed.includes(kind)) things[kind] = await makers[kind](client, things)
    expect(things[kind]).toMatch(idPattern(kind))
  }
  return things
}

test('the table of this test has every call with a key, and no other', () => {
  expect(Object.keys(entries).sort()).toEqual(keyed_routes.map(({ id }) => id).sort())
  const lists = keyed_routes.filter((route) => entryOf(route).lists !== undefined)
  const paged = keyed_routes.filter(({ query, id }) => query && id !== 'sessions.transcript')
  expect(lists.map(({ id }) => id)).toEqual(paged.map(({ id }) => id))
})

const named = (some: readonly Route[]) => some.map((route) => [route.id, route] as const)

describe('A-09 an id of another project gets the same answer as one that never existed', () => {
  test.each(named(keyed_routes))('%s', async (_id, route) => {
    // The wider key is the harder case: only the header keeps the projects apart. For a project
    // itself, a narrow key is used.
    const narrow = onlyIn(ours)
    const [own, foreign] = [
      await makeThings(inProject(ours), route),
      await makeThings(inProject(theirs), route),
    ]
    const slots = slotsOf(route, own)
    for (const kind of slots) {
      const client = kind === 'project' ? narrow : inProject(ours)
      const status = entryOf(route).never_is?.[`${kind}_id`] ?? 404
      const swapped = await call(client, route, { ...own, [kind]: foreign[kind] })
      const never = await call(client, route, { ...own, [kind]: neverWas(kind) })
      expectAlike(swapped, never, status, `${route.id} with the ${kind} of others`)
    }
    const { lists } = entryOf(route)
    for (const name of lists === undefined ? [] : ['after_id', 'before_id']) {
      const client = lists === 'project' ? narrow : inProject(ours)
      const swapped = await call(client, route, own, [name, foreign[lists!]])
      const never = await call(client, route, own, [name, neverWas(lists!)])
      expectAlike(swapped, never, 400, `${route.id} from a cursor of others`)
      expect((await call(client, route, own, [name, own[lists!]])).status).toBe(200)
    }
    // Each call works with the caller's own ids, and has touched nothing of the others.
    for (const [project_id, ids] of [[ours, own] as const, [theirs, foreign] as const]) {
      const done = await call(inProject(project_id), route, ids)
      expect(done.status, JSON.stringify(done.body)).toBeLessThan(300)
    }
  })
})

describe('A-08 A-09 ids are unknown in another project, and a project out of reach looks as if it never existed', () => {
  test.each(named(scoped_routes))('%s', async (_id, route) => {
    const own = await makeThings(inProject(ours), route)
    if (slotsOf(route, own).length > 0) {
      const elsewhere = inProject(theirs)
      expectAlike(
        await call(elsewhere, route, own),
        await call(elsewhere, route, allNever()),
        404,
        route.id,
      )
    } else {
      const answer = await call(inProject(theirs), route, own)
      expect(answer.status).toBeLessThan(300)
      for (const [kind, id] of Object.entries(own))
        if (id !== neverWas(kind)) expect(JSON.stringify(answer.body)).not.toContain(id)
    }
    const stranger = onlyIn(theirs)
    const beyond = await call(stranger.as({ project_id: ours }), route, own)
    const nowhere = await call(stranger.as({ project_id: neverWas('project') }), route, own)
    expectAlike(beyond, nowhere, 404, route.id)
    expect(beyond.body.code).toBe('publicapi.tenancy.project.not_found')
    const done = await call(inProject(ours), route, own)
    expect(done.status, JSON.stringify(done.body)).toBeLessThan(300)
  })
})

describe('D-06 D-07 a user’s own records do not exist for any other user', () => {
  const about_private = keyed_routes.filter(
    (route) => slotsOf(route, allNever()).some(isPrivate) || isPrivate(entryOf(route).lists),
  )

  test.each(named(about_private))('%s', async (_id, route) => {
    const [ada, bob] = [member('collaborator'), member('collaborator')]
    const own = {
      ...allNever(),
      skill: (await ada.post('/v1/skills', { ...skill(), scope: 'user' })).body.skill_id as string,
      memory: (await ada.post('/v1/memories', memory)).body.memory_id as string,
    }
    const { lists } = entryOf(route)
    // A key without a user reaches the whole project, but no user's own records.
    for (const other of [bob, inProject(ours)]) {
      if (lists === undefined) {
        expectAlike(
          await call(other, route, own),
          await call(other, route, allNever()),
          404,
          route.id,
        )
        continue
      }
      expect(JSON.stringify((await call(other, route, own)).body)).not.toContain(own[lists])
      const swapped = await call(other, route, own, ['after_id', own[lists]])
      expectAlike(
        swapped,
        await call(other, route, own, ['after_id', neverWas(lists)]),
        400,
        route.id,
      )
    }
    const done = await call(ada, route, own)
    expect(done.status, JSON.stringify(done.body)).toBeLessThan(300)
    if (lists !== undefined) expect(JSON.stringify(done.body)).toContain(own[lists])
  })
})
