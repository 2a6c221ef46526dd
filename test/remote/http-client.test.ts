import { getEventListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '../../src/base/net/http-client.ts'
import { isLoopbackHost } from '../../src/base/net/loopback.ts'
import { isSurelyUnsent, translateNetworkError } from '../../src/base/net/network-fault.ts'
import { SluiceError } from '../../src/base/run/errors.ts'
import { system_clock } from '../../src/base/time/time.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { until } from '../service/fixture.ts'
import { listen, send, startServer } from './recording-server.ts'
import { test_certificate } from './test-certificate.ts'

const clients: HttpClient[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

function client(changes: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    connections: 4,
    timeouts: { connect_ms: 5_000, answer_ms: 20_000, body_ms: 20_000, stall_ms: 20_000 },
    max_body_bytes: 10_000,
    clock: system_clock,
    ...changes,
  })
  clients.push(made)
  return made
}

const short = { connect_ms: 5_000, answer_ms: 20_000, body_ms: 20_000, stall_ms: 20_000 }

async function faultOf(request: Promise<unknown>): Promise<SluiceError> {
  const error = await request.then(
    () => undefined,
    (fault) => fault,
  )
  expect(error).toBeInstanceOf(SluiceError)
  return error
}

const get = (address: string) => ({ method: 'GET', url: new URL(address), headers: {} }) as const
const put = (address: string) => ({ method: 'PUT', url: new URL(address), headers: {} }) as const

async function* pieces(...all: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) {
    if (piece instanceof Error) throw piece
    yield Buffer.from(piece)
  }
}

describe('requests', () => {
  test('method, path with query, headers and body arrive as given, with only Host, Connection and a length added', async () => {
    const server = await startServer([
      { status: 201, headers: { 'x-one': 'a' }, body: { answer: 'ü' } },
    ])
    const headers = { 'X-Some': 'thing' }
    const url = new URL(`${server.origin}/a%20b/c?d=e%2Ff&g`)
    const answer = await client().request({ method: 'POST', url, headers, body: '{"q":"ü"}' })
    expect(answer).toMatchObject({
      status: 201,
      body: '{"answer":"ü"}',
      truncated: false,
      request_complete: true,
    })
    expect(answer.headers['x-one']).toBe('a')
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/a%20b/c?d=e%2Ff&g' })
    expect(request?.body.toString()).toBe('{"q":"ü"}')
    expect(request?.headers['content-length']).toBe('10')
    expect(request?.header_names.map((name) => name.toLowerCase()).sort()).toEqual([
      'connection',
      'content-length',
      'host',
      'x-some',
    ])
  })

  test('bytes and streams are sent with a Content-Length, never chunked, even when empty', async () => {
    const server = await startServer([{ status: 200 }])
    const http = client()
    const bodies = [
      Buffer.from('bytes'),
      Buffer.alloc(0),
      { size: 6, stream: pieces('str', 'eam') },
      { size: 0, stream: pieces() },
    ]
    for (const body of bodies) await http.request({ ...put(server.origin), body })
    const seen = server.requests.map(({ headers, body }) => [
      body.toString(),
      headers['content-length'],
      headers['transfer-encoding'],
    ])
    expect(seen).toEqual([
      ['bytes', '5', undefined],
      ['', '0', undefined],
      ['stream', '6', undefined],
      ['', '0', undefined],
    ])
  })

  test('connections are kept and bounded', async () => {
    const server = await startServer([
      (_, response) => setImmediate(() => send(response, { status: 200 })),
    ])
    const http = client({ connections: 3 })
    await Promise.all(Array.from({ length: 30 }, () => http.request(get(server.origin))))
    expect(server.requests).toHaveLength(30)
    expect(server.connections()).toBeLessThanOrEqual(3)
  })

  test('a redirect is an answer like any other', async () => {
    const other = await startServer()
    const server = await startServer([
      { status: 307, headers: { location: `${other.origin}/stolen` } },
    ])
    const answer = await client().request({ ...put(server.origin), body: 'x' })
    expect(answer.status).toBe(307)
    expect(other.requests).toEqual([])
  })

  test('of a huge answer only the limit is read, whether its length was given or not', async () => {
    const huge = 'x'.repeat(64 * 1_024)
    const endless = (_: unknown, response: ServerResponse) => {
      response.writeHead(502, {})
      const more = () => {
        while (!response.destroyed && response.write(huge));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    const server = await startServer([
      { status: 502, body: huge, headers: { 'content-length': '65536' } },
      endless,
    ])
    const http = client({ max_body_bytes: 1_000 })
    for (let round = 0; round < 2; round++) {
      const answer = await http.request(get(server.origin))
      expect(answer).toMatchObject({ status: 502, truncated: true, body: 'x'.repeat(1_000) })
    }
    await server.close()
  })

  test('a body of exactly the limit is whole', async () => {
    const chunked = (_: unknown, response: ServerResponse) => {
      response.write('x'.repeat(500))
      response.end('y'.repeat(500))
    }
    const server = await startServer([chunked])
    const answer = await client({ max_body_bytes: 1_000 }).request(get(server.origin))
    expect(answer).toMatchObject({ truncated: false, body: 'x'.repeat(500) + 'y'.repeat(500) })
  })

  test('many requests under one signal leave no listeners behind', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => warnings.push(warning.message)
    process.on('warning', note)
    const server = await startServer([{ status: 200 }])
    const http = client()
    const { signal } = new AbortController()
    const bodies = Array.from({ length: 40 }, (_, index) =>
      index % 2 ? 'x' : { size: 1, stream: pieces('x') },
    )
    await Promise.all(bodies.map((body) => http.request({ ...put(server.origin), body, signal })))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('an answer that comes byte by byte', () => {
  /** Sends a byte each few milliseconds, without end. */
  const dripping =
    (begin: (response: ServerResponse) => void, drop: (response: ServerResponse) => void) =>
    (_: unknown, response: ServerResponse) => {
      begin(response)
      const timer = setInterval(() => drop(response), 5)
      response.once('close', () => clearInterval(timer))
    }
  const ways: [string, ReturnType<typeof dripping>][] = [
    [
      'an announced body',
      dripping(
        (response) => response.writeHead(200, { 'content-length': '9000' }),
        (response) => response.write('x'),
      ),
    ],
    [
      'a body without a length',
      dripping(
        (response) => response.writeHead(200),
        (response) => response.write('x'),
      ),
    ],
    [
      'a head',
      dripping(
        (response) => response.socket?.write('HTTP/1.1 200 OK\r\nx: '),
        (response) => response.socket?.write('x'),
      ),
    ],
    [
      'heads before the head',
      dripping(
        (response) => response.writeEarlyHints({ link: '</a>; rel=preload' }),
        (response) => response.writeEarlyHints({ link: '</a>; rel=preload' }),
      ),
    ],
  ]

  test.each(ways)(
    '%s: its call ends at the deadline, however many bytes come',
    { timeout: 20_000 },
    async (_, answer) => {
      const server = await startServer([answer])
      const http = client({ timeouts: { ...short, answer_ms: 300, stall_ms: 300 } })
      expect(await faultOf(http.request(get(server.origin)))).toMatchObject({
        code: 'network.timeout',
      })
      const body = { size: 1, stream: pieces('x') }
      expect(await faultOf(http.request({ ...put(server.origin), body }))).toMatchObject({
        code: 'network.timeout',
      })
      await server.close()
    },
  )
})

describe('streams', () => {
  test('an error of a stream is thrown unchanged, and the server never sees the whole body', async () => {
    const server = await startServer([{ status: 200 }])
    const fault = new SluiceError({ code: 'file.changed', message: 'it changed' })
    const request = client().request({
      ...put(server.origin),
      body: { size: 10, stream: pieces('12345', fault) },
    })
    await expect(request).rejects.toBe(fault)
    await until(() => server.requests.length === 1)
    expect(server.requests[0]).toMatchObject({ whole: false, headers: { 'content-length': '10' } })
  })

  test('so is an error before the first byte, and of an empty stream', async () => {
    const server = await startServer([{ status: 200 }])
    const fault = new Error('not ours')
    for (const size of [10, 0]) {
      const request = client().request({
        ...put(server.origin),
        body: { size, stream: pieces(fault) },
      })
      await expect(request).rejects.toBe(fault)
    }
    expect(server.requests.filter((request) => request.whole)).toEqual([])
  })

  test('a stream with more or fewer bytes than declared is a fault, and never arrives whole', async () => {
    const server = await startServer([{ status: 200 }])
    for (const size of [3, 5, 0]) {
      const fault = await faultOf(
        client().request({ ...put(server.origin), body: { size, stream: pieces('12', '34') } }),
      )
      expect(fault.code, `${size}`).toBe('http.body_length')
    }
    expect(server.requests.filter((request) => request.whole)).toEqual([])
  })

  test('an answer that comes too early is reported, and the stream is closed', async () => {
    const early = createServer((_request, response) =>
      send(response, { status: 403, body: 'too early' }),
    )
    const { port } = await listen(early)
    let let_go = false
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(65_536)
      } finally {
        let_go = true
      }
    }
    const body = { size: 1e12, stream: endless() }
    const answer = await client().request({ ...put(`http://127.0.0.1:${port}`), body })
    expect(answer).toMatchObject({ status: 403, body: 'too early', request_complete: false })
    await until(() => let_go)
  })

  test('a transfer may last as long as it moves; only silence is limited', async () => {
    const clock = new FakeClock()
    const server = await startServer([{ status: 200 }])
    const http = client({ clock, timeouts: { ...short, stall_ms: 1_000 } })
    let release: () => void = () => {}
    let let_go = 0
    async function* slow(steps: number) {
      try {
        for (let step = 0; step < steps; step++) {
          yield Buffer.from('x')
          await clock.advance(900)
        }
        if (steps === 5) return
        await new Promise<void>((resolve) => {
          release = resolve
        })
        yield Buffer.from('x')
      } finally {
        let_go++
      }
    }
    const answer = await http.request({ ...put(server.origin), body: { size: 5, stream: slow(5) } })
    expect(answer.status).toBe(200)
    const stuck = faultOf(
      http.request({ ...put(server.origin), body: { size: 5, stream: slow(2) } }),
    )
    await clock.runUntil(() => server.requests.length === 2)
    expect(await stuck).toMatchObject({
      code: 'network.timeout',
      message: expect.stringContaining('nothing moved'),
    })
    expect(server.requests[1]?.whole).toBe(false)
    // The late read finds no waiting caller, and the file is closed.
    release()
    await until(() => let_go === 2)
  })

  test('after the last byte the answer has its own time limit', async () => {
    const clock = new FakeClock()
    let answer_now: () => void = () => {}
    const late = (_: unknown, response: ServerResponse) => {
      answer_now = () => send(response, { status: 200 })
    }
    const server = await startServer([late])
    const http = client({ clock, timeouts: { ...short, stall_ms: 1_000, answer_ms: 5_000 } })
    const sent = () =>
      http.request({ ...put(server.origin), body: { size: 1, stream: pieces('x') } })
    const first = sent()
    await until(() => server.requests.length === 1)
    await clock.advance(4_900)
    answer_now()
    expect((await first).status).toBe(200)
    const second = faultOf(sent())
    await until(() => server.requests.length === 2)
    await clock.advance(5_000)
    expect((await second).code).toBe('network.timeout')
  })
})

describe('network faults', () => {
  const secret_path = '/path-SECRET?sig=SECRET'

  test('a refused connection', async () => {
    const { port, close } = await listen(createTcpServer())
    await close()
    const fault = await faultOf(client().request(get(`http://127.0.0.1:${port}${secret_path}`)))
    expect(fault.code).toBe('network.refused')
    expect(fault).toMatchObject({
      message: `GET 127.0.0.1:${port}: nothing listens there`,
      detail: 'ECONNREFUSED',
    })
    expect(isSurelyUnsent(fault.code)).toBe(true)
  })

  test('a connection that breaks before the answer and within it', async () => {
    const { port } = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.destroy())),
    )
    const half = createTcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'))
    })
    const { port: half_port } = await listen(half)
    for (const at of [port, half_port]) {
      const fault = await faultOf(client().request(get(`http://127.0.0.1:${at}${secret_path}`)))
      expect(fault.code).toBe('network.reset')
      expect(fault.message + fault.hint).not.toContain('SECRET')
      expect(isSurelyUnsent(fault.code)).toBe(false)
    }
  })

  test('a server that does not speak HTTP', async () => {
    const { port } = await listen(
      createTcpServer((socket) => socket.end('220 mail SECRET ready\r\n')),
    )
    const fault = await faultOf(client().request(get(`http://127.0.0.1:${port}${secret_path}`)))
    expect(fault.code).toBe('network.protocol')
    expect(JSON.stringify([fault.message, fault.cause])).not.toContain('SECRET')
  })

  test('no answer in time, and an answer that stops', async () => {
    const silent = await startServer([() => {}])
    const stops = (_: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half')
    }
    const slow = await startServer([stops])
    const http = client({ timeouts: { ...short, answer_ms: 50, body_ms: 50 } })
    const faults = await Promise.all([
      faultOf(http.request(get(silent.origin))),
      faultOf(http.request(get(slow.origin))),
    ])
    expect(faults.map((fault) => fault.code)).toEqual(['network.timeout', 'network.timeout'])
  })

  test('a name that does not exist', async () => {
    const fault = await faultOf(client().request(get('http://does-not-exist.invalid/')))
    expect(fault).toMatchObject({
      code: 'network.dns',
      message: 'GET does-not-exist.invalid: the name of the host is not known',
    })
  })

  test('a request that is ended by its caller: before, during, and by closing the client', async () => {
    const silent = await startServer([() => {}])
    const http = client()
    expect(
      (await faultOf(http.request({ ...get(silent.origin), signal: AbortSignal.abort() }))).code,
    ).toBe('network.aborted')
    const stop = new AbortController()
    const bodies = ['x', { size: 1, stream: pieces('x') }]
    const waiting = bodies.map((body) =>
      faultOf(http.request({ ...put(silent.origin), body, signal: stop.signal })),
    )
    await until(() => silent.requests.length === 2)
    stop.abort(new Error('SECRET'))
    for (const fault of await Promise.all(waiting)) {
      expect(fault).toMatchObject({
        code: 'network.aborted',
        message: expect.not.stringContaining('SECRET'),
      })
    }
    const closing = faultOf(http.request(get(silent.origin)))
    await until(() => silent.requests.length === 3)
    await http.close()
    expect((await closing).code).toBe('network.aborted')
    expect((await faultOf(http.request(get(silent.origin)))).code).toBe('network.aborted')
  })

  test('codes that no test can cause', () => {
    const going = { method: 'GET', host: 'h' }
    const fault = (code: string) => Object.assign(new Error('SECRET'), { code })
    const reason = (code: string) => translateNetworkError(fault(code), going)
    expect(reason('UND_ERR_CONNECT_TIMEOUT').code).toBe('network.connect_timeout')
    expect(reason('EHOSTUNREACH').code).toBe('network.unreachable')
    const tried = [fault('ENETUNREACH'), fault('ECONNREFUSED')]
    const all = Object.assign(new AggregateError(tried), { code: 'ENETUNREACH' })
    expect(translateNetworkError(all, going).code).toBe('network.unreachable')
    // A connection that breaks with such a code may have carried the request.
    for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED']) {
      expect(isSurelyUnsent(translateNetworkError(fault(code), going, true).code), code).toBe(false)
      expect(isSurelyUnsent(reason(code).code), code).toBe(true)
    }
    expect(isSurelyUnsent('network.reset')).toBe(false)
    expect(isSurelyUnsent(undefined)).toBe(false)
    expect(reason('EAI_AGAIN').code).toBe('network.dns')
    expect(reason('CERT_HAS_EXPIRED')).toMatchObject({
      code: 'network.tls',
      message: 'GET h: no trusted connection was made (its certificate has expired)',
      detail: 'CERT_HAS_EXPIRED',
    })
    expect(reason('CRL_HAS_EXPIRED').message, 'a code without words').toContain('(CRL_HAS_EXPIRED)')
    expect(reason('EMFILE')).toMatchObject({
      code: 'network.failed',
      message: expect.stringMatching(
        /^GET h: the request failed \(too many open files: this process may have only \S+ open files \(raise ulimit -n, /,
      ),
    })
    expect(translateNetworkError('SECRET', going).message).toBe('GET h: the request failed')
    const ours = new SluiceError({ code: 'a.b', message: 'c' })
    expect(translateNetworkError(ours, going)).toBe(ours)
  })
})

describe('TLS and proxies', () => {
  test('https to a server of plain http says so', async () => {
    const server = await startServer([{ status: 200 }])
    const fault = await faultOf(client().request(get(server.origin.replace('http:', 'https:'))))
    expect(fault.code).toBe('network.no_tls')
    expect(fault.message).toMatch(/: it speaks plain http there, or no TLS, and not https$/)
    expect(isSurelyUnsent(fault.code)).toBe(true)
  })

  test('a certificate of an unknown authority is refused; one of `ca` is trusted, and so are the usual ones', async () => {
    const server = await startServer([{ status: 200 }], true)
    const fault = await faultOf(client().request(get(server.origin)))
    expect(fault.code).toBe('network.tls')
    expect(fault.hint).toContain('ca_file')
    const answer = await client({ ca: test_certificate }).request(get(server.origin))
    expect(answer.status).toBe(200)
  })

  test('another host is reached through the proxy, loopback never is', async () => {
    const server = await startServer([{ status: 200, body: 'through' }], true)
    const asked: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket, head) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
      const upstream = connect(server.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.write(head)
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
    })
    const { port } = await listen(proxy)
    const variables = { https_proxy: `http://me:pass@127.0.0.1:${port}`, no_proxy: '' }
    const http = client({ ca: test_certificate, proxy: variables })
    const answer = await http.request(get('https://service.test/x'))
    expect(answer).toMatchObject({ status: 200, body: 'through' })
    expect(asked).toEqual([`service.test:443 Basic ${Buffer.from('me:pass').toString('base64')}`])
    expect((await http.request(get(server.origin))).body).toBe('through')
    expect(asked).toHaveLength(1)
  })

  test('a refusal by the proxy is an unsent network fault; an invalid address is not repeated in its fault', async () => {
    const proxy = createServer()
    proxy.on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    )
    const { port } = await listen(proxy)
    const http = client({ proxy: { https_proxy: `http://127.0.0.1:${port}` } })
    const fault = await faultOf(http.request(get('https://service.test/x?SECRET')))
    expect(fault).toMatchObject({
      code: 'network.proxy',
      message: expect.stringContaining('status 407'),
    })
    expect(isSurelyUnsent(fault.code)).toBe(true)
    expect(fault.message).not.toContain('SECRET')
    for (const odd of ['me:SECRET@proxy:80', 'ftp://SECRET@proxy']) {
      const thrown = await faultOf((async () => client({ proxy: { http_proxy: odd } }))())
      expect(thrown.code).toBe('network.proxy_address')
      expect(thrown.message).not.toContain('SECRET')
    }
  })

  test('only localhost, 127.0.0.0/8 and ::1 are loopback', () => {
    const host = (address: string) => isLoopbackHost(new URL(address).hostname)
    for (const own of [
      'http://localhost:1',
      'http://127.0.0.1',
      'http://127.8.9.1',
      'http://[::1]:2',
      'http://0x7f.1',
    ]) {
      expect(host(own), own).toBe(true)
    }
    for (const other of [
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://x.localhost',
      'http://128.0.0.1',
      'http://[::2]',
      'http://0.0.0.0',
    ]) {
      expect(host(other), other).toBe(false)
    }
  })
})
