import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { createServer, type Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { minute_ms, system_clock } from '../../src/base/time/time.ts'
import { freePort } from '../../src/cli/free-port.ts'
import type { Config } from '../../src/config/config.ts'
import type { Fact } from '../../src/domain/fact.ts'
import { openPageStore } from '../../src/page/access/page-store.ts'
import { keepPage } from '../../src/page/keep-page.ts'
import { makeCertificates } from '../../src/service/tls/make-certificates.ts'
import { configOf } from '../rig/config-of.ts'
import { MovingClock } from '../rig/moving-clock.ts'
import { makeStore } from '../rig/tree.ts'
import { until } from '../rig/waiting.ts'

const service = {
  base_url: 'http://127.0.0.1:1',
  project_id: 'project_0123456789abcdefghij',
  token_file: '/t',
}

/** A kept page, and all that it records and logs. */
async function begin(page: object = {}) {
  const state_dir = makeStore()
  const port = await freePort()
  const clock = new MovingClock()
  const folder = (name: string) => ({ name, path: makeStore() })
  const configWith = (folders: string[], more: object = {}): Config =>
    configOf({
      service,
      state_dir,
      folders: folders.map(folder),
      page: { listen: `127.0.0.1:${port}`, ...page, ...more },
    })
  let config = configWith(['docs'], { listen: 'off' })
  const facts: Fact[] = []
  const logged: string[] = []
  const note = (_fields: object, message: string) => void logged.push(message)
  const log = { info: note, warn: note, error: note } as never
  const record = async (more: readonly Fact[]) => void facts.push(...more)
  const kept = keepPage({ config: () => config, record, log, clock })
  onTestFinished(() => kept.close())
  const store = openPageStore(state_dir, system_clock)
  onTestFinished(() => void store.close())
  store.putUser({ name: 'ada', role: 'operator', folders: 'all' })
  const authorization = `Bearer ${store.makeToken('ada')}`
  const served = (count: number) =>
    until(
      `served ${count} times`,
      () => logged.filter((line) => line === 'the page is served').length === count,
    )
  const setConfig = (...args: Parameters<typeof configWith>) => {
    config = configWith(...args)
  }
  return { setConfig, facts, logged, served, port, clock, authorization, store }
}

async function take(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

test('a port that is taken is a trouble until the page is served', async () => {
  const { setConfig, facts, served, port, clock } = await begin()
  const other = await take(port)
  setConfig(['docs'])
  await until('the trouble', () => facts.length > 0)
  expect(facts).toMatchObject([
    {
      type: 'trouble_began',
      about: 'page',
      error: { code: 'http.listen', message: expect.stringContaining(`${port}`) },
    },
  ])
  for (let tries = 0; tries < 3; tries++) clock.skip(5_000)
  other.close()
  clock.skip(5_000)
  await served(1)
  await until('its end', () => facts.length === 2)
  expect(facts[1]).toEqual({ type: 'trouble_ended', about: 'page' })
})

test('a thread that fails is a trouble until its successor has worked for a minute', async () => {
  const { setConfig, facts, served, clock, port } = await begin()
  const threads: Worker[] = []
  const onWorker = (worker: Worker) => void threads.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  setConfig(['docs'])
  await served(1)
  await threads.at(-1)!.terminate()
  await served(2)
  expect(facts).toMatchObject([
    { type: 'trouble_began', about: 'page', error: { code: 'thread.ended' } },
  ])
  clock.skip(minute_ms / 2)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401)
  expect(facts).toHaveLength(1)
  clock.skip(minute_ms)
  await until('its end', () => facts.length === 2)
  setConfig(['docs'], { listen: 'off' })
  await until('the end of the page', () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => false,
      () => true,
    ),
  )
})

test('a reload changes folders and limits without a break, and only other settings of the page make a new one', async () => {
  const { setConfig, served, port, logged, authorization, store } = await begin()
  setConfig(['docs'])
  await served(1)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const read = (path: string) =>
    new Promise<{ text: string; local_port: number }>((resolve, reject) => {
      http
        .get(`http://127.0.0.1:${port}${path}`, { agent, headers: { authorization } }, (answer) => {
          const local_port = answer.socket.localPort!
          let text = ''
          answer.on('data', (part: Buffer) => {
            text += part
          })
          answer.on('end', () => resolve({ text, local_port }))
        })
        .on('error', reject)
    })
  const ask = store.database.prepare(
    `INSERT INTO questions (user, asked_ms, wish, over) VALUES ('ada', ?, '{}', '[]')`,
  )
  const error = store.database.prepare('SELECT error FROM questions').pluck()
  ask.run(system_clock.now_ms())
  const before = await read('/files')
  expect(before.text).not.toContain('minutes')
  setConfig(['docs', 'minutes'], { readers_ask: 0 })
  await until('the new folder', async () => (await read('/files')).text.includes('minutes'))
  expect((await read('/about')).text).toContain('readers_ask: 0')
  expect((await read('/files')).local_port, 'the same connection').toBe(before.local_port)
  expect(logged.filter((line) => line === 'the page is served')).toHaveLength(1)
  expect(error.get(), 'of a question that is open').toBeNull()
  setConfig(['docs'], { base_url: 'https://sluice.example/s' })
  await served(2)
  expect((await fetch(`http://127.0.0.1:${port}/s/`)).status).toBe(401)
  expect(error.get()).toContain('started again')
})

test('a renewed certificate is taken over without a reload; one that cannot be used leaves the page as it is', async () => {
  const make = () => makeCertificates(makeStore(), ['127.0.0.1'], system_clock)
  const { cert, key, ca } = make()
  const { setConfig, served, port, facts, clock, logged } = await begin({
    tls_cert: cert,
    tls_key: key,
  })
  setConfig(['docs'])
  await served(1)
  const fingerprint = (options: https.RequestOptions) =>
    new Promise<string>((resolve, reject) => {
      https
        .get(`https://127.0.0.1:${port}/`, { rejectUnauthorized: false, ...options }, (answer) => {
          const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate()
          answer.resume().on('end', () => resolve(fingerprint256))
        })
        .on('error', reject)
    })
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const kept_open = { agent, ca: readFileSync(ca), rejectUnauthorized: true }
  const first = await fingerprint(kept_open)
  const renewed = make()
  const good_key = readFileSync(key)
  const refusal = (message: string) => ({
    type: 'trouble_began',
    error: {
      code: 'page.tls',
      message: expect.stringMatching(
        `^the page goes on with its earlier certificate: .*${message}`,
      ),
    },
  })
  writeFileSync(key, '')
  clock.skip(minute_ms)
  await until('the trouble of an empty key', () => facts.length === 1)
  writeFileSync(key, good_key)
  clock.skip(5_000)
  await until('its end', () => facts.length === 2)
  writeFileSync(cert, readFileSync(renewed.cert))
  clock.skip(minute_ms)
  await until('the trouble of another key', () => facts.length === 3)
  expect(facts).toMatchObject([
    refusal('cannot be used'),
    { type: 'trouble_ended' },
    refusal('does not belong'),
  ])
  expect(await fingerprint({ agent: false })).toBe(first)
  writeFileSync(key, readFileSync(renewed.key))
  clock.skip(5_000)
  await until('its end', () => facts.length === 4)
  expect(await fingerprint({ agent: false })).not.toBe(first)
  expect(await fingerprint(kept_open), 'a connection that was open before').toBe(first)
  const again = make()
  writeFileSync(cert, readFileSync(again.cert))
  writeFileSync(key, readFileSync(again.key))
  const renewals = () =>
    logged.filter((line) => line === 'the page serves a renewed certificate').length
  clock.skip(minute_ms)
  await until('the next certificate', () => renewals() === 2)
  expect(facts).toHaveLength(4)
})

test('a page whose new port is taken goes on at the earlier one until the new one is free', async () => {
  const { setConfig, served, port, facts, clock, store } = await begin()
  setConfig(['docs'])
  await served(1)
  store.database.exec(
    `INSERT INTO questions (user, asked_ms, wish, over) VALUES ('ada', ${system_clock.now_ms()}, '{}', '[]')`,
  )
  const next = await freePort()
  const other = await take(next)
  setConfig(['docs'], { listen: `127.0.0.1:${next}` })
  await until('the trouble', () => facts.length === 1)
  expect(facts).toMatchObject([
    {
      type: 'trouble_began',
      error: {
        message: expect.stringMatching(`^the page goes on with its earlier settings: .*${next}`),
      },
    },
  ])
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401)
  expect(
    store.database.prepare('SELECT error FROM questions').pluck().get(),
    'of a question that is open',
  ).toBeNull()
  other.close()
  clock.skip(5_000)
  await served(2)
  await until('its end', () => facts.length === 2)
  expect((await fetch(`http://127.0.0.1:${next}/`)).status).toBe(401)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})
