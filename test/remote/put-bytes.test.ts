import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import type { Ticket } from '../../src/domain/asset.ts'
import { until } from '../service/fixture.ts'
import {
  asset_id,
  failureOf,
  project_id,
  remoteAt,
  successOf,
  ticketFor,
  token,
} from './fixture.ts'
import { send, startServer } from './recording-server.ts'

const bytes = Buffer.from('the very bytes')
const whole = { size: bytes.length, bytes }

async function* pieces(...all: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) {
    if (piece instanceof Error) throw piece
    yield piece
  }
}

const bodies = {
  bytes: () => whole,
  stream: () => ({ size: bytes.length, stream: pieces(bytes.subarray(0, 4), bytes.subarray(4)) }),
}

describe('the blob store gets', () => {
  test('exactly the bytes, the given headers alone, a length, and nothing of ours', async () => {
    const blob = await startServer([{ status: 201 }])
    const api = await startServer()
    const remote = remoteAt(api.origin)
    const upload_headers = {
      'x-ms-blob-type': 'BlockBlob',
      'X-Ms-Meta-Name': 'a  b',
      'Content-Type': 'text/plain',
    }
    for (const body of Object.values(bodies)) {
      const ticket = ticketFor(`${blob.origin}/c/blob%20name?sv=2&sig=a%2Fb%3D`, upload_headers)
      successOf(await remote.putBytes(ticket, body()))
      const request = blob.requests.pop()
      expect(request).toMatchObject({
        method: 'PUT',
        path: '/c/blob%20name?sv=2&sig=a%2Fb%3D',
        body: bytes,
      })
      expect(request?.header_names).toEqual([
        'host',
        'connection',
        ...Object.keys(upload_headers),
        'content-length',
      ])
      expect(request?.headers).toMatchObject({
        'content-length': String(bytes.length),
        'x-ms-blob-type': 'BlockBlob',
        'x-ms-meta-name': 'a  b',
        'content-type': 'text/plain',
      })
      expect(JSON.stringify(request)).not.toContain(token)
    }
    expect(api.requests).toEqual([])
  })

  test('no token, even when it is on the API’s own origin', async () => {
    const server = await startServer([{ status: 200 }])
    successOf(await remoteAt(server.origin).putBytes(ticketFor(`${server.origin}/blob`), whole))
    expect(server.requests[0]?.header_names).toEqual(['host', 'connection', 'content-length'])
  })

  test('a length for an empty file', async () => {
    const blob = await startServer([{ status: 201 }])
    const remote = remoteAt(blob.origin)
    for (const body of [
      { size: 0, bytes: Buffer.alloc(0) },
      { size: 0, stream: pieces() },
    ]) {
      successOf(await remote.putBytes(ticketFor(blob.origin), body))
      expect(blob.requests.pop()?.headers['content-length']).toBe('0')
    }
  })

  test('one Content-Length: a given one must match the body', async () => {
    const blob = await startServer([{ status: 201 }])
    const remote = remoteAt(blob.origin)
    successOf(
      await remote.putBytes(
        ticketFor(blob.origin, { 'Content-Length': String(bytes.length) }),
        whole,
      ),
    )
    expect(blob.requests[0]?.header_names).toEqual(['host', 'connection', 'content-length'])
    const failure = failureOf(
      await remote.putBytes(ticketFor(blob.origin, { 'Content-Length': '3' }), whole),
    )
    expect(failure.about).toBe('unknown_protocol')
    expect(failure).toMatchObject({
      code: 'upload_header',
      message: expect.stringContaining('header Content-Length'),
    })
    expect(blob.requests).toHaveLength(1)
  })

  test('B-31 each header that can be sent, with its value unchanged', async () => {
    const blob = await startServer([{ status: 201 }])
    const upload_headers = {
      Host: new URL(blob.origin).host,
      'X-Empty': '',
      'x-latin': 'Gr\u00fc\u00dfe',
      'x-quoted': 'a "b"; c=\td',
      'Cache-Control': 'no-store',
      Authorization: 'Bearer of the blob store',
    }
    successOf(await remoteAt(blob.origin).putBytes(ticketFor(blob.origin, upload_headers), whole))
    const lower = Object.entries(upload_headers).map(([name, value]) => [name.toLowerCase(), value])
    expect(blob.requests[0]?.headers).toMatchObject(Object.fromEntries(lower))
    expect(blob.requests[0]?.body).toEqual(bytes)
  })

  test('no request for an invalid ticket, which may come from the disk', async () => {
    const blob = await startServer([{ status: 201 }])
    const remote = remoteAt(blob.origin)
    const tickets: Ticket[] = [
      ticketFor('http://blob.example/x?sig=SECRET'),
      ticketFor('SECRET'),
      { ...ticketFor(blob.origin), upload_method: 'POST' as 'PUT' },
      ticketFor(blob.origin, { 'X-API-Key': 'SECRET' }),
      ticketFor(blob.origin, { a: 'SECRET\r\nx-evil: 1' }),
    ]
    for (const ticket of tickets) {
      const failure = failureOf(await remote.putBytes(ticket, whole))
      expect(failure.about).toBe('unknown_protocol')
      expect(JSON.stringify(failure)).not.toContain('SECRET')
    }
    expect(blob.requests).toEqual([])
  })
})

describe('the answer of the blob store', () => {
  const secret = 'sig=SECRET'

  async function failed(answer: Parameters<typeof startServer>[0], body = bodies.bytes()) {
    const blob = await startServer(answer)
    const ticket = ticketFor(`${blob.origin}/x?${secret}`, { 'x-signed': 'SECRET' })
    const failure = failureOf(await remoteAt(blob.origin).putBytes(ticket, body))
    expect(JSON.stringify(failure)).not.toContain('SECRET')
    return failure
  }

  test('B-35 any 2xx is success, but a web page is only perhaps one', async () => {
    for (const status of [200, 201, 202, 204]) {
      const blob = await startServer([{ status, body: status === 204 ? '' : '<html>fine</html>' }])
      expect(await remoteAt(blob.origin).putBytes(ticketFor(blob.origin), whole)).toEqual({
        ok: true,
        value: status === 204 ? 'surely' : 'perhaps',
      })
    }
  })

  test('a refusal is about the ticket, and a temporary failure is tried later', async () => {
    const xml = `<Error><Code>SignatureDoesNotMatch</Code><StringToSign>${secret}</StringToSign></Error>`
    expect(await failed([{ status: 403, body: xml }])).toEqual({
      about: 'ticket',
      call: 'put',
      status: 403,
      code: 'SignatureDoesNotMatch',
      message: 'the blob store answered 403 when sent the bytes',
    })
    const busy = await failed([{ status: 503, headers: { 'retry-after': '2' }, body: secret }])
    expect(busy).toMatchObject({ about: 'later', retry_after_ms: 2_000 })
  })

  test('a redirect is not followed', async () => {
    const other = await startServer()
    const failure = await failed([
      { status: 307, headers: { location: `${other.origin}/?${secret}` } },
    ])
    expect(failure.about).toBe('unknown_protocol')
    expect(other.requests).toEqual([])
  })

  test('a success before all bytes were sent does not count', async () => {
    const eager = await startServer([], false, (_request, response) =>
      send(response, { status: 201 }),
    )
    async function* endless() {
      for (;;) yield Buffer.alloc(65_536)
    }
    const body = { size: 1e12, stream: endless() }
    const failure = failureOf(await remoteAt(eager.origin).putBytes(ticketFor(eager.origin), body))
    expect(failure).toMatchObject({
      about: 'unknown_protocol',
      message: expect.stringContaining('before all the bytes'),
    })
  })

  test('a broken connection is a failure of the network that names only the host', async () => {
    const blob = await startServer([], false, (request) => request.socket.destroy())
    const ticket = ticketFor(`${blob.origin}/x?${secret}`)
    for (const body of Object.values(bodies)) {
      const failure = failureOf(await remoteAt(blob.origin).putBytes(ticket, body()))
      expect(failure).toMatchObject({ about: 'network', code: 'network.reset' })
      expect(failure.message).toMatch(/^PUT 127\.0\.0\.1:\d+: the connection broke/)
    }
  })

  test('an upload ended by its caller fails', async () => {
    const blob = await startServer([() => {}])
    const stop = new AbortController()
    const outcome = remoteAt(blob.origin).putBytes(
      ticketFor(blob.origin),
      bodies.stream(),
      stop.signal,
    )
    await until(() => blob.requests.length === 1)
    stop.abort()
    expect(failureOf(await outcome)).toMatchObject({ about: 'network', code: 'network.aborted' })
  })

  test('an upload to a blob store that reads nothing is given up', async () => {
    const stuck = await startServer([], false, (request) => request.pause())
    const remote = remoteAt(stuck.origin, { timeouts: { stall_ms: 100, answer_ms: 100 } })
    async function* large() {
      for (let piece = 0; piece < 1_000; piece++) yield Buffer.alloc(65_536)
    }
    const outcome = await remote.putBytes(ticketFor(stuck.origin), {
      size: 65_536_000,
      stream: large(),
    })
    expect(failureOf(outcome)).toMatchObject({ about: 'network', code: 'network.timeout' })
  })
})

test('an error of the stream is thrown unchanged, and the blob store never has a whole object', async () => {
  const blob = await startServer([{ status: 201 }])
  const remote = remoteAt(blob.origin)
  const changed = new SluiceError({
    code: 'file.changed',
    message: 'report.pdf changed while it was read',
  })
  const streams = [
    pieces(changed),
    pieces(bytes.subarray(0, 4), changed),
    pieces(bytes.subarray(0, 13), changed),
  ]
  for (const stream of streams) {
    const outcome = remote.putBytes(ticketFor(blob.origin), { size: bytes.length, stream })
    await expect(outcome).rejects.toBe(changed)
  }
  // The connection was cut: the next request succeeds, and the broken one has not become whole.
  successOf(await remote.putBytes(ticketFor(blob.origin), whole))
  expect(blob.requests.filter((request) => request.whole).map((request) => request.body)).toEqual([
    bytes,
  ])
})

test('the answer to a create is checked before it becomes a ticket', async () => {
  const api = await startServer([
    { status: 201, body: { asset_id, upload_url: 'http://evil.example' } },
  ])
  const outcome = await remoteAt(api.origin).createAsset(project_id, {
    filename: 'a',
    mime_type: 'a/b',
  })
  expect(failureOf(outcome).about).toBe('unknown_protocol')
})
