import { expect } from 'vitest'
import { parse } from 'yaml'
import { eventually, fact, freshWord, md5Of, putInto } from './api.ts'

const plain = { filename: 'fact.txt', mime_type: 'text/plain' }

export const facts_of_assets = [
  fact(
    'B-01 a slot takes filename, mime_type and md5; an md5 is 32 hexadecimal digits in any case',
    async (api) => {
      for (const md5 of ['x', '0'.repeat(31), 'g'.repeat(32)]) {
        expect((await api.post('/v1/assets', { ...plain, md5 })).status, md5).toBe(400)
      }
      expect((await api.post('/v1/assets', { filename: 'a' })).status).toBe(400)
      expect(
        (await api.post('/v1/assets', { ...plain, md5: md5Of(freshWord()).toUpperCase() })).status,
      ).toBe(201)
    },
  ),

  fact(
    'B-02 a new slot: where the bytes go, how, with which headers and until when',
    async (api) => {
      const reply = await api.post('/v1/assets', plain)
      const { asset_id, upload_url, upload_headers, expires_at, already_exists, ...rest } =
        reply.body
      expect([reply.status, rest, already_exists ?? false]).toEqual([
        201,
        { upload_method: 'PUT' },
        false,
      ])
      expect(asset_id).toMatch(/^asset_/)
      expect(URL.canParse(upload_url)).toBe(true)
      expect(Object.values(upload_headers).every((value) => typeof value === 'string')).toBe(true)
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.now())
    },
  ),

  fact(
    'B-03 B-04 content that exists already: 200, its id and status, and no upload fields',
    async (api) => {
      const text = freshWord()
      const asset_id = await api.upload(text)
      const reply = await api.post('/v1/assets', { ...plain, md5: md5Of(text) })
      expect([reply.status, reply.body]).toEqual([
        200,
        { asset_id, already_exists: true, status: 'ready' },
      ])
      const other = await api.elsewhere()
      expect((await other.post('/v1/assets', { ...plain, md5: md5Of(text) })).status).toBe(201)
    },
  ),

  fact('B-05 name and type play no part in it', async (api) => {
    const text = freshWord()
    await api.upload(text)
    const body = { filename: 'other.md', mime_type: 'text/markdown', md5: md5Of(text) }
    expect((await api.post('/v1/assets', body)).status).toBe(200)
  }),

  fact('B-06 a bare slot is not content; two with one md5 may both complete', async (api) => {
    const text = freshWord()
    const both = [await api.slot({ md5: md5Of(text) }), await api.slot({ md5: md5Of(text) })]
    for (const slot of both) {
      expect((await putInto(slot, text)).ok).toBe(true)
      expect((await api.post(`/v1/assets/${slot.asset_id}/complete`)).status).toBe(200)
    }
  }),

  fact(
    'B-07 the bytes go to an origin of its own, with exactly the headers that were given',
    async (api) => {
      const { project_id } = api
      const slot = await api.slot()
      expect((await putInto(slot, freshWord())).ok).toBe(true)
      const without = await fetch((await api.slot()).upload_url, { method: 'PUT', body: 'x' })
      expect(without.ok).toBe(false)
      expect(slot.upload_url).not.toContain(project_id)
    },
  ),

  fact(
    'B-11 complete takes size and md5 from the stored bytes, and answers the record',
    async (api) => {
      const slot = await api.slot()
      await putInto(slot, 'twelve bytes')
      const reply = await api.call('POST', `/v1/assets/${slot.asset_id}/complete`, { body: {} })
      expect([reply.status, reply.body]).toEqual([
        200,
        expect.objectContaining({ ...plain, asset_id: slot.asset_id, size_in_bytes: 12 }),
      ])
      expect(['ingesting', 'ready']).toContain(reply.body.status)
    },
  ),

  fact('B-12 completed again: 200 and the current record', async (api) => {
    const asset_id = await api.upload(freshWord())
    const reply = await api.post(`/v1/assets/${asset_id}/complete`)
    expect([reply.status, reply.body]).toEqual([
      200,
      (await api.get(`/v1/assets/${asset_id}`)).body,
    ])
  }),

  fact(
    'B-13 before the bytes are there, or with others than declared: 400, and the slot stays open',
    async (api) => {
      const text = freshWord()
      const slot = await api.slot({ md5: md5Of(text) })
      const path = `/v1/assets/${slot.asset_id}/complete`
      expect((await api.post(path)).status).toBe(400)
      await putInto(slot, 'other bytes')
      expect((await api.post(path)).status).toBe(400)
      expect((await putInto(slot, text)).ok).toBe(true)
      expect((await api.post(path)).status).toBe(200)
    },
  ),

  fact('B-14 an asset has exactly the fields of its record', async (api) => {
    const { asset_id } = await api.slot()
    const { created_at, ...record } = (await api.get(`/v1/assets/${asset_id}`)).body
    expect(record).toEqual({ ...plain, asset_id, status: 'uploaded', size_in_bytes: 0 })
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(3_600_000)
  }),

  fact('B-15 an item of the list is the record and its labels', async (api) => {
    const fresh = await api.elsewhere()
    const { asset_id } = await fresh.slot()
    const label = await fresh.make(`/v1/assets/${asset_id}/labels`, { label_name: 'Contracts' })
    const record = (await fresh.get(`/v1/assets/${asset_id}`)).body
    expect((await fresh.get('/v1/assets')).body.data).toEqual([{ ...record, labels: [label] }])
  }),

  fact('B-16 name and description are changed when it is ready, else 400', async (api) => {
    const words = { name: 'A name', description: 'Some words' }
    const { asset_id: slot } = await api.slot()
    expect((await api.post(`/v1/assets/${slot}`, words)).status).toBe(400)
    const fresh = await api.elsewhere()
    const asset_id = await fresh.upload(freshWord())
    const path = `/v1/assets/${asset_id}`
    const reply = await fresh.post(path, words)
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ ...words, asset_id, status: 'ready' }),
    ])
    expect((await fresh.get(path)).body).toEqual(reply.body)
    expect((await fresh.get('/v1/assets')).body.data).toEqual([{ ...reply.body, labels: [] }])
    expect((await fresh.post(`${path}/complete`)).body).toEqual(reply.body)
  }),

  fact('B-17 a delete frees the content', async (api) => {
    const text = freshWord()
    const asset_id = await api.upload(text)
    expect((await api.delete(`/v1/assets/${asset_id}`)).status).toBe(204)
    expect((await api.get(`/v1/assets/${asset_id}`)).status).toBe(404)
    expect((await api.post('/v1/assets', { ...plain, md5: md5Of(text) })).status).toBe(201)
  }),

  fact(
    'B-18 a label is attached by name: made when new, the same when attached twice',
    async (api) => {
      const { asset_id } = await api.slot()
      const name = freshWord()
      const path = `/v1/assets/${asset_id}/labels`
      const label = await api.make(path, { label_name: name })
      expect(label).toEqual({ label_id: expect.stringMatching(/^label_/), name })
      expect(await api.make(path, { label_name: name })).toEqual(label)
      expect((await api.get(`/v1/labels/${label.label_id}`)).body.name).toBe(name)
      for (const label_name of ['x', 'x'.repeat(256)])
        expect((await api.post(path, { label_name })).status).toBe(400)
    },
  ),

  fact('B-19 detaching an unattached label does nothing', async (api) => {
    const fresh = await api.elsewhere()
    const { asset_id } = await fresh.slot()
    const { label_id } = await fresh.make(`/v1/assets/${asset_id}/labels`, {
      label_name: 'Contracts',
    })
    for (let times = 0; times < 2; times++) {
      expect((await fresh.delete(`/v1/assets/${asset_id}/labels/${label_id}`)).status).toBe(204)
    }
    expect((await fresh.get('/v1/assets')).body.data[0].labels).toEqual([])
  }),

  fact('B-20 uploaded, ingesting, then ready or failed for good', async (api) => {
    const slot = await api.slot({ filename: 'fact.bin', mime_type: 'application/x-nobody-knows' })
    const status = async () => (await api.get(`/v1/assets/${slot.asset_id}`)).body.status
    expect(await status()).toBe('uploaded')
    await putInto(slot, '\0\0\0\0')
    await api.post(`/v1/assets/${slot.asset_id}/complete`)
    await eventually(async () => !['uploaded', 'ingesting'].includes(await status()))
    expect(['ready', 'failed']).toContain(await status())
  }),

  fact(
    'B-27 a failed asset says why, if the description of the service has a field for it',
    async (api) => {
      const { schemas } = parse((await api.get('/v1/openapi.yaml')).body).components
      const slot = await api.slot({ filename: 'fact.bin', mime_type: 'application/x-nobody-knows' })
      const { asset_id } = slot
      await putInto(slot, '\0\0\0\0')
      await api.post(`/v1/assets/${asset_id}/complete`)
      const read = async () => (await api.get(`/v1/assets/${asset_id}`)).body
      await eventually(async () => !['uploaded', 'ingesting'].includes((await read()).status))
      const { status, error } = await read()
      if (status !== 'failed' || schemas.Asset?.properties.error === undefined) return
      expect(error).toEqual({
        code: expect.stringMatching(/\./),
        humane: expect.stringMatching(/\.$/),
      })
    },
  ),
]
