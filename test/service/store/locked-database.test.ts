import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import type { Service } from '../../rig/local-service.ts'
import { start } from '../fixture.ts'

/** Holds the lock for writing, as another program that uses the file does. */
function lock(service: Service): () => void {
  const database = new (sqliteDriver())(join(service.data_dir, 'service.db'))
  onTestFinished(() => void database.close())
  database.exec('BEGIN IMMEDIATE')
  return () => void database.exec('ROLLBACK')
}

test('A-35 while the database is locked writes get 503 with Retry-After, and reads continue', async () => {
  const clock = new FakeClock()
  const client = await start({ clock })
  const slot = (await client.post('/v1/assets', { filename: 'a.txt', mime_type: 'text/plain' }))
    .body
  const put = () =>
    fetch(slot.upload_url, { method: 'PUT', headers: slot.upload_headers, body: 'one' })
  const unlock = lock(client.service)

  const writes = [
    client.post('/v1/labels', { name: 'two' }),
    client.post('/v1/chats', { prompt: 'What is new?' }),
  ]
  const uploaded = put()
  let are_over = false
  void Promise.all([...writes, uploaded]).finally(() => {
    are_over = true
  })
  // The clock stands still: a read that waited for the lock would get no answer.
  for (let read = 0; read < 3; read++) expect((await client.get('/v1/assets')).status).toBe(200)
  expect(are_over).toBe(false)
  await expect.poll(() => clock.advance(100).then(() => are_over)).toBe(true)
  for (const { status, body, headers } of await Promise.all(writes)) {
    expect([status, body.code]).toEqual([503, 'publicapi.service.unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const refused = await uploaded
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining('ServerBusy'),
  ])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

  unlock()
  expect((await client.post('/v1/labels', { name: 'two' })).status).toBe(201)
  expect((await put()).status).toBe(201)
})

test('a short lock delays an answer and makes none fail', async () => {
  const clock = new FakeClock()
  const client = await start({ clock })
  const unlock = lock(client.service)
  const write = client.post('/v1/labels', { name: 'one' })
  expect((await client.get('/v1/labels')).body.data).toEqual([])
  unlock()
  await clock.advance(100)
  expect((await write).status).toBe(201)
})
