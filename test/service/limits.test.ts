import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { limitRequests } from '../../src/service/limits.ts'
import { settingsFrom } from '../../src/service/options.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { md5Of, put, start } from './fixture.ts'

test('A-33 each token has a number of requests a minute: one more gets a 429 that says when to try again', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, limits: { requests_per_minute: 12 } })
  const other = client.as({ token: client.service.tokens.create('somebody else').token })
  const statuses = async (count: number) => {
    const seen: number[] = []
    for (let call = 0; call < count; call++) seen.push((await client.get('/v1/assets')).status)
    return seen
  }
  expect(await statuses(3)).toEqual([200, 200, 429])
  const limited = await client.get('/v1/chats')
  expect([limited.status, limited.body.code, limited.headers.get('retry-after')]).toEqual([
    429,
    'publicapi.rate.limited',
    '5',
  ])
  expect((await other.get('/v1/assets')).status).toBe(200)
  expect((await client.get('/v1/openapi.yaml')).status).toBe(200)
  await clock.advance(5_000)
  expect(await statuses(2)).toEqual([200, 429])
})

test('A-33 a caller without a key gets no limits, and a refused request does nothing', async () => {
  const client = await start({ clock: new FakeClock(), limits: { requests_per_minute: 6 } })
  expect((await client.get('/v1/assets')).status).toBe(200)
  const refused = await client.post('/v1/chats', { prompt: 'x' })
  expect(refused.status).toBe(429)
  expect(client.service.chats(client.project_id)).toHaveLength(0)
  expect((await client.get('/v1/assets', { headers: { 'x-api-key': undefined } })).status).toBe(401)
})

test('uploads do not count, and without a limit nothing counts', async () => {
  const limited = await start({ clock: new FakeClock(), limits: { requests_per_minute: 6 } })
  const slot = await limited.slot()
  for (let again = 0; again < 3; again++) expect((await put(slot, 'text')).status).toBe(201)
  const limitFor = limitRequests(0, () => 0)
  expect(
    Array.from({ length: 10_000 }, () => limitFor(1)).every((wait_s) => wait_s === undefined),
  ).toBe(true)
})

test('the requests of a minute are spread over it, and unused ones are kept for ten seconds only', async () => {
  const clock = new FakeClock()
  const limitFor = limitRequests(600, () => clock.monotonic_ms())
  const passed = (token: number) => {
    let count = 0
    while (limitFor(token) === undefined) count++
    return count
  }
  expect(passed(1)).toBe(100)
  expect(limitFor(1)).toBe(1)
  await clock.advance(1_000)
  expect([passed(1), passed(2)]).toEqual([10, 100])
  await clock.advance(3_600_000)
  expect(passed(1)).toBe(100)
})

test('with more callers than the limiter remembers, the busy ones stay limited', () => {
  const limitFor = limitRequests(6, () => 0)
  expect(limitFor('busy')).toBeUndefined()
  for (let caller = 0; caller < 20_000; caller++) {
    expect(limitFor(caller)).toBeUndefined()
    if (caller % 1_000 === 0) expect(limitFor('busy')).toBe(10)
  }
  for (let caller = 19_999; caller > 10_000; caller--) expect(limitFor(caller)).toBe(10)
  expect(limitFor(0), 'the oldest is forgotten').toBeUndefined()
})

test('A-34 a body, a prompt or a name above the limits of this service is a 400 that says which', async () => {
  const limits = { body_bytes: 4_096, prompt_length: 100, filename_length: 255, name_length: 32 }
  const client = await start({ limits })
  const longest = 'n'.repeat(32)
  const refused = async (path: string, body: object) => {
    const { status, body: error } = await client.post(path, body)
    return [status, error.code, error.humane]
  }
  const invalid = (field: string, max: number) => [
    400,
    'publicapi.body.invalid',
    `The ${field} must have at most ${max} characters.`,
  ]
  expect((await client.post('/v1/chats', { prompt: 'p'.repeat(100) })).status).toBe(202)
  expect(await refused('/v1/chats', { prompt: 'p'.repeat(101) })).toEqual(invalid('prompt', 100))
  expect((await client.post('/v1/labels', { name: longest })).status).toBe(201)
  expect(await refused('/v1/labels', { name: `${longest}n` })).toEqual(invalid('name', 32))
  const asset = { mime_type: 'text/plain', md5: md5Of('x') }
  expect((await client.post('/v1/assets', { ...asset, filename: 'f'.repeat(255) })).status).toBe(
    201,
  )
  expect(await refused('/v1/assets', { ...asset, filename: 'f'.repeat(256) })).toEqual(
    invalid('filename', 255),
  )
  const [status, code] = await refused('/v1/memories', { content: 'c'.repeat(4_096) })
  expect([status, code]).toEqual([400, 'publicapi.body.too_large'])
})

test('A-34 the description has the limits of the service that serves it', async () => {
  const described = async (limits: object) => {
    const client = await start({ limits })
    const document = parse((await client.get('/v1/openapi.yaml')).body)
    expect((await new Validator().validate(document)).errors).toBeUndefined()
    const longest = (schema: string, field: string) =>
      document.components.schemas[schema].properties[field].maxLength
    const lengths = [
      longest('ChatStart', 'prompt'),
      longest('AssetCreate', 'filename'),
      longest('LabelCreate', 'name'),
    ]
    return { lengths, text: document.info.description as string }
  }
  const usual = await described({})
  expect(usual.lengths).toEqual([24_000, 1_024, 255])
  expect(usual.text).toContain('at most 1048576 bytes. Requests are not limited.')
  const narrow = await described({
    prompt_length: 500,
    name_length: 40,
    body_bytes: 9_000,
    requests_per_minute: 90,
  })
  expect(narrow.lengths).toEqual([500, 1_024, 40])
  expect(narrow.text).toContain('at most 9000 bytes. Each key may send 90 requests a minute')
  expect(narrow.text).toContain('Retry-After')
})

test.each([
  ['prompt_length', 24_001],
  ['prompt_length', 99],
  ['name_length', 256],
  ['body_bytes', 1_048_577],
  ['requests_per_minute', -1],
  ['requests_per_minute', 1.5],
])('a limit that is wider than the interface, or useless, is refused: %s = %s', (name, value) => {
  expect(() => settingsFrom({ data_dir: '/nowhere', limits: { [name]: value } })).toThrow(
    `limits.${name} = ${value}`,
  )
})
