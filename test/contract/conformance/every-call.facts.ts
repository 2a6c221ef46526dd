import { expect } from 'vitest'
import { parse } from 'yaml'
import { fact, freshWord, refused } from './api.ts'

const nowhere = 'asset_00000000000000000000'

export const facts_of_every_call = [
  fact('A-02 the description is at /v1/openapi.yaml, without a key, version 1.0.0', async (api) => {
    const reply = await api.get('/v1/openapi.yaml', {
      headers: { 'x-api-key': undefined, 'x-project-id': undefined },
    })
    const document = parse(reply.body)
    expect([reply.status, document.openapi.slice(0, 3), document.info.version]).toEqual([
      200,
      '3.1',
      '1.0.0',
    ])
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/v1\//)
  }),

  fact('A-04 without a key that is right: 401 publicapi.auth.invalid', async (api) => {
    for (const key of [undefined, 'nonsense', `pat_${'0'.repeat(32)}`, `pat_${'0'.repeat(31)}`]) {
      const options = { headers: { 'x-api-key': key } }
      expect(await refused(api.get('/v1/assets', options))).toEqual([401, 'publicapi.auth.invalid'])
      expect(await refused(api.get('/v1/projects', options))).toEqual([
        401,
        'publicapi.auth.invalid',
      ])
    }
  }),

  fact('A-05 without a project: 400 publicapi.tenancy.project.missing', async (api) => {
    for (const project of [undefined, 'nonsense', 'project_SHOUTED000000000000']) {
      const options = { headers: { 'x-project-id': project } }
      expect(await refused(api.get('/v1/assets', options))).toEqual([
        400,
        'publicapi.tenancy.project.missing',
      ])
    }
  }),

  fact('A-07 projects are asked for with the key alone', async (api) => {
    expect((await api.get('/v1/projects', { headers: { 'x-project-id': undefined } })).status).toBe(
      200,
    )
  }),

  fact('A-08 the key is checked before the project, the project before the body', async (api) => {
    const body = { nobody: 'knows' }
    const wrong_key = { body, headers: { 'x-api-key': 'x', 'x-project-id': 'x' } }
    expect((await api.call('POST', '/v1/assets', wrong_key)).status).toBe(401)
    const missing = await refused(
      api.call('POST', '/v1/assets', { body, headers: { 'x-project-id': 'x' } }),
    )
    expect(missing).toEqual([400, 'publicapi.tenancy.project.missing'])
    const unknown = { body, headers: { 'x-project-id': 'project_00000000000000000000' } }
    expect((await api.call('POST', '/v1/assets', unknown)).status).toBe(404)
  }),

  fact(
    'A-09 a record of another project gets the same answer as one that never existed',
    async (api) => {
      const other = await api.elsewhere()
      const { asset_id } = await api.slot()
      const label = await api.make('/v1/labels', { name: freshWord() })
      const { chat_id } = await api.make('/v1/chats', { prompt: 'hello' })
      for (const [group, id] of [
        ['assets', asset_id],
        ['labels', label.label_id],
        ['chats', chat_id],
      ] as const) {
        const never = `${id.split('_')[0]}_00000000000000000000`
        const [there, here] = [
          await other.get(`/v1/${group}/${id}`),
          await other.get(`/v1/${group}/${never}`),
        ]
        expect([there.status, there.body.code]).toEqual([404, here.body.code])
        expect(there.body.humane?.replaceAll(id, '')).toBe(here.body.humane?.replaceAll(never, ''))
        expect((await other.delete(`/v1/${group}/${id}`)).status).toBe(404)
        expect((await api.get(`/v1/${group}/${id}`)).status).toBe(200)
      }
    },
  ),

  fact('A-10 ids are a kind and 20 lower-case letters or digits', async (api) => {
    expect((await api.slot()).asset_id).toMatch(/^asset_[a-z0-9]{20}$/)
    const { chat_id, message_id } = await api.make('/v1/chats', { prompt: 'hello' })
    expect([chat_id, message_id].join()).toMatch(/^chat_[a-z0-9]{20},message_[a-z0-9]{20}$/)
    expect((await api.make('/v1/labels', { name: freshWord() })).label_id).toMatch(
      /^label_[a-z0-9]{20}$/,
    )
    expect((await api.make('/v1/projects', { name: 'ids' })).project_id).toMatch(
      /^project_[a-z0-9]{20}$/,
    )
  }),

  fact('A-11 a malformed id in a path or a body: 400', async (api) => {
    expect((await api.get('/v1/assets/nonsense')).status).toBe(400)
    expect((await api.get('/v1/assets/chat_00000000000000000000')).status).toBe(400)
    const scope = { asset_ids: ['nonsense'] }
    expect((await api.post('/v1/chats', { prompt: 'x', scope })).status).toBe(400)
  }),

  fact('A-12 times are ISO 8601, UTC', async (api) => {
    const { asset_id, expires_at } = await api.slot()
    const { created_at } = (await api.get(`/v1/assets/${asset_id}`)).body
    for (const time of [expires_at, created_at])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  }),

  fact('A-13 invalid JSON, or JSON with an unknown field: 400', async (api) => {
    const headers = { 'content-type': 'application/json' }
    expect((await api.call('POST', '/v1/assets', { raw: '{"filename":', headers })).status).toBe(
      400,
    )
    const extra = { filename: 'a', mime_type: 'text/plain', mime: 'x' }
    expect((await api.post('/v1/assets', extra)).status).toBe(400)
  }),

  fact('A-15 an empty body is an empty body, whatever its type', async (api) => {
    const { label_id } = await api.make('/v1/labels', { name: freshWord() })
    const options = { headers: { 'content-type': 'application/json' } }
    expect((await api.call('DELETE', `/v1/labels/${label_id}`, options)).status).toBe(204)
  }),

  fact('A-16 a preflight is answered without a key', async (api) => {
    const reply = await api.call('OPTIONS', '/v1/assets', {
      headers: {
        'x-api-key': undefined,
        'x-project-id': undefined,
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key,x-project-id,content-type',
      },
    })
    expect([200, 204]).toContain(reply.status)
    expect(reply.headers.get('access-control-allow-origin')).toMatch(
      /^(\*|https:\/\/app\.example)$/,
    )
    expect(reply.headers.get('access-control-allow-methods')).toContain('DELETE')
  }),

  fact(
    'A-17 updates are POST, never PATCH or PUT; a delete answers 204, and 404 the second time',
    async (api) => {
      const { label_id } = await api.make('/v1/labels', { name: freshWord() })
      const path = `/v1/labels/${label_id}`
      expect((await api.post(path, { name: freshWord() })).status).toBe(200)
      for (const method of ['PATCH', 'PUT'])
        expect((await api.call(method, path, { body: {} })).status).toBe(404)
      expect((await api.delete(path)).status).toBe(204)
      expect((await api.delete(path)).status).toBe(404)
    },
  ),

  fact(
    'A-20 every error is the error object: unknown path, wrong method, wrong media type, body too large',
    async (api) => {
      const text = { headers: { 'content-type': 'text/plain' }, raw: 'hello' }
      const large = {
        headers: { 'content-type': 'application/json' },
        raw: `"${'x'.repeat(2_000_000)}"`,
      }
      for (const [reply, status] of [
        [await api.get('/v1/nothing'), 404],
        [await api.delete('/v1/chats'), 404],
        [await api.call('POST', '/v1/assets', text), 400],
        [await api.call('POST', '/v1/chats', large), 400],
        [await api.get(`/v1/assets/${nowhere}`), 404],
      ] as const) {
        expect([reply.status, reply.body.statusCode]).toEqual([status, status])
        expect(reply.body.code).toMatch(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/)
      }
    },
  ),
]
