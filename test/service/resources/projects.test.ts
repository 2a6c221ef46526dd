import { expect, test } from 'vitest'
import { type Client, start } from '../fixture.ts'

const missing = 'project_00000000000000000000'

/** The service as a user sees it. */
function asUser(client: Client, email: string): Client {
  client.service.users.create(email)
  return client.as({ token: client.service.tokens.create(`of ${email}`, { user: email }).token })
}

test('D-05 a project is made and replaced; an omitted description is removed', async () => {
  const client = await start()
  const made = await client.post('/v1/projects', { name: 'Finance', description: 'all of it' })
  const { project_id } = made.body
  expect([made.status, made.body]).toEqual([
    201,
    { project_id, name: 'Finance', description: 'all of it', default: false, role: 'owner' },
  ])
  const changed = await client.post(`/v1/projects/${project_id}`, { name: 'Money' })
  expect([changed.status, changed.body]).toEqual([
    200,
    { project_id, name: 'Money', default: false, role: 'owner' },
  ])
  expect((await client.post(`/v1/projects/${project_id}`, { description: 'no name' })).status).toBe(
    400,
  )
  expect((await client.as({ project_id }).get('/v1/assets')).status).toBe(200)
  expect((await client.post(`/v1/projects/${missing}`, { name: 'x' })).body.code).toBe(
    'publicapi.project.not_found',
  )
  expect((await client.post('/v1/projects', { name: '' })).status).toBe(400)
})

test.each(['default', 'hosted'] as const)(
  'D-05 a key for certain projects makes none: the %s profile',
  async (profile) => {
    const client = await start({ profile })
    const other = client.service.projects.create('other').project_id
    const narrow = client.as({
      token: client.service.tokens.create('n', { project_ids: [client.project_id] }).token,
    })
    const refused = await narrow.post('/v1/projects', { name: 'mine' })
    expect([refused.status, refused.body.code]).toEqual([
      400,
      'publicapi.project.create.limited_key',
    ])
    expect(refused.body.humane).toContain('use a key without this limit')
    expect(client.service.projects.list()).toHaveLength(2)
    expect(
      (await narrow.post(`/v1/projects/${client.project_id}`, { name: 'renamed' })).status,
    ).toBe(200)
    expect((await narrow.post(`/v1/projects/${other}`, { name: 'mine' })).status).toBe(404)
    expect((await narrow.get(`/v1/projects/${other}/members`)).status).toBe(404)
  },
)

test('D-05 an unknown user is invited once, and is a user and a member once they accept', async () => {
  const client = await start()
  const path = `/v1/projects/${client.project_id}`
  const invite = (role: string) =>
    client.post(`${path}/invitations`, { email: 'Ada@example.org', role })
  const first = await invite('reader')
  const { invitation_id, created_at, url } = first.body
  expect([first.status, first.body]).toEqual([
    201,
    { invitation_id, email: 'Ada@example.org', role: 'reader', url, created_at },
  ])
  const second = (await invite('collaborator')).body
  expect(second).toEqual({ ...first.body, role: 'collaborator', url: second.url })
  expect((await fetch(url)).status, 'a new link ends the one before').toBe(404)
  expect((await client.get(`${path}/members`)).body).toEqual({ data: [], has_more: false })

  const token = /pat_\w+/.exec(await (await fetch(second.url, { method: 'POST' })).text())![0]
  const ada = client.as({ token })
  const { data } = (await ada.get(`${path}/members`)).body
  expect(data).toEqual([
    {
      user_id: expect.stringMatching(/^user_[a-z0-9]{20}$/),
      email: 'Ada@example.org',
      role: 'collaborator',
      join_method: 'invited',
      added_at: expect.any(String),
    },
  ])
  expect((await client.delete(`${path}/invitations/${invitation_id}`)).body.code).toBe(
    'publicapi.invitation.not_found',
  )
})

test.each(['default', 'hosted'] as const)(
  'D-05 who invites a member gets a link that says so: the %s profile',
  async (profile) => {
    const client = await start({ profile })
    const ada = asUser(client, 'ada@example.org')
    client.service.members.add('ada@example.org', client.project_id, 'reader')
    const path = `/v1/projects/${client.project_id}`
    const invited = await client.post(`${path}/invitations`, {
      email: 'ada@example.org',
      role: 'collaborator',
    })
    const { invitation_id, url, created_at } = invited.body
    expect([invited.status, invited.body]).toEqual([
      201,
      { invitation_id, email: 'ada@example.org', role: 'collaborator', url, created_at },
    ])
    expect(await (await fetch(url)).text()).toContain('<h1>You are a member of tests</h1>')
    expect((await ada.get(`${path}/members`)).body.data).toMatchObject([
      { role: 'collaborator', join_method: 'added' },
    ])
    expect((await client.delete(`${path}/invitations/${invitation_id}`)).status).toBe(204)
    expect((await fetch(url)).status).toBe(404)
    expect((await ada.get('/v1/assets')).status, 'she stays a member').toBe(200)
  },
)

test('D-05 a known user is a member once they accept, and no other user sees the project', async () => {
  const client = await start()
  const ada = asUser(client, 'ada@example.org')
  expect((await ada.get('/v1/projects')).body.data).toEqual([])
  expect((await ada.get('/v1/assets')).body.code).toBe('publicapi.tenancy.project.not_found')
  const path = `/v1/projects/${client.project_id}/invitations`
  const { url } = (await client.post(path, { email: 'ada@example.org', role: 'reader' })).body
  expect((await ada.get('/v1/projects')).body.data).toEqual([])
  expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  expect((await ada.get('/v1/assets')).status).toBe(200)
  expect((await ada.get('/v1/projects')).body.data).toHaveLength(1)
})

test('D-05 a reader reads and asks, a collaborator changes records, an owner changes the project', async () => {
  const client = await start()
  const ada = asUser(client, 'ada@example.org')
  const path = `/v1/projects/${client.project_id}`
  const label = () => ada.post('/v1/labels', { name: 'mine' })
  const rename = () => ada.post(path, { name: 'mine' })
  const seen: unknown[] = []
  client.service.members.add('ada@example.org', client.project_id, 'reader')
  for (const role of ['reader', 'collaborator', 'owner']) {
    await client.post(`${path}/invitations`, { email: 'ada@example.org', role })
    const replies = [
      await ada.get('/v1/labels'),
      await ada.post('/v1/chats', { prompt: 'x' }),
      await label(),
      await rename(),
    ]
    seen.push(replies.map(({ status, body }) => (status === 400 ? body.code : status)))
  }
  const refused = 'publicapi.tenancy.role.insufficient'
  expect(seen).toEqual([
    [200, 202, refused, refused],
    [200, 202, 201, refused],
    [200, 202, 201, 200],
  ])
})

test('D-05 a project keeps an owner', async () => {
  const client = await start()
  const ada = asUser(client, 'ada@example.org')
  const { project_id } = (await ada.post('/v1/projects', { name: 'mine' })).body
  const invite = (email: string, role: string) =>
    ada.post(`/v1/projects/${project_id}/invitations`, { email, role })
  const joined = async () =>
    (await ada.get(`/v1/projects/${project_id}/members`)).body.data.map(
      ({ join_method }: { join_method: string }) => join_method,
    )
  expect(await joined()).toEqual(['created'])
  expect((await invite('ada@example.org', 'reader')).body.code).toBe(
    'publicapi.tenancy.role.last_owner',
  )
  client.service.users.create('bob@example.org')
  const { url } = (await invite('bob@example.org', 'owner')).body
  expect((await invite('ada@example.org', 'reader')).body.code, 'bob has not accepted').toMatch(
    /last_owner/,
  )
  await fetch(url, { method: 'POST' })
  expect(await joined()).toEqual(['created', 'invited'])
  expect((await invite('ada@example.org', 'reader')).status).toBe(201)
  expect((await invite('bob@example.org', 'reader')).body.code).toBe(
    'publicapi.tenancy.role.insufficient',
  )
})

test('D-06 D-07 no other user sees a user’s own records, which look as if they never existed', async () => {
  const client = await start()
  const [ada, bob] = ['ada@example.org', 'bob@example.org'].map((email) =>
    asUser(client, email),
  ) as [Client, Client]
  for (const email of ['ada@example.org', 'bob@example.org']) {
    client.service.members.add(email, client.project_id, 'collaborator')
  }
  const own = { name: 'terms', content: 'x', scope: 'user', category: 'skill' }
  const { skill_id } = (await ada.post('/v1/skills', own)).body
  const memory = (await ada.post('/v1/memories', { content: 'x', category: 'fact', importance: 1 }))
    .body
  expect(memory.scope).toBe('user')
  for (const other of [bob, client]) {
    expect((await other.get(`/v1/skills/${skill_id}`)).body.code).toBe('publicapi.skill.not_found')
    expect((await other.get(`/v1/memories/${memory.memory_id}`)).body.code).toBe(
      'publicapi.memory.not_found',
    )
    expect(JSON.stringify((await other.get('/v1/skills')).body)).not.toContain(skill_id)
    expect((await other.post('/v1/chats', { prompt: 'x', skills: ['terms'] })).status).toBe(400)
  }
  expect((await ada.post('/v1/chats', { prompt: 'x', skills: ['terms'] })).status).toBe(202)
  expect((await bob.post('/v1/skills', own)).status).toBe(201)
})
