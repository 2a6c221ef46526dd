import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { routes } from '../../../src/contract/routes/routes.ts'
import { type Client, start } from '../fixture.ts'

/** Sends the bytes unchanged and returns status and body of the one answer. */
function talk(
  client: Client,
  text: string,
): Promise<{ status: number; type: string; body: string }> {
  const { hostname, port } = new URL(client.service.api)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const end = answer.indexOf('\r\n\r\n')
      const type = /content-type: ([^\r]*)/i.exec(answer)?.[1] ?? ''
      resolve({ status: Number(answer.slice(9, 12)), type, body: answer.slice(end + 4) })
    })
  })
}

function request(line: string, headers: Record<string, string>, body = ''): string {
  const length: Record<string, string> =
    body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const all = Object.entries({ Host: '127.0.0.1', Connection: 'close', ...headers, ...length })
  return `${line}\r\n${all.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`
}

/** S lists 200, 201, 202, 400, 401, 404 and 500; 429 and 503 have causes of their own (A-21). */
const allowed = [400, 401, 404, 500]

test.each<[string, (key: Record<string, string>) => string, string]>([
  [
    'an unknown path',
    (key) => request('GET /v1/nothing HTTP/1.1', key),
    'publicapi.route.not_found',
  ],
  ['a path outside /v1', (key) => request('GET / HTTP/1.1', key), 'publicapi.route.not_found'],
  [
    'a wrong method',
    (key) => request('DELETE /v1/chats HTTP/1.1', key),
    'publicapi.route.wrong_method',
  ],
  [
    'a method that is not served',
    (key) => request('PATCH /v1/chats HTTP/1.1', key),
    'publicapi.route.wrong_method',
  ],
  ['HEAD', (key) => request('HEAD /v1/nothing HTTP/1.1', key), ''],
  [
    'another media type',
    (key) => request('POST /v1/assets HTTP/1.1', { ...key, 'Content-Type': 'text/plain' }, 'hello'),
    'publicapi.body.media_type',
  ],
  [
    'a body without a type',
    (key) => request('POST /v1/assets HTTP/1.1', key, '{}'),
    'publicapi.body.media_type',
  ],
  [
    'a body that is too large',
    (key) =>
      request(
        'POST /v1/chats HTTP/1.1',
        { ...key, 'Content-Type': 'application/json' },
        `"${'x'.repeat(1_048_576)}"`,
      ),
    'publicapi.body.too_large',
  ],
  [
    'a body that is not JSON',
    (key) =>
      request('POST /v1/assets HTTP/1.1', { ...key, 'Content-Type': 'application/json' }, '{"a'),
    'publicapi.body.invalid',
  ],
  [
    'a path that cannot be decoded',
    (key) => request('GET /v1/assets/%zz HTTP/1.1', key),
    'publicapi.request.malformed',
  ],
  [
    'a path parameter without end',
    (key) => request(`GET /v1/assets/${'x'.repeat(500)} HTTP/1.1`, key),
    'publicapi.request.malformed',
  ],
  ['malformed HTTP', () => 'what is this?\r\n\r\n', 'publicapi.request.malformed'],
  [
    'headers that are too large',
    () => request('GET / HTTP/1.1', { 'X-Long': 'x'.repeat(20_000) }),
    'publicapi.request.malformed',
  ],
  [
    'no Host',
    () => 'GET /v1/assets HTTP/1.1\r\nConnection: close\r\n\r\n',
    'publicapi.request.malformed',
  ],
  [
    'a foreign Host',
    (key) => request('GET /v1/assets HTTP/1.1', { ...key, Host: 'evil.example' }),
    'publicapi.request.malformed',
  ],
  [
    'a foreign Host with a similar name',
    (key) => request('GET /v1/assets HTTP/1.1', { ...key, Host: '127.0.0.1.evil.example' }),
    'publicapi.request.malformed',
  ],
  [
    'an unknown Expect',
    (key) => request('GET /v1/assets HTTP/1.1', { ...key, Expect: 'x' }),
    'publicapi.request.malformed',
  ],
])(
  'A-20 A-21 the error object, with a status of the specification: %s',
  async (_what, textOf, code) => {
    const client = await start()
    const key = { 'X-API-Key': client.token, 'X-Project-Id': client.project_id }
    const { status, type, body } = await talk(client, textOf(key))
    expect(allowed).toContain(status)
    expect(type).toContain('application/json')
    // An answer to HEAD has no body.
    if (code === '') return
    const error = JSON.parse(body)
    expect(error).toEqual({ code, humane: expect.any(String), statusCode: status })
    expect(error.code).toMatch(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/)
  },
)

test('A-20 an unexpected error is a 500 that says nothing of the inside', async () => {
  const lines: string[] = []
  const client = await start({ log: (line) => lines.push(line) })
  const stop = client.service.on('begin', () => {
    throw new Error('planted: secret inside')
  })
  const reply = await fetch(`${client.service.api}/v1/projects`, {
    headers: { 'x-api-key': client.token },
  })
  stop()
  const body = await reply.json()
  expect([reply.status, body]).toEqual([
    500,
    { code: 'publicapi.internal.failed', humane: expect.any(String), statusCode: 500 },
  ])
  expect(JSON.stringify(body)).not.toContain('planted')
  expect(lines.join('\n')).toContain('planted')
})

test('A-20 every call answers faults in its own body or path by the error object', async () => {
  const client = await start()
  for (const { method, path } of routes) {
    const url = path.replace(/\{(\w+)_id\}/g, (_, kind) => `${kind}_00000000000000000000`)
    if (path === '/v1/openapi.yaml') continue
    expect((await client.call(method, url, { headers: { 'x-api-key': 'no' } })).status, path).toBe(
      401,
    )
    if (method === 'POST')
      expect((await client.post(url, { nobody_knows: 1 })).status, path).toBe(400)
    if (url !== path) expect([400, 404], path).toContain((await client.call(method, url)).status)
  }
})

test('A-20 a listener that fails before the answer changes no answer', async () => {
  const lines: string[] = []
  const client = await start({ log: (line) => lines.push(line) })
  client.service.on('handled', () => {
    throw new Error('planted')
  })
  expect((await client.get('/v1/projects')).status).toBe(200)
  expect((await client.get('/v1/nothing')).body.code).toBe('publicapi.route.not_found')
  expect(lines).toEqual([
    'a listener of requests failed: planted',
    'a listener of requests failed: planted',
  ])
})
