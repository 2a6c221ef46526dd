import { request } from 'node:http'
import { expect, test } from 'vitest'
import type { Stage } from '../../src/service/observer.ts'
import { realWait } from '../rig/waiting.ts'
import { put, start, until } from './fixture.ts'

test('the log names every request by its place, with its asset and its status', async () => {
  const client = await start()
  const before = Date.now()
  const asset_id = await client.upload('text')
  await client.get('/v1/nothing')
  await client.get(`/v1/assets/${asset_id}`, { headers: { 'x-api-key': 'no' } })
  const entries = client.service.requestLog
  expect(entries.map(({ at: _, ...entry }) => entry)).toEqual([
    { place: 'assets.create', asset_id, status: 201 },
    { place: 'put', asset_id, status: 201 },
    { place: 'assets.complete', asset_id, status: 200 },
    { place: 'unknown', status: 404 },
    { place: 'assets.read', status: 401 },
  ])
  for (const { at } of entries) expect(at).toBeGreaterThanOrEqual(before)
})

test('the log remembers the newest requests only', async () => {
  const client = await start({ max_logged_requests: 10 })
  for (let call = 0; call < 25; call++) await client.get('/v1/assets')
  await client.get('/v1/projects')
  expect(client.service.requestLog.length).toBeLessThanOrEqual(10)
  expect(client.service.requestLog.at(-1)?.place).toBe('projects.list')
})

test('each stage is reported in order and awaited: nothing is done at begin, everything is committed at handled', async () => {
  const client = await start()
  const story: string[] = []
  const stored = () => client.service.assets(client.project_id).length
  for (const stage of ['begin', 'handled', 'end'] as Stage[]) {
    client.service.on(stage, async ({ place, status }) => {
      await realWait('an answer that takes its time', 10)
      story.push(`${stage} ${place} ${status} with ${stored()} stored`)
    })
  }
  await client.slot()
  await until(() => story.length === 3)
  expect(story).toEqual([
    'begin assets.create 0 with 0 stored',
    'handled assets.create 201 with 1 stored',
    'end assets.create 201 with 1 stored',
  ])
})

test.each([60_000, 600_000])(
  'a listener sees half of a PUT of %i bytes, with nothing stored yet',
  async (size) => {
    const client = await start()
    const slot = await client.slot()
    const bare: (boolean | undefined)[] = []
    client.service.on('during', ({ place }) => {
      expect(place).toBe('put')
      bare.push(client.service.assets(client.project_id)[0]?.bare)
    })
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { ...slot.upload_headers, 'content-length': size }
      const sent = request(slot.upload_url, { method: 'PUT', headers }, (answer) =>
        resolve(answer.resume().statusCode ?? 0),
      )
      sent.on('error', reject)
      sent.write('a'.repeat(size / 2))
      // The other half waits for the first one, because a body in one piece has no half.
      client.service.on('during', () => void sent.end('a'.repeat(size / 2)))
    })
    expect([status, bare]).toEqual([201, [true]])
  },
)

test('a removed listener is not called any more', async () => {
  const client = await start()
  let calls = 0
  const off = client.service.on('begin', () => {
    calls++
  })
  await client.get('/v1/assets')
  off()
  await client.get('/v1/assets')
  expect(calls).toBe(1)
})

test('a body that comes in one piece has no half', async () => {
  const client = await start()
  let calls = 0
  client.service.on('during', () => {
    calls++
  })
  await put(await client.slot(), 'small')
  expect(calls).toBe(0)
})
