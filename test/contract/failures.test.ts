import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Call,
  classifyAnswer,
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

const xml =
  '<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Detail>string to sign: sig=abc</Detail></Error>'

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
    expect(failure).toEqual({
      about: 'content',
      call: 'create',
      status: 400,
      message: failure.message,
    })
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
    call: 'create',
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

test('an answer shows if the address is the wrong one', () => {
  const route = { code: 'publicapi.route.not_found', humane: 'Nothing.', statusCode: 404 }
  const project = { code: 'publicapi.tenancy.project.not_found', statusCode: 404 }
  expect(judge('list', 404, route).elsewhere).toBe('path')
  expect(judge('chat', 404, route).elsewhere).toBe('path')
  expect(judge('list', 404, project).elsewhere).toBeUndefined()
  expect(judge('list', 404, { code: '', statusCode: 404 }).elsewhere).toBeUndefined()
  for (const body of ['', '404 page not found', '{"detail":"Not Found"}'])
    expect(judge('list', 404, body).elsewhere).toBe('other')
  // Their paths have an id, which may be unknown.
  for (const call of ['read', 'complete', 'remove', 'message', 'put'] as const)
    expect(judge(call, 404, '').elsewhere).toBeUndefined()
  expect(judge('chat', 501, '<html>').elsewhere).toBe('page')
  expect(judge('list', 503, '<html>').elsewhere).toBeUndefined()
})
