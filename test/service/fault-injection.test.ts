import { expect, test } from 'vitest'
import { openFaultInjection } from '../../src/service/fault-injection.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { put, start, until } from './fixture.ts'

test('a failure comes on its route, as often as ordered, in the form of the contract', async () => {
  const client = await start({
    injected_faults: {
      failures: [{ route: 'assets.list', status: 503, every: 2, retry_after_s: 7 }],
    },
  })
  const statuses: number[] = []
  for (let call = 0; call < 4; call++) statuses.push((await client.get('/v1/assets')).status)
  expect(statuses).toEqual([200, 503, 200, 503])
  const healthy = await client.get('/v1/chats')
  expect(healthy.status).toBe(200)
  client.service.injectFaults({ failures: [{ status: 429, times: 1, retry_after_s: 7 }] })
  const limited = await client.get('/v1/chats')
  expect([limited.status, limited.body.code, limited.headers.get('retry-after')]).toEqual([
    429,
    'publicapi.rate.limited',
    '7',
  ])
  expect((await client.get('/v1/chats')).status).toBe(200)
})

test('a request that fails before its work does nothing; one that fails after it has done everything', async () => {
  const client = await start()
  const create = () => client.post('/v1/assets', { filename: 'a', mime_type: 'text/plain' })
  const stored = () => client.service.assets(client.project_id).length
  client.service.injectFaults({ failures: [{ route: 'assets.create', status: 500, times: 1 }] })
  expect([(await create()).status, stored()]).toEqual([500, 0])
  client.service.injectFaults({
    failures: [{ route: 'assets.create', status: 502, times: 1, when: 'after' }],
  })
  expect([(await create()).status, stored()]).toEqual([502, 1])
  client.service.injectFaults({
    failures: [
      { route: 'assets.create', status: 0, times: 1, drop_connection: true, when: 'after' },
    ],
  })
  await expect(create()).rejects.toThrow()
  expect(stored()).toBe(2)
  expect(client.service.requestLog.map(({ status }) => status)).toEqual([500, 502, 0])
})

test('the PUT can fail too, before and after its work, and its connection can be cut', async () => {
  const client = await start({
    injected_faults: { failures: [{ route: 'put', status: 503, times: 1, retry_after_s: 3 }] },
  })
  const slot = await client.slot()
  const busy = await put(slot, 'text')
  expect([busy.status, busy.headers.get('retry-after'), await busy.text()]).toEqual([
    503,
    '3',
    expect.stringContaining('<Code>ServerBusy</Code>'),
  ])
  client.service.injectFaults({
    failures: [{ route: 'put', status: 0, times: 1, drop_connection: true }],
  })
  await expect(put(slot, 'text')).rejects.toThrow()
  expect(client.service.assets(client.project_id)[0]?.bare).toBe(true)
  client.service.injectFaults({
    failures: [{ route: 'put', status: 0, times: 1, drop_connection: true, when: 'after' }],
  })
  await expect(put(slot, 'text')).rejects.toThrow()
  expect(client.service.assets(client.project_id)[0]?.bare).toBe(false)
})

test.each([
  ['html', 'text/html', '<!doctype html>'],
  ['string', 'application/json', '"This answer'],
  ['empty', null, ''],
] as const)('an answer can have the form of a proxy: %s', async (body, type, start_of_text) => {
  const client = await start({ injected_faults: { failures: [{ status: 403, body }] } })
  const answer = await fetch(`${client.service.api}/v1/assets`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([403, type])
  expect((await answer.text()).slice(0, start_of_text.length)).toBe(start_of_text)
})

test('more requests a minute than allowed get a time to wait; PUTs do not count', async () => {
  const client = await start({ injected_faults: { requests_per_minute: 60 } })
  expect((await client.get('/v1/assets')).status).toBe(200)
  const limited = await client.get('/v1/assets')
  expect([limited.status, limited.body.code, limited.headers.get('retry-after')]).toEqual([
    429,
    'publicapi.rate.limited',
    '1',
  ])
})

test('the allowance grows with time, and never above the requests of a second', async () => {
  const clock = new FakeClock()
  const judge = openFaultInjection({ requests_per_minute: 120 }, clock)
  const passed = async () => {
    let count = 0
    while ((await judge.meet('assets.list')) === undefined) count++
    return count
  }
  expect(await passed()).toBe(1)
  expect(await judge.meet('assets.list')).toEqual({ status: 429, retry_after_s: 1 })
  await clock.advance(500)
  expect(await passed()).toBe(1)
  await clock.advance(60_000)
  expect(await passed()).toBe(2)
  expect(await judge.meet('put')).toBeUndefined()
})

test('the latency passes before anything is done', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, injected_faults: { latency_ms: 1_000 } })
  const answer = client.post('/v1/assets', { filename: 'a', mime_type: 'text/plain' })
  await new Promise<void>((resolve) => client.service.on('begin', () => resolve()))
  expect(client.service.assets(client.project_id)).toHaveLength(0)
  await clock.runUntil(() => client.service.assets(client.project_id).length === 1)
  expect((await answer).status).toBe(201)
})

test('a service that is down cuts every connection, and returns on the same ports', async () => {
  const client = await start()
  const slot = await client.slot()
  client.service.injectFaults({ down: true })
  await expect(client.get('/v1/assets')).rejects.toThrow()
  await expect(put(slot, 'text')).rejects.toThrow()
  client.service.injectFaults({ down: false })
  expect((await client.get('/v1/assets')).status).toBe(200)
  expect((await put(slot, 'text')).status).toBe(201)
})

test('the ordered number of answers fails, and the next one is written', async () => {
  const client = await start({ injected_faults: { failed_answers: 1 } })
  const ended = async () => {
    const { body } = await client.post('/v1/chats', { prompt: 'What is new?' })
    const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
    await until(async () => (await client.get(path)).body.status !== 'running')
    return (await client.get(path)).body.status
  }
  expect([await ended(), await ended()]).toEqual(['error', 'done'])
})
