import { once } from 'node:events'
import { createReadStream, readdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { receiveBody } from '../../../src/service/blobs/receive-body.ts'
import { openObjectFiles } from '../../../src/service/store/object-files.ts'
import { service_migrations } from '../../../src/service/store/schema.ts'
import { type Client, md5Of, put, type Slot, start, temporaryFolder, until } from '../fixture.ts'

/** Sends a PUT with exactly these headers, as bytes on the wire. */
function rawPut(
  slot: Slot,
  headers: Record<string, string>,
  body = 'bytes',
  method = 'PUT',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(slot.upload_url, { method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const length = { 'content-length': '5' }

test('B-07 the blob store is an origin of its own, and takes exactly the signed request', async () => {
  const client = await start()
  expect(new URL(client.service.blob).origin).not.toBe(new URL(client.service.api).origin)
  const slot = await client.slot()
  expect(slot.upload_url.startsWith(`${client.service.blob}/`)).toBe(true)
  expect((await rawPut(slot, { ...slot.upload_headers, ...length })).status).toBe(201)
  expect(client.service.readBlob(slot.asset_id).toString()).toBe('bytes')
  expect(client.service.blobFaults).toEqual({ count: 0, reasons: [] })
})

test('B-07 headers that common HTTP clients, browsers, proxies and tracing add are no fault', async () => {
  const client = await start()
  expect((await put(await client.slot(), 'by fetch')).status).toBe(201)
  const added = {
    Origin: 'https://app.example',
    Referer: 'https://app.example/files',
    Range: 'bytes=0-3',
    'Cache-Control': 'no-cache',
    Pragma: 'no-cache',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    baggage: 'a=b',
    'x-request-id': '7',
    'x-forwarded-for': '192.0.2.9',
    via: '1.1 proxy',
    'sec-fetch-site': 'cross-site',
  }
  const slot = await client.slot()
  expect((await rawPut(slot, { ...slot.upload_headers, ...length, ...added })).status).toBe(201)
  expect(client.service.readBlob(slot.asset_id).toString()).toBe('bytes')
  expect(client.service.blobFaults.count).toBe(0)
})

test('B-29 Content-MD5 is checked: other bytes are refused and not kept, and the slot stays open', async () => {
  const client = await start()
  const slot = await client.slot()
  const md5 = (text: string) => ({
    'Content-MD5': Buffer.from(md5Of(text), 'hex').toString('base64'),
  })
  const large = 'x'.repeat(100_000)
  for (const [text, header, status, code] of [
    ['bytes', md5('other'), 400, 'Md5Mismatch'],
    [large, md5('other'), 400, 'Md5Mismatch'],
    ['bytes', { 'Content-MD5': md5Of('bytes') }, 400, 'InvalidMd5'],
  ] as const) {
    const answer = await put(slot, text, header)
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringContaining(`<Code>${code}</Code>`),
    ])
  }
  expect(readdirSync(join(client.service.data_dir, 'objects'))).toEqual([])
  expect(client.service.assets(client.project_id)[0]?.bare).toBe(true)
  for (const text of ['bytes', large]) expect((await put(slot, text, md5(text))).status).toBe(201)
})

test('B-28 a preflight for an upload is answered, and its PUT names the origin that may read the answer', async () => {
  const client = await start()
  const slot = await client.slot()
  const asked = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
  const headers = { ...asked, 'access-control-request-headers': 'content-type,x-ms-blob-type' }
  const answer = await fetch(slot.upload_url, { method: 'OPTIONS', headers })
  expect(answer.status).toBe(204)
  const said = ['origin', 'methods', 'headers'].map((name) =>
    answer.headers.get(`access-control-allow-${name}`),
  )
  expect(said).toEqual(['*', 'PUT', 'content-type,x-ms-blob-type'])
  const sent = await put(slot, 'by a page', { origin: 'https://app.example' })
  expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([201, '*'])
  const refused = await put(slot, 'by a page', {
    origin: 'https://app.example',
    'content-encoding': 'gzip',
  })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*'])
  expect(client.service.requestLog.filter(({ place }) => place === 'put')).toHaveLength(2)
})

test('B-28 a page of an origin that is not allowed gets no word of it', async () => {
  const client = await start({ allowed_origins: ['https://app.example'] })
  const slot = await client.slot()
  const preflight = (origin: string) =>
    fetch(slot.upload_url, { method: 'OPTIONS', headers: { origin } })
  expect((await preflight('https://app.example')).headers.get('access-control-allow-origin')).toBe(
    '*',
  )
  const other = await preflight('https://evil.example')
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null])
  expect(await other.text()).toContain('CorsPreflightFailure')
  expect(client.service.blobFaults.count).toBe(0)
})

test('B-29 an upload without a length is told so', async () => {
  const client = await start()
  const slot = await client.slot()
  const answer = await rawPut(slot, { ...slot.upload_headers, 'transfer-encoding': 'chunked' })
  expect([answer.status, answer.body]).toEqual([
    411,
    expect.stringContaining('has no Content-Length: send it'),
  ])
})

test.each<
  [
    string,
    (slot: Slot, client: Client) => Promise<{ status: number; body: string }>,
    number,
    string,
  ]
>([
  [
    'X-API-Key',
    (slot, client) =>
      rawPut(slot, { ...slot.upload_headers, ...length, 'X-API-Key': client.token }),
    403,
    'carries x-api-key',
  ],
  [
    'X-Project-Id',
    (slot, client) =>
      rawPut(slot, { ...slot.upload_headers, ...length, 'X-Project-Id': client.project_id }),
    403,
    'carries x-project-id',
  ],
  [
    'Authorization',
    (slot) => rawPut(slot, { ...slot.upload_headers, ...length, Authorization: 'Bearer x' }),
    403,
    'carries authorization',
  ],
  [
    'Cookie',
    (slot) => rawPut(slot, { ...slot.upload_headers, ...length, Cookie: 'a=b' }),
    403,
    'carries cookie',
  ],
  [
    'a missing header',
    (slot) => rawPut(slot, { 'content-type': 'text/plain', ...length }),
    403,
    'the signed header x-ms-blob-type is missing',
  ],
  [
    'a changed header',
    (slot) => rawPut(slot, { ...slot.upload_headers, 'content-type': 'text/html', ...length }),
    403,
    'the method, the URL or a signed header was changed',
  ],
  [
    'an additional header',
    (slot) => rawPut(slot, { ...slot.upload_headers, ...length, 'x-ms-meta-a': '1' }),
    403,
    'carries x-ms-meta-a, which was not signed',
  ],
  [
    'another method',
    (slot) => rawPut(slot, { ...slot.upload_headers, ...length }, 'bytes', 'POST'),
    405,
    'the method, the URL or a signed header was changed',
  ],
  [
    'a longer life',
    (slot) =>
      rawPut(
        { ...slot, upload_url: slot.upload_url.replace(/expires=\d/, 'expires=9') },
        { ...slot.upload_headers, ...length },
      ),
    403,
    'the method, the URL or a signed header was changed',
  ],
  [
    'a higher limit',
    (slot) =>
      rawPut(
        { ...slot, upload_url: slot.upload_url.replace('limit=', 'limit=9') },
        { ...slot.upload_headers, ...length },
      ),
    403,
    'the method, the URL or a signed header was changed',
  ],
  [
    'fewer signed headers',
    (slot) =>
      rawPut(
        { ...slot, upload_url: slot.upload_url.replace('x-ms-blob-type%3B', '') },
        { 'content-type': 'text/plain', ...length },
      ),
    403,
    'the method, the URL or a signed header was changed',
  ],
  [
    'no signature',
    (slot) =>
      rawPut(
        { ...slot, upload_url: slot.upload_url.split('?')[0]! },
        { ...slot.upload_headers, ...length },
      ),
    403,
    'the URL has no signature',
  ],
  [
    'no length',
    (slot) => rawPut(slot, { ...slot.upload_headers, 'transfer-encoding': 'chunked' }),
    411,
    'carries no content-length',
  ],
])(
  'B-08 a request that is not the signed one is refused and counted: %s',
  async (_what, send, status, reason) => {
    const client = await start()
    const slot = await client.slot()
    const answer = await send(slot, client)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatch(/^<\?xml .*<Error><Code>\w+<\/Code>/)
    expect(client.service.blobFaults).toEqual({ count: 1, reasons: [reason] })
    expect(client.service.assets(client.project_id)[0]?.bare).toBe(true)
  },
)

test('B-08 the URL of one slot does not open another', async () => {
  const client = await start()
  const [one, two] = [await client.slot(), await client.slot()]
  const crossed = { ...one, upload_url: one.upload_url.replace(one.asset_id, two.asset_id) }
  expect((await put(crossed, 'bytes')).status).toBe(403)
  expect(client.service.blobFaults.count).toBe(1)
})

test('B-07 an expired URL is refused, and counts as no fault', async () => {
  const client = await start({ ticket_lifetime_ms: 1 })
  const slot = await client.slot()
  await until(() => Date.now() > Date.parse((slot as Slot & { expires_at: string }).expires_at))
  const answer = await put(slot, 'late')
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining('AuthenticationFailed'),
  ])
  expect(client.service.blobFaults.count).toBe(0)
})

test('B-07 more bytes than the slot allows are refused before they are read', async () => {
  const client = await start({ max_upload_bytes: 10 })
  const slot = await client.slot()
  expect((await put(slot, 'x'.repeat(11))).status).toBe(413)
  expect((await put(slot, 'x'.repeat(10))).status).toBe(201)
})

test('B-07 a slot that is gone is a 404', async () => {
  const client = await start()
  const slot = await client.slot()
  await client.service.removeAsset(slot.asset_id)
  expect((await put(slot, 'small')).status).toBe(404)
  expect((await put(slot, 'x'.repeat(100_000))).status).toBe(404)
  expect((await fetch(`${client.service.blob}/`)).status).toBe(400)
})

test('B-09 tickets survive a restart on the same ports', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir })
  const slot = await first.slot()
  const [port, blob_port] = [first.service.api, first.service.blob].map((origin) =>
    Number(new URL(origin).port),
  )
  await first.service.close()
  const second = await start({ data_dir, port: port!, blob_port: blob_port! })
  expect((await put(slot, 'bytes')).status).toBe(201)
  expect(
    (await second.as({ token: first.token }).post(`/v1/assets/${slot.asset_id}/complete`)).status,
  ).toBe(200)
})

test('B-25 before complete a new PUT replaces the bytes: small, large and small again', async () => {
  const client = await start()
  const data_dir = client.service.data_dir
  const slot = await client.slot()
  const large = 'line of text\n'.repeat(20_000)
  const in_files = () => readdirSync(join(data_dir, 'objects')).length
  await put(slot, 'small')
  expect(in_files()).toBe(0)
  await put(slot, large)
  expect(client.service.readBlob(slot.asset_id).toString()).toBe(large)
  await put(slot, `${large}more`)
  expect(in_files()).toBe(1)
  await put(slot, 'small again')
  expect(client.service.readBlob(slot.asset_id).toString()).toBe('small again')
  await until(() => in_files() === 0)
})

test('B-25 after complete the same bytes are accepted again, and others are refused', async () => {
  const client = await start()
  const slot = await client.slot()
  await put(slot, 'accepted')
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  expect((await put(slot, 'accepted')).status).toBe(201)
  expect((await put(slot, 'another')).status).toBe(409)
  expect((await put(slot, 'x'.repeat(100_000))).status).toBe(409)
  expect(client.service.readBlob(slot.asset_id).toString()).toBe('accepted')
  expect(readdirSync(join(client.service.data_dir, 'objects'))).toEqual([])
})

test('a large body goes through the disk, not through memory, and its md5 is that of the file', async () => {
  const client = await start()
  const file = join(temporaryFolder(), 'large')
  writeFileSync(file, Buffer.alloc(128 * 1024 * 1024, 'All work and no play. '))
  const slot = await client.slot({ filename: 'large.bin', mime_type: 'application/octet-stream' })
  global.gc?.()
  const before = process.memoryUsage().arrayBuffers
  let max = 0
  client.service.on('during', () => {
    max = process.memoryUsage().arrayBuffers - before
  })
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      slot.upload_url,
      { method: 'PUT', headers: { ...slot.upload_headers, 'content-length': statSync(file).size } },
      (response) => resolve(response.resume().statusCode ?? 0),
    )
    sent.on('error', reject)
    createReadStream(file).pipe(sent)
  })
  expect(status).toBe(201)
  expect((await client.post(`/v1/assets/${slot.asset_id}/complete`)).body.size_in_bytes).toBe(
    128 * 1024 * 1024,
  )
  const stored = client.service.readBlob(slot.asset_id)
  expect(client.service.assets(client.project_id)[0]?.md5).toBe(md5Of(stored))
  // Half of the body, 64 MB, had arrived at that moment.
  expect(max).toBeLessThan(40 * 1024 * 1024)
})

test('a body whose row cannot be written is refused and leaves nothing; the slot takes it later', async () => {
  const client = await start()
  const slot = await client.slot()
  const large = 'x'.repeat(100_000)
  await put(slot, large)
  const objects = () => readdirSync(join(client.service.data_dir, 'objects'))
  const before = objects()
  const file = join(client.service.data_dir, 'service.db')
  const other = openSqlite({ file, migrations: service_migrations, synchronous: 'NORMAL' })
  other.exec('BEGIN IMMEDIATE')
  // The lock is held for longer than the service waits.
  const refused = await put(slot, `${large}more`)
  other.exec('ROLLBACK')
  other.close()
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining('ServerBusy'),
  ])
  expect(objects()).toEqual(before)
  expect(client.service.readBlob(slot.asset_id).toString()).toBe(large)
  expect((await put(slot, `${large}more`)).status).toBe(201)
})

test.each([10_000, 1_000_000])(
  'a body of %i bytes that breaks off leaves nothing',
  async (size) => {
    const client = await start()
    const slot = await client.slot()
    const url = new URL(slot.upload_url)
    const headers = Object.entries({
      ...slot.upload_headers,
      Host: url.host,
      'Content-Length': String(size),
    })
    const socket = connect(Number(url.port), url.hostname)
    const half_way = new Promise<void>((resolve) => client.service.on('during', () => resolve()))
    const ended = new Promise<void>((resolve) => {
      client.service.on('end', (entry) => {
        if (entry.place === 'put') resolve()
      })
    })
    socket.write(
      `PUT ${url.pathname}${url.search} HTTP/1.1\r\n${headers.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`,
    )
    socket.write('x'.repeat(size - 1))
    await half_way
    socket.destroy()
    await ended
    await until(() => readdirSync(join(client.service.data_dir, 'objects')).length === 0)
    expect(client.service.assets(client.project_id)[0]?.bare).toBe(true)
    expect((await put(slot, 'whole')).status).toBe(201)
  },
)

test.each([10, 1_000_000])(
  'a body of %i bytes ends at once if its sender goes before it is read',
  async (length) => {
    const gone = new PassThrough()
    gone.destroy()
    await once(gone, 'close')
    const folder = temporaryFolder()
    const options = { length, files: openObjectFiles(folder), halfWay: () => undefined }
    expect(await receiveBody(gone as unknown as IncomingMessage, options)).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  },
)

test('files without a row are removed at the next start', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir })
  const kept = await first.upload('x\n'.repeat(50_000))
  await first.service.close()
  writeFileSync(join(data_dir, 'objects', 'left-over'), 'half a body')
  const second = await start({ data_dir })
  expect(readdirSync(join(data_dir, 'objects'))).toHaveLength(1)
  expect(second.service.readBlob(kept)).toHaveLength(100_000)
})

test('only its owner can read what the service keeps', async () => {
  const client = await start()
  await client.upload('x\n'.repeat(50_000))
  const { data_dir } = client.service
  expect(statSync(join(data_dir, 'objects')).mode & 0o777).toBe(0o700)
  const files = readdirSync(data_dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(files.length).toBeGreaterThan(3)
  for (const file of files)
    expect(statSync(join(file.parentPath, file.name)).mode & 0o777, file.name).toBe(0o600)
})
