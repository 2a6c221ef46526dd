import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Client, start } from '../fixture.ts'

interface List {
  path: string
  id: string
  make: (client: Client, name: string) => Promise<string>
  remove: (client: Client, id: string) => Promise<void>
}

function listOf(group: string, id: string, bodyOf: (name: string) => object): List {
  const path = `/v1/${group}`
  return {
    path,
    id,
    async make(client, name) {
      const reply = await client.post(path, bodyOf(name))
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
      return reply.body[id]
    },
    async remove(client, item) {
      expect((await client.delete(`${path}/${item}`)).status).toBe(204)
    },
  }
}

const lists: List[] = [
  listOf('assets', 'asset_id', (filename) => ({ filename, mime_type: 'text/plain' })),
  listOf('chats', 'chat_id', (prompt) => ({ prompt })),
  listOf('labels', 'label_id', (name) => ({ name })),
  listOf('skills', 'skill_id', (name) => ({
    name,
    content: 'x',
    scope: 'project',
    category: 'skill',
  })),
  listOf('memories', 'memory_id', (content) => ({ content, category: 'fact', importance: 1 })),
  listOf('actions', 'action_id', (name) => ({
    name,
    prompt: 'x',
    trigger: { kind: 'asset_ready' },
  })),
  listOf('sessions', 'session_id', (name) => ({ name })),
]

/** A change between two pages: an item is made, or the n-th of the existing ones is removed. */
const changes = fc.array(
  fc.oneof(fc.constant('insert' as const), fc.record({ remove: fc.nat({ max: 50 }) })),
  {
    maxLength: 3,
  },
)
const walks = fc.record({
  count: fc.nat({ max: 8 }),
  limit: fc.integer({ min: 1, max: 4 }),
  rounds: fc.array(changes, { maxLength: 6 }),
})

const cases = (['default', 'hosted'] as const).flatMap((profile) =>
  lists.map((list) => [list.path, profile, list] as const),
)

test.each(cases)(
  'A-28 A-30 %s (%s): a walk sees each lasting item exactly once, whatever is made and removed meanwhile',
  async (_path, profile, { path, id, make, remove }) => {
    const client = await start({ profile })
    let named = 0
    // Names are spread over the alphabet, so that new ones fall before and behind the cursor of a
    // list by name.
    const name = () => `${String.fromCharCode(97 + ((named * 7) % 26))} ${named++}`
    const runs = fc.asyncProperty(walks, async ({ count, limit, rounds }) => {
      const standing = new Set<string>()
      for (let at = 0; at < count; at++) standing.add(await make(client, name()))
      const throughout = new Set(standing)
      const seen: string[] = []
      let cursor = ''
      for (let page = 0; ; page++) {
        const { body } = await client.get(`${path}?limit=${limit}${cursor}`)
        seen.push(...body.data.map((item: Record<string, string>) => item[id]))
        if (!body.has_more) break
        cursor = `&after_id=${body.last_id}`
        for (const change of rounds[page] ?? []) {
          if (change === 'insert') {
            standing.add(await make(client, name()))
            continue
          }
          const victim = [...standing][change.remove % Math.max(1, standing.size)]
          if (victim === undefined) continue
          await remove(client, victim)
          standing.delete(victim)
          throughout.delete(victim)
        }
      }
      expect(new Set(seen).size, 'seen twice').toBe(seen.length)
      for (const item of throughout) expect(seen).toContain(item)
      for (const item of standing) await remove(client, item)
    })
    await fc.assert(runs, { numRuns: 12 })
  },
)

test('A-28 members, projects and turns: a walk sees each once while others are added', async () => {
  const client = await start()
  const { service, project_id } = client
  const owner = client.as({ token: service.tokens.create('owner').token })
  const walked = async (
    path: string,
    id: string,
    between: () => Promise<unknown>,
  ): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await owner.get(`${path}?limit=2${cursor}`)
      seen.push(...body.data.map((item: Record<string, string>) => item[id]))
      if (!body.has_more) return seen
      cursor = `&after_id=${body.last_id}`
      if (seen.length < 8) await between()
    }
  }
  const add = (at: number) => {
    service.users.create(`user${at}@example.org`)
    service.members.add(`user${at}@example.org`, project_id, 'reader')
  }
  for (let at = 0; at < 5; at++) {
    add(at)
    await owner.post('/v1/projects', { name: `project ${at}` })
  }
  let next = 5
  const members = await walked(`/v1/projects/${project_id}/members`, 'user_id', async () =>
    add(next++),
  )
  expect(new Set(members).size).toBe(members.length)
  expect(members.length).toBeGreaterThanOrEqual(5)
  const before = (await owner.get('/v1/projects?limit=100')).body.data.map(
    (item: { project_id: string }) => item.project_id,
  )
  const projects = await walked('/v1/projects', 'project_id', () =>
    owner.post('/v1/projects', { name: 'one more' }),
  )
  expect(projects).toEqual(before)
  const turns = [...'abcdefg'].map((text, at) => ({
    speaker: 1,
    source: 'mic',
    text,
    start: at,
    end: at,
  }))
  const { session_id } = (await owner.post('/v1/sessions', { name: 'Weekly', turns })).body
  const said = await walked(`/v1/sessions/${session_id}/transcript`, 'text', async () => undefined)
  expect(said.join('')).toBe('abcdefg')
})

test('A-28 a page of members can start after one who was removed, in each of their projects', async () => {
  const client = await start()
  const emails = ['ada', 'bob', 'cy', 'dan'].map((name) => `${name}@example.org`)
  const { project_id: other } = (await client.post('/v1/projects', { name: 'other' })).body
  const ids = [client.project_id, other]
  const paths = ids.map((id) => `/v1/projects/${id}`)
  for (const email of emails) {
    client.service.users.create(email)
    for (const id of ids) client.service.members.add(email, id, 'reader')
  }
  const pageOf = async (path: string, cursor: string) =>
    (await client.get(`${path}/members?limit=2${cursor}`)).body
  const { last_id } = await pageOf(paths[0]!, '')
  client.service.users.remove('bob@example.org')
  for (const path of paths) {
    const { data } = await pageOf(path, `&after_id=${last_id}`)
    expect(data.map(({ email }: { email: string }) => email)).toEqual([
      'cy@example.org',
      'dan@example.org',
    ])
  }
})
