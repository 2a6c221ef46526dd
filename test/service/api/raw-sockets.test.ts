import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore } from '../../rig/tree.ts'
import { checkOwnAnswer } from '../described-answers.ts'

let service: Service
let key: string
const log: string[] = []

beforeAll(async () => {
  service = await startService({ data_dir: makeStore(), log: (line) => log.push(line) })
  const { project_id } = service.projects.create('sockets')
  key = `Host: 127.0.0.1\r\nX-API-Key: ${service.tokens.create('sockets').token}\r\nX-Project-Id: ${project_id}\r\n`
})

afterAll(() => service.close())

interface Exchanged {
  /** Everything that was answered until the connection ended. */
  text: string
  /** The number of answers. */
  answers: number
  has_ended: boolean
}

/** Sends the bytes, ends its side, and listens until the other side ends, too. */
function exchange(origin: string, text: string | Buffer): Promise<Exchanged> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () =>
      socket.end(text),
    )
    const done = (has_ended: boolean) => {
      socket.destroy()
      const answered = Buffer.concat(pieces).toString('latin1')
      resolve({ text: answered, answers: answered.match(/^HTTP\/1\.1 /gm)?.length ?? 0, has_ended })
    }
    socket.on('data', (piece) => pieces.push(piece))
    // A reset counts as an end: the service does not read what follows the fault.
    socket.on('error', () => done(true))
    socket.on('end', () => done(true))
    socket.setTimeout(20_000, () => done(false))
  })
}

/** One request that would be served, hidden in or behind another. */
const hidden = 'GET /v1/openapi.yaml HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
const json = 'Content-Type: application/json\r\n'
const post = (headers: string, body: string) =>
  `POST /v1/labels HTTP/1.1\r\n${key}${json}${headers}\r\n${body}`
const get = (target: string) => `GET ${target} HTTP/1.1\r\n${key}Connection: close\r\n\r\n`
const body = '{"name":"Contracts"}'

/** Each means one thing to one program and another thing to the next. */
const smuggled: [string, () => string][] = [
  ['two lengths', () => post('Content-Length: 20\r\nContent-Length: 3\r\n', body + hidden)],
  ['two lengths in one line', () => post('Content-Length: 20, 3\r\n', body + hidden)],
  [
    'a length and chunks',
    () => post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
  ],
  [
    'chunks and a length',
    () => post('Transfer-Encoding: chunked\r\nContent-Length: 300\r\n', `0\r\n\r\n${hidden}`),
  ],
  [
    'chunks that are not last',
    () => post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`),
  ],
  [
    'an unknown kind of chunks',
    () => post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`),
  ],
  ['a blank before the colon', () => post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`)],
  [
    'a folded header',
    () =>
      post('X-Fold: a\r\n Content-Length: 3\r\nContent-Length: 20\r\n\x01: x\r\n', body + hidden),
  ],
  ['a length that is no number', () => post('Content-Length: +20\r\n', body + hidden)],
  ['a length below zero', () => post('Content-Length: -1\r\n', body + hidden)],
  ['a length in hexadecimal', () => post('Content-Length: 0x14\r\n', body + hidden)],
  ['a length without end', () => post(`Content-Length: ${'9'.repeat(40)}\r\n`, body + hidden)],
  [
    'a chunk of no size',
    () => post('Transfer-Encoding: chunked\r\n', `zz\r\n${body}\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'a chunk of less than it says',
    () => post('Transfer-Encoding: chunked\r\n', `5\r\n${body}\r\n0\r\n\r\n${hidden}`),
  ],
  ['NUL in a header', () => post('X-Nul: a\0b\r\nContent-Length: 20\r\n', body + hidden)],
  [
    'a bare CR in a header',
    () => post('X-Cr: a\rContent-Length: 3\r\nContent-Length: 20\r\n', body + hidden),
  ],
]

const malformed: [string, () => string][] = [
  ['not HTTP', () => 'what is this?\r\n\r\n'],
  ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', () => 'GET /v1/openapi.yaml\r\n\r\n'],
  ['a version that is none', () => 'GET / HTTP/9.9\r\n\r\n'],
  ['a method that is none', () => `BREW /v1/assets HTTP/1.1\r\n${key}\r\n`],
  ['a method in small letters', () => `get /v1/assets HTTP/1.1\r\n${key}\r\n`],
  [
    'another origin as target',
    () => get('http://evil.example/v1/openapi.yaml').replace('127.0.0.1', 'evil.example'),
  ],
  ['only half a header', () => 'GET / HTTP/1.1\r\nHost: 127'],
  ['a header without a name', () => `GET / HTTP/1.1\r\n: x\r\n${key}\r\n`],
  ['a header of 20 KB', () => `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a target of 100 KB', () => get(`/v1/${'x'.repeat(100_000)}`)],
  ['5,000 headers', () => `GET /v1/assets HTTP/1.1\r\n${key}${'X-Many: x\r\n'.repeat(5_000)}\r\n`],
  ['% and nothing', () => get('/v1/assets/%')],
  ['% and no digits', () => get('/v1/assets/%zz')],
  ['% and half a letter', () => get('/v1/assets/%c3')],
  ['an overlong slash', () => get('/v1/assets/%c0%af')],
  ['a NUL in the path', () => get('/v1/assets/asset_%00')],
  ['a slash in an id', () => get('/v1/assets/..%2f..%2fetc')],
  [
    'two Hosts',
    () => `GET /v1/assets HTTP/1.1\r\n${key}Host: evil.example\r\nConnection: close\r\n\r\n`,
  ],
  [
    'another media type',
    () =>
      `POST /v1/labels HTTP/1.1\r\n${key}Content-Type: text/xml\r\nContent-Length: 4\r\n\r\n<a/>`,
  ],
  [
    'a media type that is none',
    () => `POST /v1/labels HTTP/1.1\r\n${key}Content-Type: \x7f\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  ['a body without a type', () => `POST /v1/labels HTTP/1.1\r\n${key}Content-Length: 2\r\n\r\n{}`],
  ['JSON that is not UTF-8', () => post('Content-Length: 11\r\n', '{"name":"\xff\xfe')],
  ['a body in gzip', () => post('Content-Encoding: gzip\r\nContent-Length: 3\r\n', '\x1f\x8b\x08')],
  ['only half of the body', () => post('Content-Length: 20\r\n', '{"name":')],
  ['nothing of the body', () => post('Content-Length: 20\r\n', '')],
  ['chunks without an end', () => post('Transfer-Encoding: chunked\r\n', `14\r\n${body}\r\n`)],
]

describe('A-20 the error object or a clean close', () => {
  test.each([...malformed, ...smuggled])('%s', async (_what, textOf) => {
    const answered = await exchange(service.api, Buffer.from(textOf(), 'latin1'))
    expect(answered.has_ended, answered.text).toBe(true)
    if (answered.text === '') return
    expect(answered.answers, answered.text.slice(0, 2_000)).toBe(1)
    const status = Number(answered.text.slice(9, 12))
    const [head = '', answer = ''] = answered.text.split(/\r\n\r\n(.*)/s)
    expect([400, 401, 404], answered.text).toContain(status)
    const type = /content-type: ([^\r]*)/i.exec(head)?.[1] ?? ''
    expect(type).toContain('application/json')
    expect(checkOwnAnswer({ method: 'GET', url: '/no', status, type, body: answer })).toEqual([])
  })

  test('a smuggled text is no request of its own, neither at the API nor at the blob store', async () => {
    const before = service.requestLog.length
    for (const [what, textOf] of smuggled) {
      const text = textOf().replace('/v1/labels', '/objects/x')
      for (const origin of [service.api, service.blob]) {
        const answered = await exchange(origin, Buffer.from(text, 'latin1'))
        expect(answered.has_ended, what).toBe(true)
        expect(answered.answers, `${what}: ${answered.text.slice(0, 500)}`).toBeLessThanOrEqual(1)
        expect(answered.text, what).not.toMatch(/^HTTP\/1\.1 2/m)
      }
    }
    const places = service.requestLog.slice(before).map(({ place }) => place)
    expect(places).not.toContain('description.read')
  })

  test('a client that disconnects early leaves nothing behind', async () => {
    const { hostname, port } = new URL(service.api)
    for (let times = 0; times < 20; times++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(post('Content-Length: 20\r\n', '{"na'), () => {
            socket.resetAndDestroy()
            resolve()
          })
        })
        socket.on('error', () => resolve())
      })
    }
    const still = await fetch(`${service.api}/v1/openapi.yaml`)
    expect([still.status, (await still.text()).length > 1_000]).toEqual([200, true])
    expect(log).toEqual([])
    expect(service.requestLog.filter(({ status }) => status >= 500)).toEqual([])
  })
})
