import { expect, test } from 'vitest'
import { addUser, Browser, beginPage } from '../page-rig.ts'
import { agentOf } from './agent-rig.ts'

/** Codes of JSON-RPC 2.0. */
const parse_error = -32_700
const invalid_request = -32_600

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
  const is_raw = typeof body === 'string' || body instanceof Buffer
  const text = is_raw ? body : JSON.stringify(body)
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
  for (const [body, status, code] of [
    ['', 400, parse_error],
    ['{', 400, parse_error],
    ['{"jsonrpc":"2.0",}', 400, parse_error],
    [Buffer.from('"\\ud800 \xff"', 'latin1'), 400, parse_error],
    ['7', 400, invalid_request],
    ['[]', 400, invalid_request],
    ['{"jsonrpc":"1.0"}', 400, invalid_request],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 400, invalid_request],
    ['x'.repeat(70_000), 413, -32_000],
  ] as const) {
    const answered = await post(address, mine, body)
    const { error, jsonrpc } = JSON.parse(answered.text)
    expect([answered.status, error.code, jsonrpc], String(body).slice(0, 20)).toEqual([
      status,
      code,
      '2.0',
    ])
    expect(error.message).not.toMatch(/\bat .*\.[jt]s\b/)
  }
})

/** A request of protocol 2026-07-28, with the headers that belong to it. */
function modern(method: string, params: object = {}, version = '2026-07-28') {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': version, 'mcp-method': method }
  return { body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }, headers }
}

/** The message in an answer, which may be an event. */
function messageIn(text: string) {
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

test('speaks the current protocol and those before it, and refuses others as each of them says', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const mine = bearer(store.makeToken('ada'))
  const ask = async (body: unknown, headers: Record<string, string> = {}) => {
    const { status, text } = await post(address, { ...mine, ...headers }, body)
    return { status, message: text === '' ? undefined : messageIn(text) }
  }
  for (const [wanted, got] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['1999-01-01', '2025-11-25'],
  ] as const) {
    const params = {
      protocolVersion: wanted,
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const { message } = await ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect([wanted, message.result.protocolVersion]).toEqual([wanted, got])
  }
  const before = { 'mcp-protocol-version': '2025-11-25' }
  expect((await ask(list, before)).message.result.tools).toHaveLength(9)
  expect(await ask(list, { 'mcp-protocol-version': '1999-01-01' })).toMatchObject({ status: 400 })
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  expect(await ask(initialized, before)).toEqual({ status: 202, message: undefined })

  const discover = modern('server/discover')
  expect((await ask(discover.body, discover.headers)).message.result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
  })
  const listed = modern('tools/list')
  expect((await ask(listed.body, listed.headers)).message.result).toMatchObject({
    tools: { length: 9 },
    // The names in it are those of one user.
    cacheScope: 'private',
  })
  const other = modern('tools/list', {}, '2099-01-01')
  expect(await ask(other.body, other.headers)).toMatchObject({
    status: 400,
    message: { error: { code: -32_022, data: { supported: ['2026-07-28'] } } },
  })
  const odd = { ...listed.headers, 'mcp-method': 'tools/call' }
  expect(await ask(listed.body, odd)).toMatchObject({
    status: 400,
    message: { error: { code: -32_020 } },
  })
  const unknown = modern('folders/list')
  expect(await ask(unknown.body, unknown.headers)).toMatchObject({
    status: 404,
    message: { error: { code: -32_601 } },
  })
})

test('a request that is no call of a tool is an error of the protocol', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const mine = bearer(store.makeToken('ada'))
  for (const [method, params] of [
    ['tools/call', { name: 'folders' }],
    ['tools/call', { name: 7 }],
    ['tools/call', {}],
    ['tools/call', { name: 'search_files', arguments: ['plan'] }],
    ['tools/call', { name: 'search_files', arguments: [] }],
    ['tools/call', { name: 'search_files', arguments: 'plan' }],
    ['tools/list', { cursor: 'made up' }],
    ['tools/list', { cursor: 7 }],
  ] as const) {
    const legacy = await post(address, mine, { jsonrpc: '2.0', id: 1, method, params })
    const { body, headers } = modern(method, params)
    const name = 'name' in params ? { 'mcp-name': String(params.name) } : {}
    const current = await post(address, { ...mine, ...headers, ...name }, body)
    for (const { text } of [legacy, current]) {
      const { error, result } = messageIn(text)
      expect([JSON.stringify(params), error?.code, result]).toEqual([
        JSON.stringify(params),
        -32_602,
        undefined,
      ])
      // A sentence, no dump of a schema.
      expect(error.message).toMatch(/^[^{}\n]+$/)
    }
  }
})

test('an agent that listens for changes is told that there are none, and holds nothing up', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...bearer(store.makeToken('ada')),
    ...listen.headers,
  }
  const body = JSON.stringify(listen.body)
  const { body: stream } = await fetch(`${address}/mcp`, { method: 'POST', headers, body })
  const { value } = await stream!.getReader().read()
  expect(messageIn(Buffer.from(value!).toString())).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {} },
  })
  // The end of the test closes the page with this stream open.
})

test('several messages at once: only in the protocol that has them', async () => {
  const { store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const mine = bearer(store.makeToken('ada'))
  const batch = [list, { ...list, id: 2 }]
  const answered = await post(address, { ...mine, 'mcp-protocol-version': '2025-03-26' }, batch)
  expect([answered.status, answered.text.match(/"tools"/g)]).toEqual([200, ['"tools"', '"tools"']])
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    const { status, text } = await post(
      address,
      { ...mine, 'mcp-protocol-version': version },
      batch,
    )
    expect([status, text]).toEqual([400, expect.stringContaining('send one message at a time')])
  }
  expect((await post(address, mine, [])).status).toBe(400)
})

test('reads work while the daemon is down', async () => {
  const { journey, store, address } = await beginPage()
  store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const { call } = await agentOf(address, store.makeToken('ada'))
  await journey.stop()
  expect((await call('is_it_in', { file: 'docs/plan.txt' })).text).toMatch(/: in since/)
  expect((await call('why_not', { file: 'docs/plan.txt' })).data.state).toBe('ready')
})
