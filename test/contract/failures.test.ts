import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Call,
  classifyAnswer,
  type FailureAbout,
  unknownProtocol,
  unreadableAnswer,
} from '../../src/contract/failures.ts'

const now_ms = Date.UTC(2026, 0, 1)
const calls: Call[] = [
  'create',
  'put',
  'complete',
  'read',
  'list',
  'attach',
  'detach',
  'chat',
  'message',
]
const service_calls = calls.filter((call) => call !== 'put')
const to_service = (...without: Call[]) => service_calls.filter((call) => !without.includes(call))

type Body = string | { code?: unknown; humane?: unknown; statusCode?: unknown } | null

function judge(
  call: Call,
  status: number,
  body: Body = null,
  headers: Record<string, string> = {},
) {
  const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return classifyAnswer(call, { status, headers, body: text }, now_ms)
}

const some_error = (status: number) => ({
  code: 'publicapi.some.reason',
  humane: 'So it is.',
  statusCode: status,
})
const html = '<!DOCTYPE html><html><body>Blocked by policy</body></html>'
const xml =
  '<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Detail>string to sign: sig=abc</Detail></Error>'

/** The rows of the contract's table "What an error is about", each with its calls and answers. */
const rows: [
  row: string,
  calls: Call[],
  statuses: number[],
  body: (status: number) => Body,
  about: FailureAbout,
][] = [
  [
    'publicapi.auth.*',
    service_calls,
    [400, 401, 403, 404, 422],
    (status) => ({ code: 'publicapi.auth.revoked', statusCode: status }),
    'account',
  ],
  [
    'publicapi.auth.invalid',
    service_calls,
    [401, 500],
    () => ({ code: 'publicapi.auth.invalid' }),
    'account',
  ],
  ['401 with the error object', service_calls, [401], some_error, 'account'],
  [
    '401 with an empty code',
    service_calls,
    [401],
    (status) => ({ code: '', statusCode: status }),
    'account',
  ],
  [
    'publicapi.tenancy.*',
    service_calls,
    [400, 401, 403, 404],
    () => ({ code: 'publicapi.tenancy.project.forbidden' }),
    'project',
  ],
  ['404 on create or on a list', ['create', 'list'], [404], some_error, 'project'],
  ['404 on create or on a list, bare', ['create', 'list'], [404], () => null, 'project'],
  ['404 on create or on a list, a web page', ['create', 'list'], [404], () => html, 'project'],
  ['a proxy: no body', service_calls, [401, 403, 407], () => null, 'network'],
  ['a proxy: a web page', service_calls, [401, 403, 407], () => html, 'network'],
  [
    'a proxy: JSON of its own',
    service_calls,
    [401, 403, 407],
    () => '{"error":"denied"}',
    'network',
  ],
  ['a proxy: a bare JSON string', service_calls, [401, 403, 407], () => '"denied"', 'network'],
  ['a proxy before the blob store', ['put'], [407], () => html, 'network'],
  ['later', calls, [408, 425, 429, 500, 502, 503, 504, 507, 511, 599], some_error, 'later'],
  ['later, nothing said', calls, [408, 425, 429, 500, 502, 503, 504], () => null, 'later'],
  ['later, a web page', calls, [502, 503, 504], () => html, 'later'],
  [
    'rate limited, whatever the status',
    service_calls,
    [400, 429],
    () => ({ code: 'publicapi.rate.limited' }),
    'later',
  ],
  ['this content', ['create'], [400, 413, 415, 422], some_error, 'content'],
  [
    'this content, empty code',
    ['create'],
    [400],
    (status) => ({ code: '', statusCode: status }),
    'content',
  ],
  ['this content, nothing said', ['create'], [400, 413, 415, 422], () => null, 'content'],
  ['this attempt', ['complete'], [400, 409], some_error, 'attempt'],
  ['this attempt, nothing said', ['complete'], [400, 409], () => null, 'attempt'],
  ['402, 403 with the error object', service_calls, [402, 403], some_error, 'account'],
  ['any redirect', calls, [300, 301, 302, 303, 307, 308], () => null, 'unknown_protocol'],
  ['404 on complete', ['complete'], [404, 410], some_error, 'slot_gone'],
  ['404 on complete, bare', ['complete'], [404], () => null, 'slot_gone'],
  ['404 while following', ['read', 'attach', 'detach'], [404, 410], some_error, 'asset_gone'],
  ['404 while following, bare', ['read'], [404], () => '"Not found"', 'asset_gone'],
  [
    '403 and the like from the blob host',
    ['put'],
    [400, 401, 403, 404, 409, 410, 411, 412, 413],
    () => xml,
    'ticket',
  ],
  ['404 on starting a chat', ['chat'], [404], some_error, 'content'],
  ['404 on a young message', ['message'], [404], some_error, 'later'],

  [
    'a page of a web server says nothing of an asset',
    ['complete', 'read', 'attach'],
    [400, 404],
    () => html,
    'network',
  ],
  [
    'a wrong address says nothing of an asset',
    ['read', 'complete'],
    [404],
    () => ({ code: 'publicapi.route.not_found' }),
    'unknown_protocol',
  ],
  ['a label or a question refused', ['attach', 'chat'], [400, 413, 422], some_error, 'content'],
  ['a conflict', to_service('complete'), [409], some_error, 'later'],
  [
    'a list whose cursor is gone',
    ['list'],
    [400],
    () => ({ code: 'publicapi.cursor.unknown' }),
    'attempt',
  ],
  [
    'refusals that make no sense',
    ['read', 'list', 'detach', 'message'],
    [400, 415],
    some_error,
    'unknown_protocol',
  ],
  ['unknown statuses', service_calls, [405, 406, 418, 426], some_error, 'unknown_protocol'],
]

describe('what an error is about', () => {
  for (const [row, row_calls, statuses, body, about] of rows) {
    test(row, () => {
      for (const call of row_calls) {
        for (const status of statuses)
          expect(judge(call, status, body(status)).about, `${call} ${status}`).toBe(about)
      }
    })
  }
})

test('a failure keeps the code and the humane text of the answer', () => {
  expect(
    judge('create', 400, { code: 'publicapi.asset.create.odd', humane: 'No.', statusCode: 400 }),
  ).toMatchObject({
    status: 400,
    code: 'publicapi.asset.create.odd',
    humane: 'No',
  })
  expect(judge('create', 400, '"too odd"')).toMatchObject({ about: 'content', humane: 'too odd' })
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '7',
    '{}',
    '{"code":"","statusCode":400}',
    '{"code":7,"humane":{}}',
  ]) {
    const failure = judge('create', 400, body)
    expect(failure).toEqual({ about: 'content', status: 400, message: failure.message })
  }
})

test('the humane text is short, takes one line, and loses the queries of URLs', () => {
  const humane = `See https://blob.example/x?sig=SECRET&se=1 and\n\u001b[31mhttps://y.example pat_${'S'.repeat(32)} ${'long '.repeat(500)}`
  const shown = judge('create', 400, { code: 'a.b', humane }).humane ?? ''
  expect(shown).toMatch(
    /^See https:\/\/blob\.example\/x\?\*\*\* and \[31mhttps:\/\/y\.example pat_\*\*\* long/,
  )
  expect(shown.length).toBe(300)
})

test('a failure of a blob store keeps only the error code', () => {
  const failure = judge('put', 403, xml)
  expect(failure).toMatchObject({ about: 'ticket', code: 'AuthenticationFailed' })
  expect(JSON.stringify(failure)).not.toContain('sig=')
  expect(judge('put', 400, { code: 'a.b', humane: 'sig=abc' }).humane).toBeUndefined()
})

test('a redirect is named by its origin only', () => {
  const failure = judge('create', 302, null, { location: 'https://login.example/in?token=SECRET' })
  expect(failure.message).toContain('302')
  expect(failure.message).toContain('https://login.example that is not followed')
  expect(JSON.stringify(failure)).not.toMatch(/SECRET|\/in/)
  expect(judge('create', 302, null, { location: '/v2/assets?x=1' }).message).not.toContain('v2')
})

test('Retry-After is read as seconds, as a date against the Date header or the clock, or ignored', () => {
  const wait = (headers: Record<string, string>) =>
    judge('create', 429, null, headers).retry_after_ms
  expect(wait({ 'retry-after': '7' })).toBe(7_000)
  expect(wait({ 'retry-after': '0' })).toBe(0)
  expect(wait({ 'retry-after': '99999999999' })).toBe(3_600_000)
  const date = 'Thu, 01 Jan 2026 00:00:10 GMT'
  expect(wait({ 'retry-after': date })).toBe(10_000)
  expect(wait({ 'retry-after': date, date: 'Thu, 01 Jan 2026 00:00:07 GMT' })).toBe(3_000)
  expect(wait({ 'retry-after': 'Thursday, 01-Jan-26 00:00:10 GMT' })).toBe(10_000)
  expect(wait({ 'retry-after': 'Thu Jan  1 00:00:10 2026' })).toBe(10_000)
  expect(wait({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0)
  for (const odd of ['', 'soon', '-5', '1.5', 'Thu, nonsense'])
    expect(wait({ 'retry-after': odd }), odd).toBeUndefined()
  expect(wait({})).toBeUndefined()
})

test('a success that breaks the contract is named, with its status', () => {
  expect(unknownProtocol('create', 'upload_method is not PUT', 201)).toEqual({
    about: 'unknown_protocol',
    status: 201,
    message: expect.stringContaining('upload_method is not PUT'),
  })
})

test('a web page with status 200 comes from the network, not from the service', () => {
  const answer = {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: 'Log in',
  }
  expect(unreadableAnswer('create', answer, 'not JSON')).toMatchObject({
    about: 'network',
    status: 200,
  })
  expect(unreadableAnswer('create', { ...answer, headers: {} }, 'not JSON').about).toBe(
    'unknown_protocol',
  )
})

test('every answer gets a verdict without an error, and messages quote no body and no header', () => {
  const statuses = fc.integer({ min: 300, max: 999 })
  fc.assert(
    fc.property(
      fc.constantFrom(...calls),
      statuses,
      fc.oneof(fc.string(), fc.json()),
      (call, status, body) => {
        const failure = judge(call, status, `${body}SECRET`, {
          'retry-after': body,
          location: `SECRET${body}`,
        })
        expect(failure.message).not.toContain('SECRET')
        expect(failure.status).toBe(status)
      },
    ),
  )
})
