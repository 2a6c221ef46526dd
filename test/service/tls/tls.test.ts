import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { day_ms, system_clock } from '../../../src/base/time/time.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { openGate } from '../../../src/service/address.ts'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { capturedTerminal } from '../../cli/captured-terminal.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { md5Of, start, temporaryFolder, until } from '../fixture.ts'

function certificates(hosts: string[], clock = system_clock) {
  const files = makeCertificates(temporaryFolder(), hosts, clock)
  return {
    files,
    tls: { cert_file: files.cert, key_file: files.key },
    ca: readFileSync(files.ca, 'utf8'),
  }
}

interface Received {
  status: number
  body: string
  headers: IncomingHttpHeaders
}

/** Makes a call over TLS, or without, that trusts this authority alone. */
function send(
  url: string,
  {
    ca,
    method = 'GET',
    headers = {},
    body,
  }: { ca?: string; method?: string; headers?: object; body?: string },
): Promise<Received> {
  const ask = url.startsWith('https:') ? request : plainRequest
  return new Promise((resolve, reject) => {
    // These tests do not check the certificate's name: Node would take it from the Host header.
    const trust = { ca, checkServerIdentity: () => undefined, agent: false }
    const asked = ask(url, { method, headers: { ...headers }, ...trust }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, body: text, headers: answer.headers }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** A service that is closed with the test, with a key. */
async function served(options: Partial<ServiceOptions>) {
  const client = await start(options)
  return {
    service: client.service,
    keys: { 'x-api-key': client.token, 'x-project-id': client.project_id },
  }
}

async function uploadTo(
  service: Service,
  keys: object,
  ca: string,
): Promise<{ asset_id: string; upload_url: string }> {
  const json = { ...keys, 'content-type': 'application/json' }
  const text = 'over the wire'
  const wish = JSON.stringify({ filename: 'a.txt', mime_type: 'text/plain', md5: md5Of(text) })
  const slot = JSON.parse(
    (await send(`${service.api}/v1/assets`, { ca, method: 'POST', headers: json, body: wish }))
      .body,
  )
  const put = {
    ca,
    method: 'PUT',
    headers: { ...slot.upload_headers, 'content-length': text.length },
    body: text,
  }
  expect(
    (await send(service.blob + slot.upload_url.slice(new URL(slot.upload_url).origin.length), put))
      .status,
  ).toBe(201)
  const done = await send(`${service.api}/v1/assets/${slot.asset_id}/complete`, {
    ca,
    method: 'POST',
    headers: keys,
  })
  expect(done.status).toBe(200)
  return slot
}

test('both listeners speak TLS, and nothing else', async () => {
  const { tls, ca } = certificates(['127.0.0.2'])
  const { service, keys } = await served({ listen: '127.0.0.2', tls })
  expect([service.api, service.blob]).toEqual([
    expect.stringMatching(/^https:\/\/127\.0\.0\.2:\d+$/),
    expect.stringMatching(/^https:\/\/127\.0\.0\.2:\d+$/),
  ])
  const { asset_id, upload_url } = await uploadTo(service, keys, ca)
  expect(new URL(upload_url).origin).toBe(service.blob)
  const [project] = service.projects.list()
  await until(() =>
    service
      .assets(project!.project_id)
      .some((asset) => asset.asset_id === asset_id && asset.status === 'ready'),
  )
  const { url } = service.members.add('ada@example.org', project!.project_id, 'reader')!
  expect(url.startsWith(`${service.api}/invitations/`)).toBe(true)
  expect((await send(url, { ca, method: 'POST' })).body).toMatch(/pat_[A-Za-z0-9]{32}/)
  for (const origin of [service.api, service.blob]) {
    await expect(send(origin.replace('https', 'http'), {})).rejects.toThrow()
    await expect(send(origin, {})).rejects.toThrow(/certificate|issuer/)
  }
})

test('an address that is not loopback needs TLS and nothing more', async () => {
  const { tls } = certificates(['192.0.2.7'])
  const data_dir = temporaryFolder()
  await expect(startService({ data_dir, listen: '192.0.2.7' })).rejects.toThrow(
    /without TLS: plain HTTP is for this machine only/,
  )
  // No machine has this address: the start gets as far as listening.
  await expect(startService({ data_dir, listen: '192.0.2.7', tls })).rejects.toMatchObject({
    code: 'http.listen',
  })
  await expect(startService({ data_dir, listen: '0.0.0.0', tls })).rejects.toThrow(
    /without public_url/,
  )
})

test('unusable certificates and keys are reported before anything is served', async () => {
  const { tls, files } = certificates(['127.0.0.2'])
  const other = certificates(['127.0.0.2'])
  const file = (text: string) => {
    const path = join(temporaryFolder(), 'odd.pem')
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const clock = new FakeClock(Date.now() - 2_000 * day_ms)
  const old = certificates(['127.0.0.2'], clock)
  const cases: [ServiceOptions['tls'], RegExp][] = [
    [
      { ...tls, cert_file: '/nowhere.pem' },
      /the certificate \/nowhere.pem cannot be used: no such file or directory/,
    ],
    [
      { ...tls, key_file: '/nowhere.key' },
      /the key \/nowhere.key cannot be used: no such file or directory/,
    ],
    [{ ...tls, cert_file: file('no certificate') }, /the certificate .* cannot be used/],
    [{ ...tls, key_file: file('no key') }, /the key .* cannot be used/],
    [{ ...tls, key_file: other.tls.key_file }, /does not belong to the certificate/],
    [old.tls, /expired on/],
  ]
  for (const [odd, message] of cases) {
    await expect(start({ tls: odd })).rejects.toMatchObject({
      code: 'config.service',
      message: expect.stringMatching(message),
    })
  }
  await expect(start({ tls, clock })).rejects.toThrow(/is not valid before/)
  chmodSync(files.key, 0o640)
  await expect(start({ tls })).rejects.toThrow(/group or others can read the key/)
})

test('a certificate that ends soon is reported at the start', async () => {
  const { tls } = certificates(['127.0.0.2'], new FakeClock(Date.now() - 800 * day_ms))
  const lines: string[] = []
  await served({ tls, log: (line) => void lines.push(line) })
  expect(lines).toEqual([expect.stringMatching(/expires on/)])
})

test('--tls-cert and --tls-key go together', async () => {
  for (const option of ['--tls-cert', '--tls-key']) {
    const { terminal, err } = capturedTerminal()
    const code = await runCli(
      ['serve', option, 'x.pem', '--data-dir', temporaryFolder()],
      terminal,
      commands,
    )
    expect([code, err()]).toEqual([
      64,
      expect.stringMatching(/is missing: a certificate and its key go together/),
    ])
  }
})

test('A-16 besides loopback names, Host is an address or a name of the certificate; Origin is the service’s own', async () => {
  const { tls, ca } = certificates(['127.0.0.2', 'sluice.lan'])
  const { service, keys } = await served({
    listen: '127.0.0.2',
    tls,
    allowed_origins: ['https://desk.lan'],
  })
  const port = new URL(service.api).port
  const status = async (headers: object, origin = service.api) =>
    (await send(`${origin}/v1/assets`, { ca, headers: { ...keys, ...headers } })).status
  for (const host of [`127.0.0.2:${port}`, `sluice.lan:${port}`, 'SLUICE.LAN'])
    expect(await status({ host })).toBe(200)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '192.0.2.1',
    'sluice.lan.evil.example',
    'x@sluice.lan',
  ]) {
    expect(await status({ host }), host).toBe(400)
  }
  const own = [service.api, `https://sluice.lan:${port}`, 'https://desk.lan']
  for (const origin of own) expect(await status({ origin }), origin).toBe(200)
  const foreign = [
    'https://evil.example',
    'null',
    `http://sluice.lan:${port}`,
    'https://desk.lan.evil.example',
  ]
  for (const origin of foreign) expect(await status({ origin }), origin).toBe(400)
  // The blob store checks Host in the same way; an Origin is not signed.
  const { upload_url } = await uploadTo(service, keys, ca)
  const put = (headers: object) =>
    send(upload_url, { ca, method: 'PUT', headers: { 'content-length': 0, ...headers } })
  expect((await put({ host: 'evil.example' })).status).toBe(400)
})

test('on loopback without a public address pages of any origin may call, unless an option forbids it', () => {
  const gate = (allowed_origins?: string[], listen = '127.0.0.1') =>
    openGate({
      listen,
      certificate: undefined,
      public_url: undefined,
      public_blob_url: undefined,
      allowed_origins,
    })
  expect(gate().isAllowedOrigin('https://any.example')).toBe(true)
  expect(gate([]).isAllowedOrigin('https://any.example')).toBe(false)
  expect(gate(undefined, '192.0.2.7').isAllowedOrigin('https://any.example')).toBe(false)
  expect(gate(['*'], '192.0.2.7').isAllowedOrigin('https://any.example')).toBe(true)
  expect(gate(undefined, '192.0.2.7').isAllowedOrigin(undefined)).toBe(true)
  for (const listen of ['2001:db8::5', '2001:DB8:0::5', '2001:db8::5%eth0']) {
    expect(gate(undefined, listen).isOurHost('[2001:db8::5]:8443'), listen).toBe(true)
  }
})

test('behind a reverse proxy the service uses the proxy’s addresses and accepts its headers', async () => {
  const [public_url, public_blob_url] = [
    'https://sluice.example.org/api',
    'https://blobs.example.org',
  ]
  const client = await start({ public_url, public_blob_url })
  const { service } = client
  const forwarded = {
    'x-forwarded-for': '192.0.2.9',
    'x-forwarded-proto': 'https',
    'x-real-ip': '192.0.2.9',
    via: '1.1 proxy',
  }
  const keys = { 'x-api-key': client.token, 'x-project-id': client.project_id, ...forwarded }
  const through = await send(`${service.api}/v1/assets`, {
    headers: { ...keys, host: 'sluice.example.org' },
  })
  expect(through.status).toBe(200)
  const beside = await send(`${service.api}/v1/assets`, {
    headers: { ...keys, host: 'other.example.org' },
  })
  expect(beside.status).toBe(400)
  const page = { ...keys, host: 'sluice.example.org', origin: 'https://evil.example' }
  expect((await send(`${service.api}/v1/assets`, { headers: page })).status).toBe(400)

  const text = 'through a proxy'
  const slot = await client.slot({ md5: md5Of(text) })
  expect(slot.upload_url).toMatch(/^https:\/\/blobs\.example\.org\/objects\//)
  const headers = {
    ...slot.upload_headers,
    ...forwarded,
    host: 'blobs.example.org',
    'content-length': text.length,
  }
  const path = slot.upload_url.slice(public_blob_url.length)
  expect((await send(service.blob + path, { method: 'PUT', headers, body: text })).status).toBe(201)
  expect((await client.get('/v1/openapi.yaml')).body).toContain(
    `url: ${JSON.stringify(public_url)}`,
  )
  const guest = { email: 'ada@example.org', role: 'reader' }
  const { url } = (await client.post(`/v1/projects/${client.project_id}/invitations`, guest)).body
  expect(url.startsWith(`${public_url}/invitations/`)).toBe(true)
})
