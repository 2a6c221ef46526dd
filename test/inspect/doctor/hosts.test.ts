import { createServer, type Server } from 'node:https'
import {
  type AddressInfo,
  createServer as createPlainServer,
  type Server as PlainServer,
} from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { proxyFor } from '../../../src/base/net/connect.ts'
import { checkBlobHost, checkHost } from '../../../src/inspect/doctor/check-hosts.ts'
import { checkCa, judgeClock } from '../../../src/inspect/doctor/check-service.ts'
import type { LedgerView } from '../../../src/ledger/views/view.ts'
import { makeTree } from '../../rig/tree.ts'
import { levels, makeCertificate, toolsFor } from './doctor-rig.ts'

const servers: (Server | PlainServer)[] = []
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  )
})

async function listen(server: Server | PlainServer): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const trusted = makeCertificate('localhost', ['2020', '2090'])
const expired = makeCertificate('localhost', ['2020', '2021'])
const elsewhere = makeCertificate('elsewhere.test', ['2020', '2090'])
const plain = { pem: undefined, field: 'service.ca_file' }

describe('a host by TLS', () => {
  test('ca_file makes it trusted', async () => {
    const url = new URL(`https://localhost:${await listen(createServer(trusted))}`)
    const check = await checkHost('api_host', url, toolsFor(), {
      pem: trusted.cert,
      field: 'service.ca_file',
    })
    expect(check).toMatchObject({
      level: 'ok',
      about: url.host,
      message: 'reachable, its certificate is trusted',
    })
  })

  test('self-signed: says what to do with the company’s authority', async () => {
    const url = new URL(`https://localhost:${await listen(createServer(trusted))}`)
    const check = await checkHost('api_host', url, toolsFor(), plain)
    expect(check).toMatchObject({
      level: 'fault',
      message: 'no trusted connection was made (its certificate is self-signed)',
    })
    expect(check.hint).toContain('name its file as service.ca_file')
  })

  test('expired: suggests to check the clock first', async () => {
    const url = new URL(`https://localhost:${await listen(createServer(expired))}`)
    const check = await checkHost('api_host', url, toolsFor(), { ...plain, pem: expired.cert })
    expect(check).toMatchObject({
      level: 'fault',
      message: 'no trusted connection was made (its certificate has expired)',
    })
    expect(check.hint).toContain('check the clock')
  })

  test('for another host', async () => {
    const url = new URL(`https://localhost:${await listen(createServer(elsewhere))}`)
    const check = await checkHost('blob_host', url, toolsFor(), { ...plain, pem: elsewhere.cert })
    expect(check).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('is for another host'),
    })
    expect(check.hint).toContain('check the address')
  })

  test('a silent host is given up at the time limit', async () => {
    const sockets = new Set<{ destroy(): void }>()
    const url = new URL(
      `https://localhost:${await listen(createPlainServer((socket) => void sockets.add(socket)))}`,
    )
    const tools = toolsFor({}, { limits: { answer_ms: 300, walk_ms: 300, ledger_ms: 300 } })
    const check = await checkHost('api_host', url, tools, plain)
    expect(check).toMatchObject({ level: 'fault', message: 'no answer in 0.3 s' })
    for (const socket of sockets) socket.destroy()
  })

  test('the blob store of an earlier start of a local service is no fault', async () => {
    const port = await listen(createPlainServer())
    await new Promise((resolve) => servers.pop()!.close(resolve))
    const ledger = { blobOrigin: () => `http://127.0.0.1:${port}` } as LedgerView
    expect(await checkBlobHost(toolsFor({}, { ledger }), undefined)).toMatchObject([
      {
        level: 'warning',
        message: 'nothing listens there (its address at the last upload)',
        hint: expect.stringMatching(/^upload a file and run this again: the service may name/),
      },
    ])
  })

  test('no server listens', async () => {
    const port = await listen(createPlainServer())
    await new Promise((resolve) => servers.pop()!.close(resolve))
    const check = await checkHost(
      'api_host',
      new URL(`https://localhost:${port}`),
      toolsFor(),
      plain,
    )
    expect(check).toMatchObject({
      level: 'fault',
      message: 'nothing listens there',
    })
  })
})

describe('through a proxy', () => {
  test('asks the proxy for a tunnel and says so; a refusal is a fault', async () => {
    const asked: string[] = []
    const answer = {
      text: 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n',
    }
    const port = await listen(
      createPlainServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', (head) => {
          asked.push(head.toString().split('\r\n')[0]!)
          socket.end(answer.text)
        })
      }),
    )
    const proxy = {
      http_proxy: undefined,
      https_proxy: `http://127.0.0.1:${port}`,
      no_proxy: undefined,
    }
    const check = await checkHost(
      'api_host',
      new URL('https://service.invalid'),
      toolsFor({}, { proxy }),
      plain,
    )
    expect(asked).toEqual(['CONNECT service.invalid:443 HTTP/1.1'])
    expect(check).toMatchObject({
      level: 'fault',
      message: expect.stringMatching(/^the proxy refused to connect \(status 407\) \(through/),
    })
  })

  test('names an unreachable proxy, which gives the error of an unreachable host', async () => {
    const port = await listen(createPlainServer())
    await new Promise((resolve) => servers.pop()!.close(resolve))
    const proxy = {
      http_proxy: undefined,
      https_proxy: `http://ann:sesame@127.0.0.1:${port}`,
      no_proxy: undefined,
    }
    const check = await checkHost(
      'api_host',
      new URL('https://service.invalid'),
      toolsFor({}, { proxy }),
      plain,
    )
    expect(check).toMatchObject({
      message: expect.stringContaining(
        `nothing listens there (through the proxy 127.0.0.1:${port},`,
      ),
      hint: expect.stringContaining('NO_PROXY=service.invalid'),
    })
    expect(JSON.stringify(check)).not.toContain('sesame')
  })

  test.each([
    ['https://api.example.com', 'proxy.test', undefined],
    ['https://api.example.com', undefined, 'example.com'],
    ['https://api.example.com', undefined, '.example.com, other.test'],
    ['https://api.example.com', undefined, '*'],
    ['https://api.example.com', 'proxy.test', 'example.com:8443'],
    ['https://api.example.com', 'proxy.test', 'ple.com'],
    ['https://127.0.0.1:8443', undefined, undefined],
  ])('%s goes by %s where no_proxy is %s', (url, way, no_proxy) => {
    const proxy = { http_proxy: '', https_proxy: 'http://proxy.test:3128', no_proxy }
    expect(proxyFor(new URL(url), proxy)?.hostname).toBe(way)
  })
})

describe('the certificates of ca_file', () => {
  const now_ms = Date.UTC(2026, 0, 1)
  test('valid, expired, empty and missing files', () => {
    expect(levels(checkCa(trusted.file, now_ms).checks)).toEqual(['ok ca'])
    expect(checkCa(trusted.file, now_ms).pem).toBe(trusted.cert)
    expect(checkCa(expired.file, now_ms).checks[0]).toMatchObject({
      level: 'fault',
      message: 'the certificate expired on 2021-01-31',
    })
    const root = makeTree({ 'ca.pem': 'no certificate' })
    expect(levels(checkCa(`${root}/ca.pem`, now_ms).checks)).toEqual(['fault ca'])
    expect(levels(checkCa(`${root}/missing.pem`, now_ms).checks)).toEqual(['fault ca'])
    const last_days = Date.UTC(2090, 0, 20)
    const soon = { level: 'warning', message: 'the certificate expires on 2090-01-31' }
    expect(checkCa(trusted.file, last_days).checks).toMatchObject([soon])
    const two = makeTree({
      'good.pem': trusted.cert.repeat(2),
      'mixed.pem': trusted.cert + expired.cert,
    })
    expect(checkCa(`${two}/good.pem`, last_days).checks[0]!.message).toBe(
      '2 certificates, the last of them expires on 2090-01-31',
    )
    expect(checkCa(`${two}/good.pem`, Date.UTC(2091)).checks[0]!.message).toBe(
      '2 certificates, the last of them expired on 2090-01-31',
    )
    expect(checkCa(`${two}/mixed.pem`, now_ms).checks[0]!.message).toBe(
      '2 certificates, 1 of them expired',
    )
    expect(checkCa(undefined, now_ms).checks).toEqual([])
  })
})

test.each([
  [0, 'ok'],
  [59_000, 'ok'],
  [-59_000, 'ok'],
  [120_000, 'warning'],
  [-120_000, 'warning'],
  [3_600_000, 'fault'],
])('a clock that is off by %i ms: %s', (off_ms, level) => {
  expect(judgeClock(1_000_000_000_000, 1_000_000_000_000 + off_ms).level).toBe(level)
})
