import { expect, test } from 'vitest'
import { token_prefix } from '../../src/page/access/page-store.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { holdConnections } from '../rig/hold-connections.ts'
import { until } from '../rig/waiting.ts'
import { addUser, Browser, beginPage } from './page-rig.ts'
import { rawRequest, statusOf } from './raw-request.ts'

const password = 'correct horse'

async function beginSignedIn(options: Parameters<typeof beginPage>[0] = {}) {
  const rig = await beginPage(options)
  await addUser(rig.store, { name: 'ada', role: 'operator', folders: 'all', password })
  const browser = new Browser(rig.address)
  await browser.useLink(rig.store)
  const sessions = () =>
    rig.store.database.prepare('SELECT count(*) FROM sessions').pluck().get() as number
  return { ...rig, browser, sessions }
}

test('right sign-ins at once wait in a line, and the page answers meanwhile', async () => {
  const { address, browser } = await beginSignedIn()
  const right = Array.from({ length: 6 }, () => new Browser(address).signIn('ada', password))
  expect((await browser.get('/')).status).toBe(200)
  expect((await Promise.all(right)).map(({ status }) => status)).toEqual(Array(6).fill(303))
})

test('a user of a proxy gets a session by a document with forms alone, and never takes that of another', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: 'Remote-User', groups_header: undefined }
  const { address, sessions, browser, store } = await beginSignedIn({ page: { proxy } })
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${address}${path}`, { method, headers: { 'remote-user': 'ada', ...headers } })
  for (const path of ['/', '/files', '/ask', '/none', '/assets/none']) {
    expect((await ask(path)).headers.get('set-cookie'), path).toBeNull()
    expect(
      (await ask(path, { accept: 'text/html' }, 'HEAD')).headers.get('set-cookie'),
      path,
    ).toBeNull()
  }
  await ask('/', { authorization: `Bearer ${store.makeToken('ada')}`, 'remote-user': '' })
  expect(sessions()).toBe(1)
  const own = new Browser(address)
  own.headers['remote-user'] = 'ada'
  for (const path of ['/', '/files', '/']) await own.get(path)
  expect((await own.post('/rescan', { folder: 'docs' })).status).toBe(303)
  expect(sessions()).toBe(2)
  store.database.exec(`WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 10005)
    INSERT INTO sessions SELECT 'id' || n, '', '{}', ${Date.now() + 60_000} FROM many`)
  await ask('/', { accept: 'text/html' })
  expect(sessions()).toBe(10_002)
  expect((await browser.get('/')).status).toBe(200)
})

test('strangers make no sessions, and old sessions give way to new ones', async () => {
  const { address, store, sessions, browser } = await beginSignedIn()
  for (const path of ['/', '/ask', '/nothing', '/link/x', '/sign-in']) {
    await new Browser(address).get(path)
    await new Browser(address).post(path, { name: 'x' })
  }
  expect(sessions()).toBe(1)
  store.database.exec(`WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 10000)
    INSERT INTO sessions SELECT 'id' || n, 'ada', '{}', ${Date.now() + 60_000} FROM many`)
  expect((await browser.get('/')).status).toBe(200)
  expect((await new Browser(address).signIn('ada', password)).status).toBe(303)
  expect(sessions(), 'of ada, and by the link').toBe(10_002)
  expect((await browser.get('/')).status, 'the newest stay').toBe(200)
})

test('large headers, silent connections and unfinished bodies keep nobody out', async () => {
  const { address } = await beginSignedIn()
  const large = await rawRequest(address, ['GET / HTTP/1.1', `Cookie: a=${'b'.repeat(100_000)}`])
  expect([0, 400, 431]).toContain(statusOf(large))
  const { hostname, port, host } = new URL(address)
  const where = { host: hostname, port: Number(port) }
  const headers = `POST /sign-in HTTP/1.1\r\nHost: ${host}\r\n`
  for (const text of ['', headers, `${headers}Content-Length: 100\r\n\r\na`]) {
    await holdConnections(where, 200, text)
    expect(statusOf(await rawRequest(address, ['GET / HTTP/1.1'])), text).toBe(401)
  }
})

test('one user has three open questions at most', async () => {
  const { browser } = await beginSignedIn()
  await browser.get('/ask')
  const asked = await Promise.all(
    [1, 2, 3, 4, 5].map((nth) => browser.post('/ask', { question: `What is ${nth}?` })),
  )
  expect(asked.map(({ status }) => status).sort()).toEqual([303, 303, 303, 429, 429])
})

test('a flood of wrong tokens from a shared address leaves the page open', async () => {
  const clock = new FakeClock()
  const { address } = await beginPage({ page_clock: clock })
  const authorization = `Authorization: Bearer ${token_prefix}${'x'.repeat(40)}`
  const ended: number[] = []
  const attempt = async () =>
    void ended.push(statusOf(await rawRequest(address, ['GET / HTTP/1.1', authorization])))
  for (let tries = 0; tries < 3; tries++) await attempt()
  expect(ended, 'the first may be typing errors').toEqual([401, 401, 401])
  const flood = Array.from({ length: 260 }, attempt)
  await until(
    'all but three are refused at once',
    () => ended.length === 3 + 257,
    () => ended,
  )
  expect(ended.slice(3)).toContain(429)
  expect(ended.slice(3)).not.toContain(401)
  expect(statusOf(await rawRequest(address, ['GET / HTTP/1.1']))).toBe(401)
  await clock.advance(10_000)
  await Promise.all(flood)
})

const credentials = {
  'a wrong token': {
    lines: ['GET / HTTP/1.1', `Authorization: Bearer ${token_prefix}${'x'.repeat(40)}`],
    body: '',
  },
  'a wrong password': {
    lines: [
      'POST /sign-in HTTP/1.1',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 23',
    ],
    body: 'name=ada&password=wrong',
  },
}

test.each(Object.entries(credentials))(
  'the delay of %s ends when its client leaves',
  async (_what, { lines, body }) => {
    const clock = new FakeClock()
    const { address } = await beginPage({ page_clock: clock })
    const { hostname, port, host, origin } = new URL(address)
    const request = [...lines, `Host: ${host}`, `Origin: ${origin}`]
    for (let tries = 0; tries < 3; tries++)
      expect(statusOf(await rawRequest(address, request, body))).toBeLessThan(404)
    const before = clock.pending()
    const where = { host: hostname, port: Number(port) }
    const held = await holdConnections(where, 3, [...request, '', body].join('\r\n'))
    await until('all wait', () => clock.pending() === before + 3)
    for (const socket of held) socket.destroy()
    await until('none waits', () => clock.pending() === before)
  },
)
