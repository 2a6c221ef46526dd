import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { closeServer, createBareServer, listen } from '../../../src/base/net/http-server.ts'
import { createHttpApp, type HttpApp } from '../../../src/base/net/http-server-app.ts'
import { isSluiceError, messageOf } from '../../../src/base/run/errors.ts'

const answerError = (error: unknown) => ({
  status: isSluiceError(error) ? 400 : 500,
  body: { code: isSluiceError(error) ? error.code : 'unexpected', text: messageOf(error) },
})

const opened: { app?: HttpApp; close: () => Promise<void> }[] = []

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

async function startApp(
  prepare: (app: HttpApp) => void = () => {},
): Promise<{ app: HttpApp; port: number }> {
  const app = await createHttpApp({ body_limit_bytes: 1_000, answerError })
  app.post('/echo', async (request) => ({ body: request.body ?? null }))
  app.delete('/echo', async () => ({ deleted: true }))
  prepare(app)
  await app.ready()
  const port = await listen(app.server, '127.0.0.1', 0)
  opened.push({
    close: async () => {
      await closeServer(app.server, 0)
      await app.close()
    },
  })
  return { app, port }
}

test('a host without an address is an error in words', async () => {
  const server = createBareServer({ silence_ms: 1_000, answerError, handle: () => {} })
  await expect(listen(server, 'a..b', 0)).rejects.toMatchObject({
    code: 'http.listen',
    message: 'cannot listen on a..b, port 0: the name of the host is not known',
  })
})

/** Sends the bytes unchanged and resolves to all that comes back until the server closes. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

async function codeFor(port: number, text: string): Promise<string> {
  const answer = await talk(port, text)
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return JSON.parse(body).code
}

const head = 'Host: 127.0.0.1\r\nConnection: close\r\n'

describe('the server gives every error the form of the application', () => {
  const post = (headers: string, body: string) =>
    `POST /echo HTTP/1.1\r\n${head}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const json = 'Content-Type: application/json\r\n'

  test.each([
    ['an unknown path', `GET /nowhere HTTP/1.1\r\n${head}\r\n`, 'http.path_unknown'],
    ['a wrong method', `GET /echo HTTP/1.1\r\n${head}\r\n`, 'http.path_unknown'],
    ['an unknown method', `PROPFIND /echo HTTP/1.1\r\n${head}\r\n`, 'http.path_unknown'],
    ['a body that is not JSON', post(json, '{"a":'), 'http.body_invalid'],
    [
      'a body that is not UTF-8',
      post(json, '"aa"').replace('"aa"', '"\xff\xfe"'),
      'http.body_invalid',
    ],
    ['a poisoned prototype', post(json, '{"__proto__":{"a":1}}'), 'http.body_invalid'],
    [
      'a media type that is not JSON',
      post('Content-Type: text/plain\r\n', 'hello'),
      'http.media_type',
    ],
    ['a body without a type', post('', 'hello'), 'http.media_type'],
    ['a body above the limit', post(json, `"${'x'.repeat(2_000)}"`), 'http.body_too_large'],
    ['a path that cannot be decoded', `GET /things/%zz HTTP/1.1\r\n${head}\r\n`, 'http.malformed'],
    ['no HTTP at all', 'hello, is anybody there?\r\n\r\n', 'http.malformed'],
    [
      'headers without end',
      `GET / HTTP/1.1\r\n${head}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
      'http.malformed',
    ],
    ['an unknown Expect', `GET / HTTP/1.1\r\n${head}Expect: miracles\r\n\r\n`, 'http.malformed'],
    ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`, 'http.malformed'],
  ])('%s', async (_what, text, code) => {
    const { port } = await startApp((app) => app.get('/things/:id', async () => 'never'))
    expect(await codeFor(port, text)).toBe(code)
  })

  test('an error that a handler throws', async () => {
    const { port } = await startApp((app) =>
      app.get('/fails', async () => {
        throw new Error('by hand')
      }),
    )
    const response = await fetch(`http://127.0.0.1:${port}/fails`)
    expect([response.status, await response.json()]).toEqual([
      500,
      { code: 'unexpected', text: 'by hand' },
    ])
  })
})

test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])(
  'an empty body of type %s counts as no body',
  async (type) => {
    const { port } = await startApp()
    const options = { headers: { 'content-type': type } }
    const posted = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', ...options })
    expect(await posted.json()).toEqual({ body: null })
    const deleted = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'DELETE', ...options })
    expect(await deleted.json()).toEqual({ deleted: true })
  },
)

test('a closing server lets a request in flight finish and does not wait for idle connections', async () => {
  let reached: () => void = () => {}
  let release: () => void = () => {}
  const inside = new Promise<void>((resolve) => {
    reached = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { app, port } = await startApp((app) =>
    app.get('/slow', async () => {
      reached()
      await gate
      return { done: true }
    }),
  )
  const answer = fetch(`http://127.0.0.1:${port}/slow`).then((response) => response.json())
  await inside
  const closed = closeServer(app.server, 60_000)
  release()
  expect(await answer).toEqual({ done: true })
  await closed
})

test('a closing server cuts a request in flight after the grace', async () => {
  let reached: () => void = () => {}
  const inside = new Promise<void>((resolve) => {
    reached = resolve
  })
  const server = createBareServer({ answerError, handle: () => reached() })
  const port = await listen(server, '127.0.0.1', 0)
  const answer = fetch(`http://127.0.0.1:${port}/never`)
  await inside
  const cut = expect(answer).rejects.toThrow()
  await closeServer(server, 1)
  await cut
})

test('listening on a port in use fails with http.listen', async () => {
  const { port } = await startApp()
  const server = createBareServer({ answerError, handle: () => {} })
  await expect(listen(server, '127.0.0.1', port)).rejects.toMatchObject({
    code: 'http.listen',
    message: expect.stringMatching(/: another program uses it$/),
  })
})

test('a bare server answers malformed HTTP in its own error form', async () => {
  const server = createBareServer({
    answerError,
    handle: (_request, response) => void response.end('ok'),
  })
  const port = await listen(server, '127.0.0.1', 0)
  opened.push({ close: () => closeServer(server, 0) })
  expect(await codeFor(port, 'nonsense\r\n\r\n')).toBe('http.malformed')
})
