import { renameSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { codeOf } from '../../../src/base/run/errors.ts'
import { countOpen, holdConnections } from '../../rig/hold-connections.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { type Verdict, Watched } from './rig.ts'

test('serves healthz, readyz and metrics; a reload moves the address', {
  timeout: 60_000,
}, async () => {
  const watched = await Watched.begin()
  await watched.synced()
  await watched.green()
  expect(await watched.get('/healthz')).toMatchObject({
    status: 200,
    text: '{"alive":true,"stuck":[]}\n',
  })
  expect(await watched.get('/readyz')).toMatchObject({
    status: 200,
    text: '{"healthy":true,"problems":[]}\n',
  })

  watched.write({ 'b.txt': 'bb' })
  await watched.synced()
  const { status, type, text } = await watched.get('/metrics')
  expect(status).toBe(200)
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(text).toContain('sluice_files{folder="docs",state="ready"} 2\n')
  expect(text).toContain('sluice_healthy 1\n')
  expect(text).toContain('sluice_problems{kind="queue"} 0\n')
  expect(text).toMatch(/sluice_requests_total\{call="put",outcome="ok"\} [12]\n/)
  expect(text).toMatch(/sluice_sent_bytes_total [23]\n/)
  expect(text).toMatch(/sluice_upload_calls_allowed [1-9]\d*\n/)
  expect(text).toContain('sluice_bandwidth_limit_bytes_per_second 0\n')
  expect(text).toMatch(/sluice_save_to_ready_seconds_count 1\n/)
  expect(text).toMatch(/sluice_scans_total\{folder="docs"\} [1-9]\n/)
  expect(text).toMatch(/process_resident_memory_bytes \d+\n/)
  expect(text).not.toMatch(/^sluice_last_delivery_timestamp_seconds/m)
  expect(text).not.toContain('b.txt')

  const before = watched.daemon.health!.address
  await watched.reload({ health: { listen: '[::1]:0' } })
  await until('it listens elsewhere', () =>
    /^\[::1\]:\d+$/.test(watched.daemon.health?.address ?? ''),
  )
  await watched.green()
  await expect(fetch(`http://${before}/healthz`)).rejects.toThrow()
  await watched.reload({ health: { listen: 'off' } })
  await until('it listens no more', () => watched.daemon.health?.address === undefined)
})

test('answers for one folder and one prompt', { timeout: 60_000 }, async () => {
  const prompt = { cron: '0 * * * *', prompt: 'What is new?' }
  const prompts = [
    { ...prompt, name: 'docs', scope: { folders: ['docs'] } },
    { ...prompt, name: 'lost', scope: { labels: ['gone'] } },
  ]
  const watched = await Watched.begin({
    other: makeTree(),
    health: { offline_ms: 0 },
    sections: { prompts },
  })
  await watched.synced()
  await watched.green()
  expect(await watched.get('/readyz/folder/docs')).toMatchObject({
    status: 200,
    text: '{"healthy":true,"problems":[]}\n',
  })
  renameSync(watched.docs, `${watched.docs}-away`)
  watched.daemon.rescan()
  await watched.red('folder')
  await watched.daemon.ledger.record([
    { type: 'run_due', prompt: 'lost', due_ms: watched.clock.now_ms(), cause: 'user' },
  ])
  await watched.red('prompt')
  const answers = ['folder/docs', 'folder/other', 'prompt/docs', 'prompt/lost'].map(
    async (path) => {
      const { status, text } = await watched.get(`/readyz/${path}`)
      const { healthy, problems } = JSON.parse(text) as Verdict
      return [path, status, healthy, ...problems.map(({ kind, about }) => `${kind} ${about}`)]
    },
  )
  expect(await Promise.all(answers)).toEqual([
    ['folder/docs', 503, false, 'folder docs'],
    ['folder/other', 200, true],
    ['prompt/docs', 200, true],
    ['prompt/lost', 503, false, 'prompt lost'],
  ])
  for (const path of [
    'folder/lost',
    'prompt/other',
    'prompt/..%2f',
    'project/docs',
    'folder/',
    'folder/docs/a',
  ])
    expect((await watched.get(`/readyz/${path}`)).status, path).toBe(404)
})

test.each([
  ['assets.create', 429],
  ['put', 503],
] as const)(
  '%s answered %d: the client halves its number of parallel calls',
  { timeout: 60_000 },
  async (route, status) => {
    const failures = [{ route, status, retry_after_s: 0, times: 1 }]
    const watched = await Watched.begin({ service: { injected_faults: { failures } } })
    await watched.synced()
    expect((await watched.get('/metrics')).text).toContain('sluice_upload_calls_allowed 2\n')
  },
)

/** The status that a client gets; `fetch` would set both headers itself. */
function statusFor(
  address: string,
  headers: Record<string, string>,
  method = 'GET',
  path = '/metrics',
) {
  return new Promise<number>((resolve, reject) => {
    const [host, port] = [
      address.slice(0, address.lastIndexOf(':')),
      address.slice(address.lastIndexOf(':') + 1),
    ]
    request({ host, port, path, method, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

/** The raw answer to a request text. */
function rawAnswer(address: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(address.split(':').at(-1)), '127.0.0.1')
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.write(`${text}\r\nConnection: close\r\n\r\n`)
  })
}

test('refuses requests from pages in a browser, and from host names that resolve to this machine', {
  timeout: 60_000,
}, async () => {
  const watched = await Watched.begin()
  const address = watched.daemon.health!.address!
  expect(await statusFor(address, {})).toBe(200)
  expect(await statusFor(address, { host: 'localhost:9464' })).toBe(200)
  expect(await statusFor(address, { host: 'evil.example.com' })).toBe(403)
  expect(await statusFor(address, { origin: 'http://evil.example.com' })).toBe(403)
  expect(await statusFor(address, { origin: `http://${address}` })).toBe(403)
  expect(await statusFor(address, { host: 'evil.example.com@localhost' })).toBe(403)
  expect(
    await rawAnswer(address, 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com'),
  ).toMatch(/^HTTP\/1.1 403/)
  expect(await statusFor(address, {}, 'POST')).toBe(405)
  const wrong = await fetch(`http://${address}/readyz`, { method: 'DELETE' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  await wrong.text()
  expect(await statusFor(address, {}, 'POST', '/readyz/folder/docs')).toBe(405)
  for (const path of ['/healthz', '/readyz', '/readyz/folder/docs', '/metrics']) {
    const [asked, checked] = [
      await fetch(`http://${address}${path}`),
      await fetch(`http://${address}${path}`, { method: 'HEAD' }),
    ]
    await asked.text()
    expect([checked.status, checked.headers.get('content-type'), await checked.text()]).toEqual([
      asked.status,
      asked.headers.get('content-type'),
      '',
    ])
  }
  expect(await statusFor(address, {}, 'GET', '/v1/ping')).toBe(404)
})

test('reports an address that is taken, and listens on it once it is free', {
  timeout: 60_000,
}, async () => {
  const first = await Watched.begin()
  const address = first.daemon.health!.address!
  const second = await Watched.begin()
  await second.reload({ health: { listen: address } })
  await until('it is reported', () => second.log.some((line) => line.includes('cannot listen on')))
  await first.stop()
  second.daemon.health!.wake()
  await until('it has it', () => {
    second.daemon.health!.wake()
    return second.daemon.health?.address === address
  })
  await second.green()
})

test('no request is answered after the ledger has closed', { timeout: 60_000 }, async () => {
  let address = ''
  let answered: string | undefined
  const watched = await Watched.begin({
    wrap_ledger: (ledger) => ({
      ...ledger,
      async close() {
        // Use a new connection: one that is kept from before may still be closing.
        answered = await statusFor(address, {}, 'GET', '/readyz').then(String, codeOf)
        await ledger.close()
      },
    }),
  })
  await watched.green()
  address = watched.daemon.health!.address!
  await watched.stop()
  expect(answered).toBe('ECONNREFUSED')
})

test('400 silent connections take no more than 50 places and keep nobody out', async () => {
  const watched = await Watched.begin()
  const { hostname: host, port } = new URL(`http://${watched.daemon.health!.address}`)
  const sockets = await holdConnections({ host, port: Number(port) }, 400)
  await until('the others are closed', () => countOpen(sockets) <= 50)
  expect(await watched.get('/healthz')).toMatchObject({ status: 200 })
})
