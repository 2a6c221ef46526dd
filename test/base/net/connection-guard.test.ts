import { once } from 'node:events'
import { request, type Server, type ServerResponse } from 'node:http'
import { request as requestTls } from 'node:https'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GuardOptions, guardConnections } from '../../../src/base/net/connection-guard.ts'
import { type HeldPlace, networkOf, placeFor } from '../../../src/base/net/connection-places.ts'
import { closeServer, createBareServer, listen } from '../../../src/base/net/http-server.ts'
import { test_certificate, test_key } from '../../remote/test-certificate.ts'
import { holdConnections } from '../../rig/hold-connections.ts'
import { until } from '../../rig/waiting.ts'

describe('the place of a new connection', () => {
  const silent = (network = 'a'): HeldPlace => ({ network, request: undefined, open_requests: 0 })
  const asked = (network: string, complete: boolean, open_requests: number): HeldPlace => ({
    network,
    request: { complete },
    open_requests,
  })
  const idle = (network = 'a') => asked(network, true, 0)
  const receiving = (network = 'a') => asked(network, false, 1)
  const working = (network = 'a') => asked(network, true, 1)
  const places = { max: 3, max_an_address: 2, has_small_bodies: true }
  const large = { ...places, has_small_bodies: false }

  type Case = [what: string, network: string | undefined, HeldPlace[], typeof places, unknown]
  const cases: Case[] = [
    ['places are left', 'b', [silent()], places, 'free'],
    ['a place is left for the address', 'a', [silent()], places, 'free'],
    ['the address has its limit', 'a', [silent('b'), silent(), silent()], places, 1],
    [
      'the address has its limit, and works',
      'a',
      [silent('b'), working(), working()],
      places,
      'none',
    ],
    ['the address is shared', undefined, [silent(), silent()], places, 'free'],
    ['all are taken: the first silent one goes', 'b', [working(), silent(), silent()], places, 1],
    ['a silent one goes before an idle one', 'c', [idle(), silent('b'), working('b')], places, 1],
    ['an idle one goes before one that sends', 'c', [receiving(), idle('b'), working()], places, 1],
    [
      'all work: one that sends its body goes',
      'c',
      [working(), receiving(), working('b')],
      places,
      1,
    ],
    ['bodies may be large', 'c', [working(), receiving(), receiving('b')], large, 'none'],
    ['all wait for answers', 'c', [working(), working(), working('b')], places, 'none'],
  ]
  test.each(cases)('%s', (_what, network, held, limits, expected) => {
    const place = placeFor(network, held, limits)
    expect(typeof place === 'string' ? place : held.indexOf(place)).toBe(expected)
  })
})

test.each([
  ['10.0.0.7', '10.0.0.7'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::7', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::ffff:a00:1', '10.0.0.1'],
  ['::FFFF:c0a8:107', '192.168.1.7'],
  ['2001:0DB8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['unknown', 'unknown'],
])('%s counts for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

const tls = { cert: test_certificate, key: test_key }
const answerError = () => ({ status: 400, body: {} })

async function begin(
  options: GuardOptions,
  handle: Parameters<typeof createBareServer>[0]['handle'],
  tls_keys?: typeof tls,
): Promise<{ server: Server; port: number }> {
  const server = createBareServer({ answerError, tls: tls_keys, handle })
  guardConnections(server, options)
  const port = await listen(server, '127.0.0.1', 0)
  onTestFinished(() => closeServer(server, 0))
  return { server, port }
}

/** The status; `closed` if the connection ended without an answer. */
async function ask(port: number, has_tls = false): Promise<number | string> {
  const asked = (has_tls ? requestTls : request)({
    port,
    host: '127.0.0.1',
    agent: false,
    rejectUnauthorized: false,
  })
  asked.end()
  try {
    const [answer] = await once(asked, 'response')
    answer.resume()
    return answer.statusCode
  } catch {
    return 'closed'
  }
}

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))()
const places = { max: 20, has_small_bodies: true }

test.each([undefined, tls])('silent connections make way for requests (TLS: %o)', async (keys) => {
  const { server, port } = await begin(
    places,
    (_request, response) => void response.end('ok'),
    keys,
  )
  await holdConnections({ port, host: '127.0.0.1' }, 60)
  await until('the others are closed', async () => (await connectionsOf(server)) <= places.max)
  expect(await ask(port, keys !== undefined)).toBe(200)
})

test.each([undefined, tls])('a request in progress keeps its place (TLS: %o)', async (keys) => {
  const served: ServerResponse[] = []
  const { port } = await begin(places, (_request, response) => void served.push(response), keys)
  const slow = ask(port, keys !== undefined)
  await until('it is served', () => served.length === 1)
  await holdConnections({ port, host: '127.0.0.1' }, 60)
  served[0]!.end('ok')
  expect(await slow).toBe(200)
})

test('one address has its own limit, and takes no place of another', async () => {
  let served = 0
  const options = {
    ...places,
    max_an_address: 5,
    isShared: (from?: string) => from === '127.0.0.9',
  }
  const { server, port } = await begin(options, () => void served++)
  const text = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const from = (localAddress: string) => ({ port, host: '127.0.0.1', localAddress })
  await holdConnections(from('127.0.0.2'), 9, text)
  await until('five are served', () => served === 5)
  await holdConnections(from('127.0.0.3'), 9, text)
  await until('five of the other are served', () => served === 10)
  await until('none is counted above', async () => (await connectionsOf(server)) === 10)
  await holdConnections(from('127.0.0.9'), 9, text)
  await until('those of a proxy have no such limit', () => served === 19)
})

test('a client that reads none of its answer is cut, and one whose answer takes its time is not', async () => {
  const large = Buffer.alloc(20_000_000)
  const { server, port } = await begin(places, ({ url }, response) => {
    if (url === '/large') response.end(large)
  })
  // It is a minute.
  server.timeout = 300
  const where = { port, host: '127.0.0.1' }
  const [unread, waiting] = await Promise.all([
    holdConnections(where, 1, 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n'),
    holdConnections(where, 1, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'),
  ])
  unread[0]!.pause()
  await until('one is cut', async () => (await connectionsOf(server)) === 1)
  waiting[0]!.end()
  await until('the other ended by itself', async () => (await connectionsOf(server)) === 0)
})
