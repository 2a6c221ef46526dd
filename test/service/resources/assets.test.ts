import { expect, test } from 'vitest'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, md5Of, put, start, until } from '../fixture.ts'

const complete = (client: Client, asset_id: string, options = {}) =>
  client.call('POST', `/v1/assets/${asset_id}/complete`, options)

test.each([
  ['md5 too short', { md5: 'abc' }],
  ['md5 not hexadecimal', { md5: 'g'.repeat(32) }],
  ['md5 in base64', { md5: 'CY9rzUYh03PK3k6DJie09g==' }],
])('B-01 a malformed md5 is a 400 of its own: %s', async (_what, fields) => {
  const client = await start()
  const reply = await client.post('/v1/assets', {
    filename: 'a',
    mime_type: 'text/plain',
    ...fields,
  })
  expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.asset.create.md5_malformed'])
})

test('B-01 the case of the md5 does not matter', async () => {
  const client = await start()
  await client.upload('the same')
  const md5 = md5Of('the same').toUpperCase()
  expect(
    (await client.post('/v1/assets', { filename: 'a', mime_type: 'text/plain', md5 })).status,
  ).toBe(200)
})

test.each(['text', 'text/', '/plain', 'text plain/x', 'text/plain\n; x', 'text/plain; ä'])(
  'B-01 an invalid media type is a 400: %s',
  async (mime_type) => {
    const client = await start()
    expect((await client.post('/v1/assets', { filename: 'a', mime_type })).status).toBe(400)
  },
)

test('B-02 a new content is answered 201 with a slot', async () => {
  const client = await start({ ticket_lifetime_ms: 60_000 })
  const before = Date.now()
  const { status, body } = await client.post('/v1/assets', {
    filename: 'a.txt',
    mime_type: 'text/plain; charset=utf-8 ',
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    asset_id: expect.any(String),
    already_exists: false,
    upload_url: expect.any(String),
    upload_method: 'PUT',
    upload_headers: { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain; charset=utf-8' },
    expires_at: expect.any(String),
  })
  const left_ms = Date.parse(body.expires_at) - before
  expect(left_ms).toBeGreaterThanOrEqual(60_000)
  expect(left_ms).toBeLessThan(70_000)
})

test('B-03 B-04 known content is answered 200 with its asset and status, without upload fields', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, ingest: { delay_ms: 5_000 } })
  const slot = await client.slot({ md5: md5Of('once') })
  await put(slot, 'once')
  await complete(client, slot.asset_id)
  const again = () =>
    client.post('/v1/assets', { filename: 'b', mime_type: 'text/html', md5: md5Of('once') })
  const early = await again()
  expect([early.status, early.body]).toEqual([
    200,
    { asset_id: slot.asset_id, already_exists: true, status: 'ingesting' },
  ])
  await clock.advance(5_000)
  await until(() => client.statusOf(slot.asset_id) === 'ready')
  expect((await again()).body).toEqual({
    asset_id: slot.asset_id,
    already_exists: true,
    status: 'ready',
  })
})

test('B-04 content of another project does not match', async () => {
  const client = await start()
  await client.upload('mine')
  const other = client.as({ project_id: client.service.projects.create('other').project_id })
  await other.slot({ md5: md5Of('mine') })
})

test('B-05 a failed asset never matches; name and type do not matter', async () => {
  const client = await start()
  const bytes = Buffer.from([0, 1, 2, 3])
  const failed = await client.upload(bytes, 'a.bin', 'application/octet-stream')
  expect(client.statusOf(failed)).toBe('failed')
  const again = await client.slot({ md5: md5Of(bytes) })
  expect(again.asset_id).not.toBe(failed)
  const ready = await client.upload('text')
  const fields = { filename: 'other/name.html', mime_type: 'text/html', md5: md5Of('text') }
  expect((await client.post('/v1/assets', fields)).body.asset_id).toBe(ready)
})

test('B-06 a slot does not match before its bytes are accepted; two slots of one content may both complete', async () => {
  const client = await start()
  const first = await client.slot({ md5: md5Of('twin') })
  const second = await client.slot({ md5: md5Of('twin') })
  await put(first, 'twin')
  const third = await client.slot({ md5: md5Of('twin') })
  await put(second, 'twin')
  for (const { asset_id } of [first, second])
    expect((await complete(client, asset_id)).status).toBe(200)
  await until(() => client.statusOf(second.asset_id) === 'ready')
  expect([first, second, third].map(({ asset_id }) => client.statusOf(asset_id))).toEqual([
    'ready',
    'ready',
    'uploaded',
  ])
  const hit = await client.post('/v1/assets', {
    filename: 'a',
    mime_type: 'text/plain',
    md5: md5Of('twin'),
  })
  expect(hit.body.asset_id).toBe(first.asset_id)
})

test('B-10 a slot without bytes is gone once its ticket has expired; one with bytes can still be completed', async () => {
  const client = await start({ ticket_lifetime_ms: 60_000 })
  const bare = await client.slot()
  const filled = await client.slot()
  await put(filled, 'bytes')
  await client.service.close()
  const clock = new FakeClock(Date.now() + 61_000)
  const later = await start({ data_dir: client.service.data_dir, clock })
  await until(() => later.statusOf(bare.asset_id) === 'gone')
  expect((await complete(later, bare.asset_id)).body.code).toBe('publicapi.asset.not_found')
  expect((await complete(later, filled.asset_id)).status).toBe(200)
  const forgotten = await later.slot()
  await put(forgotten, 'never completed')
  await clock.advance(23 * 3_600_000)
  expect(later.statusOf(forgotten.asset_id)).toBe('uploaded')
  await clock.advance(3_600_000 + 180_000)
  await clock.runUntil(() => later.statusOf(forgotten.asset_id) === 'gone')
})

test('B-11 complete answers the record, with the size of the stored object, and starts the ingest', async () => {
  const client = await start({ ingest: { delay_ms: 60_000 } })
  const slot = await client.slot({ filename: 'docs/ä.md', mime_type: 'text/markdown' })
  await put(slot, 'zwölf Zeichen')
  const { status, body } = await complete(client, slot.asset_id, {
    raw: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect([status, body]).toEqual([
    200,
    {
      asset_id: slot.asset_id,
      status: 'ingesting',
      filename: 'docs/ä.md',
      mime_type: 'text/markdown',
      size_in_bytes: 14,
      created_at: expect.any(String),
    },
  ])
  expect(client.service.assets(client.project_id)[0]).toMatchObject({
    md5: md5Of('zwölf Zeichen'),
    bare: false,
  })
})

test('B-11 complete takes no field', async () => {
  const client = await start()
  const { asset_id } = await client.slot()
  expect((await client.post(`/v1/assets/${asset_id}/complete`, { md5: 'x' })).status).toBe(400)
})

test('B-12 complete again answers 200 with the current record', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  const again = await complete(client, asset_id)
  expect([again.status, again.body.status]).toEqual([200, 'ready'])
  const failed = await client.upload(Buffer.from([0]), 'a.bin', 'application/octet-stream')
  expect((await complete(client, failed)).body.status).toBe('failed')
})

test('B-13 complete before the bytes are there is a 400; the slot stays open', async () => {
  const client = await start()
  const slot = await client.slot()
  const early = await complete(client, slot.asset_id)
  expect([early.status, early.body.code]).toEqual([400, 'publicapi.asset.complete.bytes_missing'])
  await put(slot, 'now')
  expect((await complete(client, slot.asset_id)).status).toBe(200)
})

test('B-13 bytes with another md5 than declared are a 400; the slot stays open for the right ones', async () => {
  const client = await start()
  const slot = await client.slot({ md5: md5Of('right') })
  await put(slot, 'wrong')
  const refused = await complete(client, slot.asset_id)
  expect([refused.status, refused.body.code]).toEqual([400, 'publicapi.asset.complete.md5_differs'])
  expect(client.statusOf(slot.asset_id)).toBe('uploaded')
  await put(slot, 'right')
  expect((await complete(client, slot.asset_id)).status).toBe(200)
})

test('B-14 the record of a slot has status uploaded and size 0', async () => {
  const client = await start()
  const { asset_id } = await client.slot()
  const { body } = await client.get(`/v1/assets/${asset_id}`)
  expect(body).toEqual({
    asset_id,
    status: 'uploaded',
    filename: 'a.txt',
    mime_type: 'text/plain',
    size_in_bytes: 0,
    created_at: expect.any(String),
  })
})

test('B-14 nothing on the record gives the md5 of an asset', async () => {
  const client = await start()
  const asset_id = await client.upload(Buffer.from([0, 1]), 'a.bin', 'application/octet-stream')
  const { body } = await client.get(`/v1/assets/${asset_id}`)
  expect(Object.keys(body).sort()).toEqual([
    'asset_id',
    'created_at',
    'error',
    'filename',
    'mime_type',
    'size_in_bytes',
    'status',
  ])
})

test('B-27 a failed asset has its reason beside the status, alone and in lists', async () => {
  const client = await start()
  const asset_id = await client.upload(Buffer.from([0, 1]), 'a.txt')
  const error = {
    code: 'publicapi.asset.ingest.unreadable',
    humane: 'The file cannot be read: it contains NUL bytes.',
  }
  expect((await client.get(`/v1/assets/${asset_id}`)).body).toMatchObject({
    status: 'failed',
    error,
  })
  expect((await client.get('/v1/assets')).body.data).toMatchObject([{ status: 'failed', error }])
  const ready = await client.upload('text')
  expect((await client.get(`/v1/assets/${ready}`)).body).not.toHaveProperty('error')
})

test('B-15 items of the list are records with their labels', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  const { label_id } = (
    await client.post(`/v1/assets/${asset_id}/labels`, { label_name: 'Contracts' })
  ).body
  const { body } = await client.get('/v1/assets')
  const record = (await client.get(`/v1/assets/${asset_id}`)).body
  expect(body.data).toEqual([{ ...record, labels: [{ label_id, name: 'Contracts' }] }])
})

test('B-16 name and description can be changed once the asset is ready, each alone', async () => {
  const client = await start()
  const slot = await client.slot()
  const early = await client.post(`/v1/assets/${slot.asset_id}`, { name: 'x' })
  expect([early.status, early.body.code]).toEqual([400, 'publicapi.asset.update.not_ready'])
  const asset_id = await client.upload('text')
  expect((await client.post(`/v1/assets/${asset_id}`, { name: 'A name' })).body.name).toBe('A name')
  const { body } = await client.post(`/v1/assets/${asset_id}`, { description: 'Words' })
  expect(body).toMatchObject({ name: 'A name', description: 'Words', filename: 'a.txt' })
})

test('B-17 a deleted asset is gone, and its content can be uploaded again', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  expect((await client.delete(`/v1/assets/${asset_id}`)).status).toBe(204)
  expect((await client.get(`/v1/assets/${asset_id}`)).status).toBe(404)
  expect((await client.get('/v1/assets')).body.data).toEqual([])
  await client.slot({ md5: md5Of('text') })
})

test('B-17 the owner of the service can remove an asset without its clients', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  expect(await client.service.removeAsset(asset_id)).toBe(true)
  expect(await client.service.removeAsset(asset_id)).toBe(false)
  expect((await client.get(`/v1/assets/${asset_id}`)).status).toBe(404)
  expect(() => client.service.readBlob(asset_id)).toThrow()
})

test('B-18 a label is attached by name, made when new, and once however often it is sent', async () => {
  const client = await start()
  const one = await client.upload('one')
  const two = await client.upload('two')
  const attach = (asset_id: string, label_name: string) =>
    client.post(`/v1/assets/${asset_id}/labels`, { label_name })
  const first = await attach(one, 'Contracts')
  expect([first.status, first.body]).toEqual([
    201,
    { label_id: expect.any(String), name: 'Contracts' },
  ])
  expect((await attach(one, 'Contracts')).body).toEqual(first.body)
  expect((await attach(two, 'Contracts')).body).toEqual(first.body)
  expect((await client.get('/v1/labels')).body.data).toHaveLength(1)
  expect(client.service.assets(client.project_id).map(({ labels }) => labels)).toEqual([
    ['Contracts'],
    ['Contracts'],
  ])
  for (const label_name of ['x', 'x'.repeat(256)])
    expect((await attach(one, label_name)).status).toBe(400)
})

test('B-19 detaching has no effect where the label is not attached', async () => {
  const client = await start()
  const asset_id = await client.upload('text')
  const { label_id } = (
    await client.post(`/v1/assets/${asset_id}/labels`, { label_name: 'Contracts' })
  ).body
  for (let time = 0; time < 2; time++) {
    expect((await client.delete(`/v1/assets/${asset_id}/labels/${label_id}`)).status).toBe(204)
  }
  const never = `/v1/assets/${asset_id}/labels/label_00000000000000000000`
  expect((await client.delete(never)).status).toBe(204)
  expect((await client.get('/v1/assets')).body.data[0].labels).toEqual([])
})
