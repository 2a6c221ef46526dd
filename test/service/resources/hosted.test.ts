import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, md5Of, put, start, until } from '../fixture.ts'

const hosted = { profile: 'hosted' } as const

// Every answer below is checked against it, too (fixture.ts).
test('the description of this profile names its differences, is valid OpenAPI, and changes nothing else', async () => {
  const [usual, odd] = [await start(), await start(hosted)]
  const described = async (client: Client) => parse((await client.get('/v1/openapi.yaml')).body)
  const [before, after] = [await described(usual), await described(odd)]
  expect(await new Validator().validate(after)).toMatchObject({ valid: true })
  const differing = Object.keys(before.components.schemas).filter(
    (name) =>
      JSON.stringify(before.components.schemas[name]) !==
      JSON.stringify(after.components.schemas[name]),
  )
  const with_status = ['Asset', 'AssetExists', 'AssetListItem']
  expect(differing.sort()).toEqual([
    ...with_status,
    'Error',
    'IngestError',
    'Message',
    'MessageReference',
  ])
  expect([
    after.components.schemas.IngestError,
    after.components.schemas.Asset.properties.error,
  ]).toEqual([undefined, undefined])
  expect(after.components.schemas.Message.required).toEqual(['id', 'created_at'])
  expect(after.components.schemas.Asset.properties.status['x-extensible-enum']).toContain(
    'enriching',
  )
  const { example } =
    after.paths['/v1/chats/{chat_id}/messages'].get.responses['200'].content['application/json']
  expect(Object.keys(example.messages[0])).toEqual(['id', 'created_at'])
})

test('E-01 messages have the key id and no status; only the response says that a message is done', async () => {
  const client = await start(hosted)
  const { chat_id, message_id } = await client.ask('hello')
  const message = (await client.get(`/v1/chats/${chat_id}/messages/${message_id}`)).body
  expect(Object.keys(message).sort()).toEqual(['created_at', 'id', 'prompt', 'response'])
  const { messages } = (await client.get(`/v1/chats/${chat_id}/messages`)).body
  expect(messages).toEqual([{ id: message_id, created_at: expect.any(String) }])
})

test('E-02 a message cannot be read for the first moment after the 202', async () => {
  const clock = new FakeClock()
  const client = await start({ ...hosted, clock })
  const { chat_id, message_id } = (await client.post('/v1/chats', { prompt: 'x' })).body
  const path = `/v1/chats/${chat_id}/messages/${message_id}`
  expect((await client.get(path)).status).toBe(404)
  await clock.advance(200)
  expect((await client.get(path)).status).toBe(200)
})

test('E-03 some 400s have an empty code and no text', async () => {
  const client = await start(hosted)
  const blank = { status: 400, body: { code: '', statusCode: 400 } }
  expect(await client.post('/v1/assets', { nothing: 1 })).toMatchObject(blank)
  const { asset_id } = await client.slot()
  const early = await client.post(`/v1/assets/${asset_id}/complete`)
  expect([early.status, early.body]).toEqual([400, { code: '', statusCode: 400 }])
  expect((await client.get('/v1/assets?limit=0')).body.code).toBe('publicapi.query.invalid')
})

test('E-04 dedup finds a slot whose bytes never came: it reads ingesting, size 0, and stays', async () => {
  const client = await start({ ...hosted, ticket_lifetime_ms: 1 })
  const dead = await client.slot({ md5: md5Of('never sent') })
  const hit = await client.post('/v1/assets', {
    filename: 'b',
    mime_type: 'text/plain',
    md5: md5Of('never sent'),
  })
  expect([hit.status, hit.body]).toEqual([
    200,
    { asset_id: dead.asset_id, already_exists: true, status: 'ingesting' },
  ])
  await client.service.close()
  const later = await start({ ...hosted, data_dir: client.service.data_dir })
  const { body } = await later.get(`/v1/assets/${dead.asset_id}`)
  expect([body.status, body.size_in_bytes]).toEqual(['ingesting', 0])
  await later.slot()
})

test('E-04 existing content wins over a dead slot', async () => {
  const client = await start(hosted)
  const dead = await client.slot({ md5: md5Of('text') })
  const alive = await client.slot()
  await put(alive, 'text')
  await client.post(`/v1/assets/${alive.asset_id}/complete`)
  const hit = await client.post('/v1/assets', {
    filename: 'b',
    mime_type: 'text/plain',
    md5: md5Of('text'),
  })
  expect(hit.body.asset_id).toBe(alive.asset_id)
  expect(hit.body.asset_id).not.toBe(dead.asset_id)
})

test('E-05 there are no CORS headers and no preflight', async () => {
  const client = await start(hosted)
  const answer = await client.get('/v1/assets', { headers: { origin: 'https://app.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect((await client.call('OPTIONS', '/v1/assets')).status).toBe(404)
})

test('E-06 labels are paged', async () => {
  const client = await start(hosted)
  for (const name of ['c3', 'a1', 'b2']) await client.post('/v1/labels', { name })
  const first = (await client.get('/v1/labels?limit=2')).body
  expect([first.data.length, first.has_more]).toEqual([2, true])
  const second = (await client.get(`/v1/labels?limit=2&after_id=${first.last_id}`)).body
  expect([second.data[0].name, second.has_more]).toEqual(['c3', false])
  const back = (await client.get(`/v1/labels?limit=1&before_id=${second.first_id}`)).body
  expect([back.data[0].name, back.has_more]).toEqual(['b2', true])
})

test('E-07 a chat has no modified_at until its first turn has ended', async () => {
  const clock = new FakeClock()
  const client = await start({ ...hosted, clock, answer_delay_ms: 1_000 })
  const { chat_id } = (await client.post('/v1/chats', { prompt: 'x' })).body
  expect((await client.get(`/v1/chats/${chat_id}`)).body).not.toHaveProperty('modified_at')
  await clock.advance(1_000)
  await until(async () => (await client.get(`/v1/chats/${chat_id}`)).body.modified_at !== undefined)
})

test('E-08 an asset shows an unknown status on the way', async () => {
  const clock = new FakeClock()
  const client = await start({ ...hosted, clock, ingest: { delay_ms: 5_000 } })
  const slot = await client.slot()
  await put(slot, 'text')
  const completed = await client.post(`/v1/assets/${slot.asset_id}/complete`)
  expect(completed.body.status).toBe('ingesting')
  expect((await client.get(`/v1/assets/${slot.asset_id}`)).body.status).toBe('enriching')
  expect((await client.get('/v1/assets')).body.data[0].status).toBe('enriching')
  await clock.advance(5_000)
  await until(async () => (await client.get(`/v1/assets/${slot.asset_id}`)).body.status === 'ready')
})

test('E-09 assets are listed oldest first, and paged in that order', async () => {
  const client = await start(hosted)
  const ids: string[] = []
  for (let made = 0; made < 4; made++) ids.push((await client.slot()).asset_id)
  const listed = async (query: string) =>
    (await client.get(`/v1/assets?limit=2${query}`)).body.data.map(
      (item: { asset_id: string }) => item.asset_id,
    )
  expect(await listed('')).toEqual([ids[0], ids[1]])
  expect(await listed(`&after_id=${ids[1]}`)).toEqual([ids[2], ids[3]])
  expect(await listed(`&before_id=${ids[3]}`)).toEqual([ids[1], ids[2]])
})

test('E-10 a failed asset gives no reason', async () => {
  const client = await start(hosted)
  const asset_id = await client.upload(Buffer.from([0, 1]), 'a.txt')
  expect((await client.get(`/v1/assets/${asset_id}`)).body.status).toBe('failed')
  expect((await client.get(`/v1/assets/${asset_id}`)).body).not.toHaveProperty('error')
})
