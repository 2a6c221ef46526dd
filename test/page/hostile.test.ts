import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time/time.ts'
import { createClientNames } from '../../src/page/access/guard.ts'
import { sessionsIn } from '../../src/page/access/sessions.ts'
import { MovingClock } from '../rig/moving-clock.ts'
import { addUser, Browser, beginPage } from './page-rig.ts'
import { rawRequest, statusOf } from './raw-request.ts'

const password = 'correct horse'
const form = 'application/x-www-form-urlencoded'

async function beginWithUser(options: Parameters<typeof beginPage>[0] = {}) {
  const rig = await beginPage(options)
  await addUser(rig.store, { name: 'ada', role: 'operator', folders: 'all', password })
  const browser = new Browser(rig.address)
  const signed_in = await browser.signIn('ada', password)
  const set_cookie = signed_in.headers.get('set-cookie') ?? ''
  return { ...rig, browser, set_cookie, cookie: set_cookie.split(';')[0]! }
}

const byProxy = { from: ['127.0.0.1'], user_header: 'Remote-User', groups_header: 'Remote-Groups' }
const csrfIn = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)![1]!

test('a form acts only with the token of its session and from this page', async () => {
  const { address, store, browser, cookie } = await beginWithUser()
  const { origin } = new URL(address)
  const own = csrfIn((await browser.get('/')).text)
  const other = new Browser(address)
  await other.useLink(store)
  const foreign = csrfIn((await other.get('/')).text)
  const send = async (method: string, token: string | undefined, from: string | undefined) => {
    const body = new URLSearchParams({
      folder: 'docs',
      ...(token !== undefined && { _csrf: token }),
    })
    const headers = { cookie, 'content-type': form, ...(from !== undefined && { origin: from }) }
    const query = method === 'GET' ? `?${body}` : ''
    const sent = method === 'GET' ? {} : { body: body.toString() }
    return (
      await fetch(`${address}/rescan${query}`, { method, headers, redirect: 'manual', ...sent })
    ).status
  }
  expect(await send('POST', own, origin)).toBe(303)
  expect(await send('POST', undefined, origin)).toBe(403)
  expect(await send('POST', foreign, origin)).toBe(403)
  for (const from of [
    undefined,
    'null',
    'https://evil.example',
    `${origin}.evil.example`,
    'http://127.0.0.1',
  ])
    expect(await send('POST', own, from), `Origin ${from}`).toBe(403)
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect([403, 404]).toContain(await send(method, own, origin))
})

test('the token of a user opens screens, and sends no form', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: undefined, groups_header: undefined }
  const { address, store } = await beginWithUser({ page: { proxy } })
  const authorization = `Basic ${Buffer.from(`feed:${store.makeToken('ada')}`).toString('base64')}`
  expect((await fetch(address, { headers: { authorization } })).status).toBe(200)
  // A password for the proxy in front is no token.
  for (let tries = 0; tries < 5; tries++)
    expect((await fetch(address, { headers: { authorization: 'Basic eDp5' } })).status).toBe(401)
  const headers = { authorization, origin: new URL(address).origin, 'content-type': form }
  expect(
    (await fetch(`${address}/rescan`, { method: 'POST', headers, body: 'folder=docs' })).status,
  ).toBe(403)
  const statuses: number[] = []
  for (let tries = 0; tries < 4; tries++) {
    const wrong = { authorization: `Bearer sluice_page_${tries}`, 'x-forwarded-for': '192.0.2.1' }
    statuses.push((await fetch(address, { headers: wrong })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 429])
  expect((await fetch(address, { headers: { authorization } })).status).toBe(200)
})

test('the cookie belongs to the path of the page, and over https to https alone', async () => {
  const page = { base_url: 'https://sluice.example/sluice' }
  const { set_cookie } = await beginWithUser({ page })
  expect(set_cookie).toMatch(/; Path=\/sluice; .*HttpOnly; SameSite=Strict; Secure$/)
})

test('a sign-in makes a new session, and an ended one stays ended', async () => {
  const { address, store, browser, cookie } = await beginWithUser()
  const open = async (of: string) => (await fetch(address, { headers: { cookie: of } })).status
  expect(await open(cookie)).toBe(200)
  await browser.signIn('ada', password)
  expect(await open(cookie), 'the session before').toBe(401)
  expect(await open('sluice_page=chosen-by-an-attacker.signature')).toBe(401)

  const sessions = sessionsIn(store)
  store.keepSession('one', { user: 'ada' }, '{"user":"ada"}')
  const read = () =>
    new Promise<unknown>((resolve) => sessions.get('one', (_error, found) => resolve(found)))
  const in_flight = await read()
  store.putUser({ name: 'ada', role: 'operator', folders: 'all', password: 'scrypt$another' })
  await new Promise<void>((resolve) => sessions.set('one', in_flight as never, () => resolve()))
  expect(await read(), 'saved by a request that began before the new password').toBeNull()
  expect((await browser.get('/')).status, 'after a new password').toBe(401)
})

test('sessions and links end with their time; roles and folders change at once', async () => {
  const page_clock = new MovingClock()
  const { address, store, browser } = await beginWithUser({ page_clock })
  store.putUser({ name: 'ada', role: 'reader', folders: [] })
  await browser.get('/')
  expect((await browser.post('/rescan', { folder: 'docs' })).status).toBe(403)
  expect((await browser.get('/')).text).not.toContain('<bdi>docs')
  const link = store.makeLink()
  page_clock.skip(601_000)
  expect((await new Browser(address).post('/link', { link })).status).toBe(403)
  page_clock.skip(6 * 86_400_000)
  expect((await browser.get('/')).status).toBe(200)
  page_clock.skip(7 * 86_400_000)
  expect((await browser.get('/')).status).toBe(401)
})

test('one attacker locks out neither the others behind the same proxy, nor links', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: undefined, groups_header: undefined }
  const { address, store } = await beginWithUser({ page: { proxy } })
  const tryAs = async (name: string, given: string, from: string | undefined) => {
    const headers = from === undefined ? {} : { 'x-forwarded-for': from }
    return (await new Browser(address).post('/sign-in', { name, password: given }, headers)).status
  }
  for (const name of ['a', 'b', 'c']) expect(await tryAs(name, 'wrong', '203.0.113.7')).toBe(403)
  expect(await tryAs('ada', password, '203.0.113.7')).toBe(429)
  expect(await tryAs('ada', password, '203.0.113.9, 203.0.113.7'), 'a forged beginning').toBe(429)
  expect(await tryAs('ada', password, '203.0.113.8')).toBe(303)
  expect(await tryAs('ada', password, undefined)).toBe(303)
  for (const from of ['203.0.113.10', '203.0.113.11', '203.0.113.12'])
    expect(await tryAs('ada', 'wrong', from)).toBe(403)
  expect(await tryAs('ada', password, undefined), 'later, and not refused').toBe(303)
  for (let tries = 0; tries < 5; tries++)
    expect((await new Browser(address).post('/link', { link: 'guess' })).status).toBe(403)
  expect((await new Browser(address).post('/link', { link: store.makeLink() })).status).toBe(303)
})

test('without a listed proxy a header names nobody: a guesser is slowed down, and the log says so once', async () => {
  const { address, notes, store } = await beginWithUser()
  const token = store.makeToken('ada')
  const began_ms = system_clock.monotonic_ms()
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) {
    const headers = { 'x-forwarded-for': `203.0.113.${at}`, authorization: `Bearer ${token}x` }
    statuses.push((await fetch(`${address}/`, { headers })).status)
  }
  expect(statuses, 'others share the address, so none is refused').toEqual(Array(5).fill(401))
  expect(system_clock.monotonic_ms() - began_ms, '1 s, and 2 s').toBeGreaterThan(2_900)
  const right = await fetch(`${address}/`, { headers: { authorization: `Bearer ${token}` } })
  expect(right.status).toBe(200)
  expect(notes.filter(({ message }) => message.includes('page.proxy.from'))).toHaveLength(1)
})

const of_machine = (address: string) => ({ client: undefined, shared: [`from ${address}`] })
const one = (client: string) => ({ client, shared: [] })
test.each([
  ['203.0.113.7', [], '198.51.100.1', one('203.0.113.7')],
  ['203.0.113.7', ['203.0.113.0/24'], '198.51.100.1', one('198.51.100.1')],
  ['203.0.113.7', ['203.0.113.7'], 'evil, 198.51.100.1:4711', one('198.51.100.1')],
  ['203.0.113.7', ['203.0.113.7'], '[2001:db8:1:2:3::4]:4711', one('2001:db8:1:2')],
  ['203.0.113.7', ['203.0.113.7'], undefined, of_machine('203.0.113.7')],
  ['2001:db8:1:2:3::4', [], undefined, one('2001:db8:1:2')],
  ['::ffff:127.0.0.1', [], 'evil, 198.51.100.1', of_machine('::ffff:127.0.0.1')],
  ['::ffff:127.0.0.1', ['127.0.0.1'], 'evil, 198.51.100.1', one('198.51.100.1')],
  ['::1', [], undefined, of_machine('::1')],
  [undefined, [], '198.51.100.1', one('198.51.100.1')],
  [undefined, [], undefined, of_machine('undefined')],
])(
  'wrong passwords from %s behind %j count for %s as %j',
  (remoteAddress, from, named, counted) => {
    const clientOf = createClientNames({ listen: 'unix:/run/page', proxy: { from } } as never)
    expect(
      clientOf({ headers: { 'x-forwarded-for': named }, socket: { remoteAddress } } as never),
    ).toEqual(counted)
  },
)

test('only a listed proxy names users, once, and never a group', async () => {
  const as = (address: string, ...headers: string[]) =>
    rawRequest(address, ['GET / HTTP/1.1', ...headers]).then(statusOf)
  const proxy = { user_header: 'Remote-User', groups_header: 'Remote-Groups' }
  const far = await beginWithUser({ page: { proxy: { ...proxy, from: ['192.0.2.1'] } } })
  expect(await as(far.address, 'Remote-User: ada')).toBe(401)
  const near = await beginWithUser({ page: { proxy: { ...proxy, from: ['127.0.0.1'] } } })
  near.store.putUser({ name: 'group:staff', role: 'operator', folders: 'all' })
  expect(await as(near.address, 'remote-user: ada')).toBe(200)
  expect(await as(near.address, 'Remote-User: eve', 'Remote-Groups: guests, staff')).toBe(200)
  for (const headers of [
    ['Remote-User: ada', 'Remote-User: ada'],
    ['Remote-Groups: staff'],
    ['Remote_User: ada'],
  ])
    expect(await as(near.address, ...headers), headers.join()).toBe(401)
  for (const name of ['group:staff', 'eve'])
    expect(await as(near.address, `Remote-User: ${name}`), name).toBe(403)
})

test('a user of a proxy whom the page does not know learns what to do, and gets no form', async () => {
  const { address, store } = await beginWithUser({ page: { proxy: byProxy } })
  const browser = new Browser(address)
  for (const path of ['/', '/files', '/prompts/x/feed.xml']) {
    const { status, text } = await browser.get(path, { 'remote-user': "O'Hara <b>" })
    expect([path, status]).toEqual([path, 403])
    expect(text).toContain(
      'You are signed in as O&#39;Hara &lt;b&gt;, but this page does not know you.',
    )
    expect(text).toContain(`sluice page user add &#39;O&#39;\\&#39;&#39;Hara &lt;b&gt;&#39;`)
    expect(text).not.toContain('<form')
  }
  expect((await browser.post('/rescan', { folder: 'docs' }, { 'remote-user': 'eve' })).status).toBe(
    403,
  )
  expect(
    (await fetch(`${address}/assets/none`, { headers: { 'remote-user': 'eve' } })).status,
  ).toBe(404)
  expect(
    store.database.prepare('SELECT count(*) FROM sessions WHERE user IS NOT ?').pluck().get('ada'),
  ).toBe(0)
})

test('no group makes a user an operator of what another one shows them; a row of their own counts alone', async () => {
  const folders = { docs: {}, minutes: {}, vault: {} }
  const { address, store } = await beginWithUser({ folders, page: { proxy: byProxy } })
  store.putUser({ name: 'group:a', role: 'reader', folders: ['docs'] })
  store.putUser({ name: 'group:b', role: 'operator', folders: ['minutes'] })
  store.putUser({ name: 'group:c', role: 'reader', folders: 'all' })
  store.putUser({ name: 'group:d', role: 'operator', folders: 'all' })
  const seenBy = async (user: string, groups: string) => {
    const headers = { 'remote-user': user, 'remote-groups': groups }
    const { text } = await new Browser(address).get('/', headers)
    const [, role = 'none'] = /\((reader|operator)\)/.exec(text) ?? []
    return [role, ...Object.keys(folders).filter((name) => text.includes(`<bdi>${name}</bdi>`))]
  }
  expect(await seenBy('eve', ', ,')).toEqual(['none'])
  expect(await seenBy('eve', 'a, unknown')).toEqual(['reader', 'docs'])
  expect(await seenBy('eve', 'b')).toEqual(['operator', 'minutes'])
  expect(await seenBy('eve', 'a, b')).toEqual(['reader', 'docs', 'minutes'])
  expect(await seenBy('eve', 'c, b')).toEqual(['reader', 'docs', 'minutes', 'vault'])
  expect(await seenBy('eve', 'a, d')).toEqual(['operator', 'docs', 'minutes', 'vault'])
  expect(await seenBy('eve', 'a, c')).toEqual(['reader', 'docs', 'minutes', 'vault'])
  store.putUser({ name: 'eve', role: 'reader', folders: ['vault'] })
  expect(await seenBy('eve', 'a, b, c')).toEqual(['reader', 'vault'])
})

test('another Host is refused, whatever a proxy header says', async () => {
  const { address } = await beginWithUser()
  for (const headers of [
    ['Host: evil.example'],
    ['Host: evil.example', 'Host: 127.0.0.1'],
    ['Host: '],
  ])
    expect(
      statusOf(
        await rawRequest(address, [
          'GET / HTTP/1.1',
          ...headers,
          'X-Forwarded-Host: 127.0.0.1',
          'Forwarded: host=127.0.0.1',
        ]),
      ),
    ).toBe(403)
})

test('no address leads elsewhere or to a file', async () => {
  const { address, browser } = await beginWithUser({
    page: { base_url: 'http://127.0.0.1:1/sluice' },
  })
  const ask = (target: string, ...headers: string[]) =>
    rawRequest(address, [`GET ${target} HTTP/1.1`, 'Sec-Fetch-Site: cross-site', ...headers])
  expect(await ask('/sluice/ask?folder=x')).toContain(
    '\r\nrefresh: 0; url=/sluice/ask?folder=x\r\n',
  )
  for (const target of [
    'http://evil.example/sluice/',
    '//evil.example/sluice/',
    '/%73luice/',
    '/sluicex/',
    '*',
  ]) {
    const answer = await ask(target)
    expect([400, 404], target).toContain(statusOf(answer))
    expect(answer).not.toMatch(/^(refresh|location):/im)
  }
  const { port } = new URL(address)
  const sent = await rawRequest(
    address,
    [
      'POST /%73luice/sign-in HTTP/1.1',
      `Origin: http://127.0.0.1:${port}`,
      `Content-Type: ${form}`,
      'Content-Length: 8',
    ],
    'name=ada',
  )
  expect(statusOf(sent)).toBe(404)
  for (const up of ['../', '..%2f', '%2e%2e/', '..%5c', '%00', '..;/']) {
    const answer = await ask(`/sluice/assets/${up.repeat(4)}page.db`)
    expect([400, 404], up).toContain(statusOf(answer))
    expect(answer).not.toContain('SQLite')
  }
  await browser.get('/')
  for (const back of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/%0d%0aX: y',
    'javascript:x',
  ]) {
    const { status, headers } = await browser.post('/rescan', { folder: 'docs', back })
    expect([status, headers.get('location')], back).toEqual([303, '/sluice/'])
  }
})

test('page.db is closed to others, and is in no backup', async () => {
  const { config, journey, store } = await beginWithUser()
  expect(statSync(join(config.state_dir, 'page.db')).mode & 0o777).toBe(0o600)
  const link = store.makeLink()
  expect(link).toHaveLength(32)
  const backup = readFileSync(journey.backUp(), 'latin1')
  expect(backup).toContain('plan.txt')
  expect(backup).not.toMatch(/scrypt\$|CREATE TABLE sessions/)
})
