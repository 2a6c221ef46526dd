import { expect, test } from 'vitest'
import { addUser, Browser, beginPage } from '../page-rig.ts'
import { agentOf } from './agent-rig.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function post(
  address: string,
  headers: Record<string, string>,
  body: unknown = list,
  method = 'POST',
) {
  const usual = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${address}/mcp`, {
    method,
    headers: { ...usual, ...headers },
    ...(method === 'POST' && { body: text }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('only a right token counts: no session, no other scheme, no token of an earlier day', async () => {
  const { store, address } = await beginPage()
  await addUser(store, { name: 'ada', role: 'operator', folders: 'all', password: 'correct horse' })
  const old = store.makeToken('ada')
  const token = store.makeToken('ada')
  const browser = new Browser(address)
  const cookie = (await browser.signIn('ada', 'correct horse')).headers
    .get('set-cookie')!
    .split(';')[0]!
  const basic = `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`
  for (const headers of [{}, { cookie }, { authorization: basic }, bearer(old)]) {
    const { status, headers: got, text } = await post(address, headers)
    expect([status, got.get('www-authenticate')]).toEqual([401, 'Bearer realm="sluice"'])
    expect(JSON.parse(text).error.message).toContain('sluice page token')
  }
  const { status, headers, text } = await post(address, bearer(token))
  expect([status, headers.get('set-cookie')]).toEqual([200, null])
  expect(headers.get('content-security-policy')).toContain("default-src 'self'")
  expect(text).toContain('is_it_in')
  store.removeUser('ada')
  expect((await post(address, bearer(token))).status).toBe(401)
})

test('wrong tokens slow down, and the right one goes on working', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: undefined, groups_header: undefined }
  const { store, address } = await beginPage({ page: { proxy } })
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const token = store.makeToken('ada')
  const tried: number[] = []
  for (let tries = 0; tries < 5; tries++) {
    const wrong = { ...bearer(`sluice_page_${tries}`), 'x-forwarded-for': '192.0.2.1' }
    tried.push((await post(address, wrong)).status)
  }
  expect(tried).toEqual([401, 401, 401, 429, 429])
  expect((await post(address, bearer(token))).status).toBe(200)
})

test('a page of another site is refused, and an agent without Origin is not', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const token = store.makeToken('ada')
  for (const origin of ['https://evil.example', 'null']) {
    const { status, text } = await post(address, { ...bearer(token), origin })
    expect([status, JSON.parse(text).jsonrpc]).toEqual([403, '2.0'])
    expect(text).toContain('an agent sends no Origin')
  }
  expect((await post(address, { ...bearer(token), origin: address })).status).toBe(200)
  // Forms still need it.
  expect((await fetch(`${address}/retry`, { method: 'POST' })).status).toBe(403)
})

test('other methods, and bodies that are no message, are answered as JSON', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const mine = bearer(store.makeToken('ada'))
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await post(address, mine, list, method)
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  }
  for (const body of ['{', '7', '[]', '{"jsonrpc":"1.0"}', 'x'.repeat(70_000), '{"__proto__":1}']) {
    const { status, text } = await post(address, mine, body)
    expect(status, body.slice(0, 20)).toBeGreaterThanOrEqual(400)
    expect(status, body.slice(0, 20)).toBeLessThan(500)
    expect(JSON.parse(text).error.message).not.toMatch(/\bat .*\.[jt]s\b/)
  }
})

test('reads work while the daemon is down', async () => {
  const { journey, store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const { call } = await agentOf(address, store.makeToken('ada'))
  await journey.stop()
  expect((await call('is_it_in', { file: 'docs/plan.txt' })).text).toMatch(/: in since/)
  expect((await call('why_not', { file: 'docs/plan.txt' })).data.state).toBe('ready')
})
