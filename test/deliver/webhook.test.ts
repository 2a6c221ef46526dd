import { execFileSync } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { deliver } from '../../src/deliver/deliver.ts'
import type { WebhookTarget } from '../../src/deliver/target.ts'
import { type Answer, type Recorded, startServer } from '../remote/recording-server.ts'
import { MovingClock } from '../rig/moving-clock.ts'
import { addToTree, makeTree } from '../rig/tree.ts'
import { faultOf, message, tools } from './delivery-tools.ts'

const target = (url: string, changes: Partial<WebhookTarget> = {}): WebhookTarget => ({
  kind: 'webhook',
  name: 'webhook',
  url,
  body: 'json',
  ...changes,
})

function verify(secret: string, { body, headers }: Recorded): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}

test('the whole message comes signed, as a public library checks it; each try has the same id and body', async () => {
  const server = await startServer([{ status: 503 }, { status: 200 }])
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const root = makeTree({ secret: `${secret}\n` })
  const hook = target(`${server.origin}/in`, { secret_file: `${root}/secret` })
  expect(faultOf(await deliver(hook, message(), tools()))).toMatchObject({ is_final: false })
  expect(await deliver(hook, message(), tools())).toEqual({ ok: true })
  const { id, subject, text, values, data } = message()
  for (const request of server.requests) {
    expect(verify(secret, request)).toEqual({
      id,
      at: '2026-11-23T07:00:00.000Z',
      subject,
      text,
      values,
      data,
    })
    expect(request.headers).toMatchObject({ 'webhook-id': id, 'idempotency-key': id })
  }
  expect(server.requests).toHaveLength(2)
  expect(server.requests[1]?.body).toEqual(server.requests[0]?.body)
  // A wrong key must fail the check.
  expect(() =>
    verify(`whsec_${Buffer.from('another').toString('base64')}`, server.requests[0]!),
  ).toThrow()
})

test('a plain secret signs with its bytes, as OpenSSL does; each try reads it anew', async () => {
  const server = await startServer()
  const root = makeTree({ secret: 'first' })
  const hook = target(server.origin, { secret_file: `${root}/secret` })
  await deliver(hook, message({ text: 'ä' }), tools())
  addToTree(root, { secret: 'second\n' })
  await deliver(hook, message({ text: 'ä' }), tools())
  for (const [index, key] of ['first', 'second'].entries()) {
    const { headers, body } = server.requests[index]!
    const input = Buffer.concat([
      Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
      body,
    ])
    const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `key:${key}`, '-binary']
    expect(headers['webhook-signature']).toBe(
      `v1,${execFileSync('openssl', args, { input }).toString('base64')}`,
    )
  }
})

test.each<[Answer, object]>([
  [{ status: 204 }, { ok: true }],
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { is_final: false, retry_after_ms: 7_000 },
  ],
  [
    { status: 503, headers: { 'retry-after': '999999999' } },
    { is_final: false, retry_after_ms: 86_400_000 },
  ],
  [
    { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' } },
    { is_final: false, retry_after_ms: 0 },
  ],
  [
    { status: 408, headers: { 'retry-after': 'soon' } },
    { is_final: false, error: { code: 'delivery.not_now' } },
  ],
  [
    (_request, response) => void response.destroy(),
    { is_final: false, error: { code: 'network.reset' } },
  ],
  [
    { status: 400, body: 'invalid_blocks' },
    { is_final: true, error: { code: 'delivery.refused' } },
  ],
  ...[401, 403, 404].map((status): [Answer, object] => [
    { status },
    {
      is_final: false,
      error: { code: 'delivery.refused', message: expect.stringContaining('; check the address') },
    },
  ]),
  ...[410, 413, 422].map((status): [Answer, object] => [
    { status },
    { is_final: true, error: { code: 'delivery.refused' } },
  ]),
])('answer %j -> %j', async (answer, outcome) => {
  const server = await startServer([answer])
  expect(await deliver(target(server.origin), message(), tools())).toMatchObject(outcome)
})

test.each<[string, (response: ServerResponse) => void]>([
  ['drips on', (response) => void setInterval(() => response.write('x'), 50).unref()],
  ['never ends', (response) => response.flushHeaders()],
  [
    'breaks off',
    (response) => {
      response.write('ok')
      setImmediate(() => response.destroy())
    },
  ],
])('the status code counts, though the body %s', async (_how, go_on) => {
  const server = await startServer([
    (_request, response) => go_on(response.writeHead(200)),
    (_request, response) => go_on(response.writeHead(410)),
  ])
  const hurried = tools({ clock: new MovingClock({ times: 50 }) })
  expect(await deliver(target(server.origin), message(), hurried)).toEqual({ ok: true })
  const refused = { is_final: true, error: { code: 'delivery.refused' } }
  expect(await deliver(target(server.origin), message(), hurried)).toMatchObject(refused)
  expect(server.requests).toHaveLength(2)
})

test('a redirect is not followed', async () => {
  const other = await startServer()
  const server = await startServer([{ status: 307, headers: { location: other.origin } }])
  const fault = faultOf(await deliver(target(server.origin), message(), tools()))
  expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.redirected' } })
  expect(other.requests).toEqual([])
})

test('errors show only the host of a secret address', async () => {
  const secret = 'T000_B000_hidden_word'
  const server = await startServer([
    { status: 404, body: `Cannot POST /services/${secret}` },
    { status: 500, body: 'hidden_word' },
    { status: 302, headers: { location: `/${secret}` } },
    (_request, response) => void response.destroy(),
    { status: 400, body: 'invalid_payload' },
  ])
  const root = makeTree({ url: `${server.origin}/services/${secret}?key=${secret}\n` })
  const { url: _, ...rest } = target('')
  const hook = { ...rest, url_file: `${root}/url` }
  const messages: string[] = []
  for (const _answer of [1, 2, 3, 4, 5]) {
    messages.push(faultOf(await deliver(hook, message(), tools())).error.message)
  }
  addToTree(root, { url: `https://user:${secret}@[bad/${secret}` })
  messages.push(faultOf(await deliver(hook, message(), tools())).error.message)
  expect(messages.join('\n')).not.toMatch(/hidden|T000|services/)
  expect(messages[0]).toContain(`127.0.0.1:${server.port} answered 404; check the address`)
  expect(messages[4]).toContain('answered 400 (invalid_payload)')
  expect(server.requests[0]?.path).toBe(`/services/${secret}?key=${secret}`)
})

test.each([
  'http://hooks.example.com/T0',
  'http://localhost.example.com/',
  'ftp://127.0.0.1/',
  'https://me:word@example.com/',
  'not one',
])('an address in a file must obey the rule of the configuration: %s', async (address) => {
  const asked: unknown[] = []
  const request = async (wanted: unknown) => {
    asked.push(wanted)
    throw new Error('nothing was to be sent')
  }
  const { url: _, ...rest } = target('')
  const hook = { ...rest, url_file: `${makeTree({ url: address })}/url` }
  const fault = faultOf(
    await deliver(hook, message(), tools({ http: { request, close: async () => {} } })),
  )
  expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.address' } })
  expect(fault.error.message).not.toContain(address)
  expect(asked).toEqual([])
})

test.each([
  ['missing', { url_file: '/no/such/file' }],
  ['empty', { secret_file: '/dev/null' }],
])(
  'a secret file that is %s: nothing is sent, and the next try reads it again',
  async (_what, files) => {
    const server = await startServer()
    const { url, ...rest } = target(server.origin)
    const hook = 'url_file' in files ? { ...rest, ...files } : { ...rest, url: url!, ...files }
    const fault = faultOf(await deliver(hook, message(), tools()))
    expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.secret_file' } })
    expect(server.requests).toEqual([])
  },
)

test('a JSON template accepts any values; a body that is no JSON is not sent', async () => {
  const server = await startServer()
  const text = 'a "quote" \\ \n {{name}} \u0001'
  const template = '{"msg": {"body": "{{text}}", "of": ["{{name}}"]}}'
  expect(
    await deliver(target(server.origin, { body: { template } }), message({ text }), tools()),
  ).toEqual({ ok: true })
  expect(JSON.parse(String(server.requests[0]?.body))).toEqual({
    msg: { body: text, of: ['weekly-digest'] },
  })
  const fault = faultOf(
    await deliver(
      target(server.origin, { body: { template: '{"a": {{text}}}' } }),
      message(),
      tools(),
    ),
  )
  expect(fault).toMatchObject({ is_final: true, error: { code: 'template.not_json' } })
  expect(server.requests).toHaveLength(1)
})
