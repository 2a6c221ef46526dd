import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport as CurrentTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { connected } from '../../page/mcp/agent-rig.ts'
import { makeStore } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { Home } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

function commandOf(home: Home, ...words: string[]) {
  return [program, ...words, '--config', join(home.path, 'sluice.yaml')]
}

function ping(id: string | number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })
}

test('answers on standard input and output, without a ledger, after a pass, and after a change', async () => {
  const home = await Home.make({ 'plan.txt': 'the plan' })
  const env = { PATH: process.env.PATH ?? '', HOME: home.path }
  const { client, call } = await connected(
    new StdioClientTransport({ command: process.execPath, args: commandOf(home, 'mcp'), env }),
  )
  const none = await call('search_files')
  expect([none.is_error, none.text]).toEqual([
    true,
    expect.stringContaining('no folder was scanned yet'),
  ])
  expect((await call('status')).text).toContain('docs was not scanned yet')
  expect((await home.sluice('sync')).code).toBe(0)
  expect((await call('status')).text).toMatch(/^Everything is in: 1 file \(8 B\)\.\nNo daemon is/)
  expect((await call('is_it_in', { file: 'plan.txt' })).text).toMatch(/^docs\/plan\.txt: in since/)
  expect((await call('why_not', { file: 'docs/plan.txt' })).data).toMatchObject({ state: 'ready' })
  // The file of the configuration is read for each call; one with a fault changes nothing.
  const file = join(home.path, 'sluice.yaml')
  const good = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, 'folders: 7')
  expect((await call('search_files')).is_error).toBe(false)
  expect((await call('search_files', { folders: ['more'] })).is_error).toBe(true)
  mkdirSync(join(home.path, 'more'))
  const more = { ...good.folders[0], name: 'more', path: join(home.path, 'more') }
  writeFileSync(file, JSON.stringify({ ...good, folders: [...good.folders, more] }))
  expect((await call('search_files', { folders: ['more'] })).is_error).toBe(false)
  writeFileSync(file, JSON.stringify(good))
  const alone = await call('ask', { question: 'What is the plan?' })
  expect([alone.is_error, alone.text]).toEqual([
    true,
    'no daemon is running that could do this\nstart one with `sluice run`, and ask again; in a terminal, `sluice ask QUESTION` needs no daemon',
  ])
  const daemon = home.start('run')
  await until('the daemon', () => existsSync(join(home.path, 'state/control.sock')), daemon.err)
  const answer = await call('ask', { question: 'What is the plan?', path: '*.txt' })
  expect(answer).toMatchObject({ is_error: false, data: { asked_over: 1 } })
  // Without a scope it is about all folders, so the answer has sources.
  const whole = await call('ask', { question: 'What is the plan?' })
  expect(whole).toMatchObject({
    is_error: false,
    data: { asked_over: 1, sources: [{ name: 'docs/plan.txt' }] },
  })
  await client.close()
  daemon.child.kill()
  expect((await daemon.ended).code).toBe(0)
})

test.each(['2026-07-28', '2025-11-25'])(
  'speaks protocol %s on standard input and output',
  async (version) => {
    const home = await Home.make({ 'plan.txt': 'the plan' })
    expect((await home.sluice('sync')).code).toBe(0)
    const mode = version === '2025-11-25' ? ('legacy' as const) : { pin: version }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const env = { PATH: process.env.PATH ?? '', HOME: home.path }
    const args = commandOf(home, 'mcp')
    await client.connect(new CurrentTransport({ command: process.execPath, args, env }))
    onTestFinished(() => client.close())
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools).toHaveLength(9)
    const wanted = { name: 'search_files', arguments: {} }
    expect((await client.callTool(wanted)).structuredContent).toMatchObject({
      files: [{ folder: 'docs', path: 'plan.txt', is_in: true }],
      total: 1,
    })
    await expect(client.callTool({ name: 'folders', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    })
  },
)

test('answers lines that are no message, and goes on', async () => {
  const home = await Home.make()
  const running = home.start('mcp')
  const lines = ['{', '7', '[]', '', '{"jsonrpc":"1.0","id":9}', ping(1)]
  running.child.stdin!.write(lines.join('\n'))
  // A character in two pieces, and two lines in one.
  const [first, second] = [`\n${ping('ä')}`, `\n${ping(3)}\n`].map((text) => Buffer.from(text))
  const at = first!.indexOf('ä') + 1
  running.child.stdin!.write(first!.subarray(0, at))
  await until('the answers', () => running.out().split('\n').length > 5, running.err)
  running.child.stdin!.end(Buffer.concat([first!.subarray(at), second!]))
  const { code, out } = await running.ended
  expect(code).toBe(0)
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
    [1, undefined],
    ['ä', undefined],
    [3, undefined],
  ])
})

function request(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

const client = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a', version: '1' },
}

test('answers every call under way before it ends with its input', async () => {
  const home = await Home.make({ 'plan.txt': 'the plan' })
  expect((await home.sluice('sync')).code).toBe(0)
  const call = (id: number, name: string, given: object = {}) =>
    request(id, 'tools/call', { name, arguments: given })
  const lines = [
    request(1, 'initialize', client),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    request(2, 'tools/list', {}),
    call(3, 'status'),
    call(4, 'is_it_in', { file: 'docs/plan.txt' }),
    call(5, 'ask', { question: 'What is the plan?' }),
    call(6, 'no_such_tool'),
    call(7, 'search_files'),
  ]
  const running = home.start('mcp')
  // The last line has no end.
  running.child.stdin!.end(lines.join('\n'))
  const { code, out, err } = await running.ended
  expect([code, err]).toEqual([0, ''])
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(answers.find(({ id }) => id === 4).result.content[0].text).toMatch(/^docs\/plan\.txt: in/)
})

test('a call that the agent cancelled does not hold the end up', async () => {
  const running = (await Home.make()).start('mcp')
  const lines = [
    request(1, 'initialize', client),
    request(2, 'tools/call', { name: 'status', arguments: {} }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }),
  ]
  running.child.stdin!.end(`${lines.join('\n')}\n`)
  expect(await running.ended).toMatchObject({ code: 0, err: '' })
})

test('ends when nobody reads the answers any more', async () => {
  const home = await Home.make({ 'plan.txt': 'the plan' })
  const running = home.start('mcp')
  running.child.stdout!.destroy()
  running.child.stdin!.end(`${request(1, 'initialize', client)}\n${ping(2)}\n`)
  expect(await running.ended).toMatchObject({ code: 0, err: '' })
})

test('ends by a signal while its input stays open', async () => {
  const running = (await Home.make()).start('mcp')
  running.child.stdin!.write(`${ping(1)}\n`)
  await until('an answer', () => running.out() !== '', running.err)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).not.toBe(null)
})

test('ends with its input, and at once where there is no configuration', async () => {
  const home = await Home.make()
  const running = home.start('mcp')
  running.child.stdin!.end()
  expect(await running.ended).toEqual({ code: 0, signal: null, out: '', err: '' })
  rmSync(join(home.path, 'sluice.yaml'))
  expect(await home.sluice('mcp')).toMatchObject({ code: 78, out: '' })
})

/**
 * Modules that a process and its threads have loaded, as V8 counts them. `use` ends the process.
 */
async function loadedBy(
  words: string[],
  cwd: string,
  use: (child: ChildProcess, err: () => string) => Promise<void>,
) {
  const coverage = makeStore()
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH: process.env.PATH, NODE_V8_COVERAGE: coverage },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  const ended = once(child, 'close')
  await use(child, () => err)
  await ended
  const urls = readdirSync(coverage).flatMap((name) =>
    (JSON.parse(readFileSync(join(coverage, name), 'utf8')).result as { url: string }[]).map(
      ({ url }) => url,
    ),
  )
  return {
    urls,
    of_agents: urls.filter((url) => /node_modules\/@modelcontextprotocol\//.test(url)),
  }
}

test('nothing of the page is loaded while it is off', async () => {
  const home = await Home.make({ 'plan.txt': 'the plan' })
  const { urls } = await loadedBy(commandOf(home, 'run'), home.path, async (child, err) => {
    await until('the daemon', () => err().includes('is running'), err)
    child.kill()
  })
  expect(
    urls.filter((url) => url.includes('/dist/page/')).map((url) => url.split('/').at(-1)),
  ).toEqual(['keep-page.js'])
  expect(urls.filter((url) => /node_modules\/(fastify|@fastify|htmx\.org)\//.test(url))).toEqual([])
})

test('nothing of MCP is loaded before an agent comes, neither by the daemon nor by its page', async () => {
  const home = await Home.make({ 'plan.txt': 'the plan' })
  const file = join(home.path, 'sluice.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...config, page: { listen: '127.0.0.1:0' } }))
  const served = await loadedBy(commandOf(home, 'run'), home.path, async (child, err) => {
    const address = () => /"address":"([^"]*)\/"/.exec(err())?.[1]
    await until('the page', () => address() !== undefined, err)
    const wrong = { method: 'POST', headers: { authorization: 'Bearer x' } }
    expect((await fetch(`${address()}/`)).status).toBe(401)
    expect((await fetch(`${address()}/mcp`, wrong)).status).toBe(401)
    child.kill()
  })
  expect(served.urls.some((url) => url.endsWith('/dist/page/mcp/serve-http.js'))).toBe(true)
  expect(served.of_agents).toEqual([])
  const agent = await loadedBy(
    commandOf(home, 'mcp'),
    home.path,
    async ({ stdin }) => void stdin?.end(),
  )
  expect(agent.of_agents.length).toBeGreaterThan(5)
})
