import { expect, test } from 'vitest'
import { realWait } from '../../rig/waiting.ts'
import { start } from '../fixture.ts'

const missing = 'asset_00000000000000000000'

test('A-02 the description is at /v1/openapi.yaml, without a key, version 1.0.0', async () => {
  const client = await start()
  const reply = await client.get('/v1/openapi.yaml', {
    headers: { 'x-api-key': undefined, 'x-project-id': undefined },
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toContain('application/yaml')
  expect(reply.body).toContain('version: "1.0.0"')
})

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['malformed', 'pat_short'],
  ['of another form', `Bearer pat_${'a'.repeat(32)}`],
  ['unknown', `pat_${'a'.repeat(32)}`],
])('A-04 a key that is %s is a 401', async (_what, key) => {
  const client = await start()
  const reply = await client.get('/v1/assets', { headers: { 'x-api-key': key } })
  expect([reply.status, reply.body.code]).toEqual([401, 'publicapi.auth.invalid'])
})

test('A-04 a key that was revoked is a 401, at once', async () => {
  const client = await start()
  expect((await client.get('/v1/assets')).status).toBe(200)
  client.service.tokens.revoke(client.service.tokens.list()[0]!.name)
  const reply = await client.get('/v1/assets')
  expect([reply.status, reply.body.code]).toEqual([401, 'publicapi.auth.invalid'])
})

test.each([
  ['missing', undefined],
  ['malformed', 'project_short'],
  ['of another kind', missing],
])('A-05 a project id that is %s is a 400', async (_what, project_id) => {
  const client = await start()
  const reply = await client.get('/v1/assets', { headers: { 'x-project-id': project_id } })
  expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.tenancy.project.missing'])
})

test('A-06 the tenant comes from the project alone: no other header or field changes it', async () => {
  const client = await start()
  const headers = { 'x-organization-id': 'other', 'x-workspace-id': 'other' }
  expect((await client.get('/v1/assets', { headers })).status).toBe(200)
  const body = { filename: 'a', mime_type: 'text/plain', workspace_id: 'other' }
  expect((await client.post('/v1/assets', body)).status).toBe(400)
})

test('A-07 projects are listed with the key alone', async () => {
  const client = await start()
  const reply = await client.get('/v1/projects', { headers: { 'x-project-id': undefined } })
  expect(reply.status).toBe(200)
  expect(reply.body.data).toHaveLength(1)
})

test('A-08 the key is checked before the project, the project before the body', async () => {
  const client = await start()
  const raw = '{"not json'
  const json = { 'content-type': 'application/json' }
  const both = { raw, headers: { ...json, 'x-api-key': 'wrong', 'x-project-id': 'wrong' } }
  expect((await client.call('POST', '/v1/assets', both)).body.code).toBe('publicapi.auth.invalid')
  const project = { raw, headers: { ...json, 'x-project-id': 'wrong' } }
  expect((await client.call('POST', '/v1/assets', project)).body.code).toBe(
    'publicapi.tenancy.project.missing',
  )
  expect((await client.call('POST', '/v1/assets', { raw, headers: json })).body.code).toBe(
    'publicapi.body.invalid',
  )
})

test('A-08 a project out of reach is a 404, whether it exists or not', async () => {
  const client = await start()
  const other = client.service.projects.create('other').project_id
  const { token } = client.service.tokens.create('one project', {
    project_ids: [client.project_id],
  })
  const narrow = client.as({ token })
  expect((await narrow.get('/v1/assets')).status).toBe(200)
  const beyond = await narrow.as({ project_id: other }).get('/v1/assets')
  const nowhere = await narrow.as({ project_id: 'project_00000000000000000000' }).get('/v1/assets')
  expect([beyond.status, beyond.body.code]).toEqual([404, 'publicapi.tenancy.project.not_found'])
  expect(beyond.body).toEqual(nowhere.body)
  expect((await client.as({ project_id: other }).get('/v1/assets')).status).toBe(200)
})

test('A-09 a record of another project gets the same answer as one that never existed', async () => {
  const client = await start()
  const other = client.as({ project_id: client.service.projects.create('other').project_id })
  const asset_id = await client.upload('of the first project')
  const { chat_id, message_id } = await client.ask('first')
  const { label_id } = (await client.post('/v1/labels', { name: 'first' })).body
  const never = '00000000000000000000'
  const same = async (method: string, path: (id: string) => string, id: string, body?: unknown) => {
    const [theirs, nobody] = [id, id.replace(/_.*/, `_${never}`)]
    const seen = await other.call(method, path(theirs), { body })
    const unseen = await other.call(method, path(nobody), { body })
    expect(seen.status, path(id)).toBe(404)
    expect(JSON.stringify(seen.body).replaceAll(theirs, nobody)).toBe(JSON.stringify(unseen.body))
  }
  await same('GET', (id) => `/v1/assets/${id}`, asset_id)
  await same('POST', (id) => `/v1/assets/${id}`, asset_id, { name: 'mine now' })
  await same('POST', (id) => `/v1/assets/${id}/complete`, asset_id)
  await same('POST', (id) => `/v1/assets/${id}/labels`, asset_id, { label_name: 'mine' })
  await same('DELETE', (id) => `/v1/assets/${id}/labels/${label_id}`, asset_id)
  await same('DELETE', (id) => `/v1/assets/${id}`, asset_id)
  await same('GET', (id) => `/v1/chats/${id}`, chat_id)
  await same('GET', (id) => `/v1/chats/${id}/messages`, chat_id)
  await same('GET', (id) => `/v1/chats/${id}/messages/${message_id}`, chat_id)
  await same('POST', (id) => `/v1/chats/${id}/messages`, chat_id, { prompt: 'mine' })
  await same('DELETE', (id) => `/v1/chats/${id}`, chat_id)
  await same('GET', (id) => `/v1/labels/${id}`, label_id)
  await same('DELETE', (id) => `/v1/labels/${id}`, label_id)
  expect((await other.get('/v1/assets')).body.data).toEqual([])
  expect((await other.get('/v1/chats')).body.data).toEqual([])
  expect((await other.get('/v1/labels')).body.data).toEqual([])
  expect((await client.get(`/v1/assets/${asset_id}`)).status).toBe(200)
})

test('A-10 ids are a kind and 20 lower-case letters or digits', async () => {
  const client = await start()
  const { chat_id, message_id } = await client.ask('hello')
  expect(client.project_id).toMatch(/^project_[a-z0-9]{20}$/)
  expect((await client.slot()).asset_id).toMatch(/^asset_[a-z0-9]{20}$/)
  expect(chat_id).toMatch(/^chat_[a-z0-9]{20}$/)
  expect(message_id).toMatch(/^message_[a-z0-9]{20}$/)
  expect((await client.post('/v1/labels', { name: 'one' })).body.label_id).toMatch(
    /^label_[a-z0-9]{20}$/,
  )
})

test('A-11 ids sort by the time of making', async () => {
  const client = await start()
  const ids: string[] = []
  for (let made = 0; made < 5; made++) {
    ids.push((await client.slot()).asset_id)
    await realWait('the next millisecond', 2)
  }
  expect([...ids].sort()).toEqual(ids)
})

test.each([
  ['GET', '/v1/assets/asset_SHOUTED0000000000000', undefined],
  ['GET', '/v1/assets/chat_00000000000000000000', undefined],
  ['POST', '/v1/chats/nonsense/messages', { prompt: 'x' }],
  ['DELETE', `/v1/assets/${missing}/labels/nonsense`, undefined],
  ['POST', '/v1/chats', { prompt: 'x', scope: { asset_ids: ['nonsense'] } }],
])('A-11 a malformed id is a 400: %s %s', async (method, path, body) => {
  const client = await start()
  expect((await client.call(method, path, { body })).status).toBe(400)
})

test('A-12 times are ISO 8601, UTC', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  const { chat_id } = await client.ask('text')
  const times = [
    (await client.get(`/v1/assets/${asset_id}`)).body.created_at,
    (await client.get(`/v1/chats/${chat_id}`)).body.modified_at,
    (await client.post('/v1/assets', { filename: 'a', mime_type: 'text/plain' })).body.expires_at,
  ]
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('A-13 an unknown field is a 400 that names it', async () => {
  const client = await start()
  const reply = await client.post('/v1/assets', {
    filename: 'a',
    mime_type: 'text/plain',
    mime: 'x',
  })
  expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.body.invalid'])
  expect(reply.body.humane).toContain('"mime"')
  expect(
    (await client.post('/v1/chats', { prompt: 'x', scope: { workspace_ids: [] } })).status,
  ).toBe(400)
  expect((await client.get('/v1/assets?order=asc')).body.code).toBe('publicapi.query.invalid')
})

test.each([
  '',
  'null',
  '[]',
  '"text"',
  '{"filename":',
  '{"filename":"a"}',
  '{"filename":"","mime_type":"text/plain"}',
])('A-13 a body that does not fit is a 400: %s', async (raw) => {
  const client = await start()
  const reply = await client.call('POST', '/v1/assets', {
    raw,
    headers: { 'content-type': 'application/json' },
  })
  expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.body.invalid'])
})

test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
  'A-15 an empty body of type %s counts as no body',
  async (type) => {
    const client = await start()
    const asset_id = await client.upload('text')
    const options = { headers: { 'content-type': type } }
    expect((await client.call('POST', `/v1/assets/${asset_id}/complete`, options)).status).toBe(200)
    expect((await client.call('DELETE', `/v1/assets/${asset_id}`, options)).status).toBe(204)
  },
)

test('A-16 a preflight is answered without a key, and answers carry the CORS headers', async () => {
  const client = await start()
  const preflight = await fetch(`${client.service.api}/v1/assets/${missing}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'x-api-key,x-project-id,content-type',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE')
  expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
    'x-api-key',
  )
  const bare = await fetch(`${client.service.api}/v1/assets`, { method: 'OPTIONS' })
  expect(bare.status).toBe(204)
  const answer = await client.get('/v1/assets', { headers: { origin: 'https://app.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const refused = await client.get('/v1/assets', {
    headers: { origin: 'https://app.example', 'x-api-key': 'no' },
  })
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
})

test('A-17 updates are POST and answer 200, never PATCH or PUT; creates answer 201, deletes 204', async () => {
  const client = await start()
  const created = await client.post('/v1/labels', { name: 'one' })
  const path = `/v1/labels/${created.body.label_id}`
  expect(created.status).toBe(201)
  expect((await client.post(path, { name: 'two' })).status).toBe(200)
  for (const method of ['PATCH', 'PUT'])
    expect((await client.call(method, path, { body: {} })).status).toBe(404)
  expect((await client.delete(path)).status).toBe(204)
  expect((await client.delete(path)).status).toBe(404)
})

test('A-18 no path of the interface is about tokens, and no answer shows one', async () => {
  const client = await start()
  for (const path of ['/v1/tokens', '/v1/keys', '/v1/auth', '/v1/me']) {
    for (const method of ['GET', 'POST']) expect((await client.call(method, path)).status).toBe(404)
  }
  const answers = await Promise.all(
    ['/v1/projects', '/v1/assets', '/v1/chats', '/v1/openapi.yaml'].map((path) => client.get(path)),
  )
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(client.token)
})
