import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createNetServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { type Clock, day_ms, system_clock } from '../../../src/base/time/time.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeStore } from '../../rig/tree.ts'
import { within } from '../../rig/waiting.ts'
import { SluiceHome } from './sluice-home.ts'

let service: Service
const servers: { close(done: () => void): unknown; closeAllConnections?(): void }[] = []

beforeAll(async () => {
  service = await startService({ data_dir: makeStore() })
})

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections?.()
    await new Promise<void>((resolve) => server.close(resolve))
  }
  await service.close()
})

/** A service that always gives the same answer. */
async function answering(status: number, type: string, body: string): Promise<string> {
  const server: Server = createServer((incoming, response) => {
    incoming.resume()
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that does not speak HTTP. */
async function babbling(): Promise<string> {
  const server = createNetServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('SSH-2.0-OpenSSH_9.9\r\n'),
  )
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function shiftedClock(by_ms: number): Clock {
  return { ...system_clock, now_ms: () => system_clock.now_ms() + by_ms }
}

async function pass(home: SluiceHome, clock: Clock) {
  const config = home.config()
  const { secrets } = openSecrets(config, {})
  const log = createLog({ level: 'silent', format: 'json' })
  const daemon = await startDaemon({ config, secrets, clock, log, mode: 'once' })
  try {
    return await within('the pass', daemon.drained, 50_000)
  } finally {
    await daemon.stop()
  }
}

/** Invalid answers with status 200 to the call that makes a slot. */
const not_understood = {
  nonsense: '{"hello":"world"}',
  nothing: '',
  'no JSON': 'OK',
  null: 'null',
  'an id of another kind': '{"asset_id":"project_0123456789abcdefghij","already_exists":true}',
  'an upload without TLS to another host': JSON.stringify({
    asset_id: 'asset_0123456789abcdefghij',
    upload_url: 'http://203.0.113.7/x?sig=1',
    upload_method: 'PUT',
    upload_headers: {},
    expires_at: '2999-01-01T00:00:00Z',
  }),
}

/**
 * The clock runs twenty times as fast. A disk check needs a thread, whose start takes half a second
 * on a busy machine.
 */
const patient = { scan: { answer_ms: '10m' } }

// Each test waits half a minute on a fast clock, the time that a pass gives a service to come back.
describe.concurrent('a server that is not the service', { timeout: 60_000 }, () => {
  const html = '<!doctype html><title>Sign in to the hotel network</title>'
  const cases: readonly (readonly [what: string, base_url: () => Promise<string>, said: RegExp])[] =
    [
      ['on a closed port', async () => 'http://127.0.0.1:1', /nothing listens there/],
      [
        'a web page with 200',
        () => answering(200, 'text/html', html),
        /a web page in place of the service answered 200/,
      ],
      ['a web page with 404', () => answering(404, 'text/html', html), /404/],
      ['no HTTP at all', babbling, /the answer is not HTTP/],
      ['busy for ever', () => answering(503, 'application/json', '"come back later"'), /503/],
      ...Object.entries(not_understood).map(([what, body]) => {
        return [
          `200 with ${what}`,
          () => answering(200, 'application/json', body),
          /an answer that is not understood/,
        ] as const
      }),
    ]
  test.each(cases)(
    '%s: the pass ends, gives the reason, and blames no file',
    async (_what, base_url, said) => {
      const home = new SluiceHome({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' })
      const project_id = home.use(service)
      home.configure({ service: { base_url: await base_url(), project_id }, top: patient })
      const clock = new MovingClock({ times: 20 })
      const drained = await pass(home, clock)
      expect(drained).toMatchObject({
        why: expect.not.stringMatching('done'),
        error: { message: expect.stringMatching(said) },
      })
      for (const stage of Object.values(home.stages()))
        expect(['wanted', 'reserving']).toContain(stage)

      home.configure({ service: { base_url: service.api, project_id }, top: patient })
      expect(await pass(home, clock)).toEqual({ why: 'done' })
      expect(new Set(Object.values(home.stages()))).toEqual(new Set(['ready']))
      expect(service.assets(project_id)).toHaveLength(4)
    },
  )
})

test.each([
  ['ten years ahead', 3_650 * day_ms],
  ['ten years behind', -3_650 * day_ms],
])('a clock that is %s: every file is uploaded all the same', async (_what, by_ms) => {
  const home = new SluiceHome({ 'a.txt': `clock ${by_ms}`, 'sub/b.txt': `also ${by_ms}` })
  const project_id = home.use(service)
  expect(await pass(home, shiftedClock(by_ms))).toEqual({ why: 'done' })
  expect(home.stages()).toEqual({ 'a.txt': 'ready', 'sub/b.txt': 'ready' })
  // After the clock is set right, nothing is sent again.
  expect(await pass(home, system_clock)).toEqual({ why: 'done' })
  expect(service.assets(project_id)).toHaveLength(2)
})
