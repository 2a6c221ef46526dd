import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { withDaemon } from '../../../src/page/reads/with-daemon.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { beginPage } from '../page-rig.ts'

const current = '2026-07-28'
const before = '2025-11-25'

// biome-ignore lint/suspicious/noExplicitAny: each tool has an answer of its own
type Data = any

/** The part of both clients that these tests use. */
interface Calls {
  listTools(): Promise<{ tools: { name: string; title?: string; outputSchema?: object }[] }>
  callTool(wanted: { name: string; arguments: Record<string, unknown> }): Promise<{
    content?: unknown
    structuredContent?: unknown
    isError?: unknown
  }>
}

const clients = {
  /** The package of protocol 2025-11-25. It checks structured content by the output schema. */
  async earlier(url: URL, headers: Record<string, string>): Promise<Calls> {
    const client = new EarlierClient({ name: 'test', version: '1' })
    const transport = new EarlierTransport(url, { requestInit: { headers } })
    // The types of the package are not made for exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<typeof client.connect>[0])
    onTestFinished(() => client.close())
    return client as Calls
  },
  async current(url: URL, headers: Record<string, string>): Promise<Calls> {
    const versionNegotiation = { mode: { pin: current } }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    expect(client.getNegotiatedProtocolVersion()).toBe(current)
    return client as Calls
  },
  async 'current, as before'(url: URL, headers: Record<string, string>): Promise<Calls> {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    expect(client.getNegotiatedProtocolVersion()).toBe(before)
    return client as Calls
  },
}

/** More files than one answer has. */
const many = Object.fromEntries(
  Array.from({ length: 130 }, (_, at) => [`docs/many/${String(at).padStart(3, '0')}.txt`, `${at}`]),
)
const prompt = {
  cron: '0 8 * * 1',
  prompt: 'What is new?',
  first_run: 'all',
  // A search leaves files that do not match.
  read: 'search',
  deliver: [{ file: { dir: makeTree() } }],
}

async function beginAgents(files: Record<string, string> = {}) {
  const rig = await beginPage({
    folders: { docs: {}, secret: {} },
    tree: { ...files, 'docs/plan.txt': 'the plan', 'secret/salaries.txt': 'the salaries' },
    config: {
      prompts: [
        { ...prompt, name: 'weekly', scope: { folders: ['docs'] } },
        { ...prompt, name: 'closed', scope: { folders: ['secret'] } },
      ],
    },
  })
  rig.store.putUser({ name: 'boss', role: 'operator', folders: 'all' })
  rig.store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const url = new URL(`${rig.address}/mcp`)
  const headersOf = (name: string) => ({ authorization: `Bearer ${rig.store.makeToken(name)}` })
  return { ...rig, url, headersOf }
}

function answers(client: Calls) {
  return async (name: string, given: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError } = await client.callTool({
      name,
      arguments: given,
    })
    const [{ text }] = content as [{ text: string }]
    return { text, data: structuredContent as Data, is_error: isError === true }
  }
}

/** All pages of a tool, and the totals that they tell. */
async function allPages(
  call: ReturnType<typeof answers>,
  name: string,
  given: Record<string, unknown>,
  list: string,
) {
  const found: Data[] = []
  const totals = new Set<number>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data } = await call(name, { ...given, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...data[list])
    totals.add(data.total ?? data.covered_files)
    cursor = data.next_cursor as string | null
  }
  return { found, totals: [...totals] }
}

test('each official client goes through every tool, and every answer fits its schema', async () => {
  const { config, url, headersOf } = await beginAgents(many)
  await withDaemon({ config }, (daemon) => daemon.runPrompt({ prompt: 'weekly' }))
  for (const connect of Object.values(clients)) {
    const client = await connect(url, headersOf('boss'))
    const { tools } = await client.listTools()
    for (const { name, title, outputSchema } of tools)
      expect([name, title, outputSchema]).toEqual([
        name,
        expect.any(String),
        expect.objectContaining({ type: 'object' }),
      ])
    const call = answers(client)
    const given: Record<string, Record<string, unknown>> = {
      status: {},
      is_it_in: { file: 'plan.txt' },
      why_not: { file: 'docs/plan.txt' },
      search_files: { text: 'plan' },
      what_arrived_since: { since: '1h' },
      ask: { question: 'What is the plan?', path: 'plan.txt' },
      last_report: { prompt: 'weekly' },
      search: { query: 'plan' },
      fetch: { id: 'docs/plan.txt' },
    }
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(given).sort())
    await until('the report', async () => (await call('last_report', given.last_report)).data.due)
    for (const { name } of tools) {
      const { text, data, is_error } = await call(name, given[name])
      expect([name, is_error, text], text).toEqual([name, false, expect.stringMatching(/\w/)])
      expect(data, name).toEqual(expect.any(Object))
      // What a person reads has neither checksums nor ids of the service.
      expect(text).not.toMatch(/\b[0-9a-f]{32}\b|\basset_\w+|\bproject_\w+/)
    }
    expect((await call('last_report', { prompt: 'closed' })).data).toMatchObject({ run: null })
    // A run of one prompt is none of another, though this user may see both.
    const { next_cursor: of_weekly } = (await call('last_report', given.last_report)).data
    expect(of_weekly).toEqual(expect.any(String))
    const mixed = await call('last_report', { prompt: 'closed', cursor: of_weekly })
    expect([mixed.is_error, mixed.data]).toEqual([true, undefined])

    const every = ['plan.txt', ...Object.keys(many).map((name) => name.slice('docs/'.length))]
    const limits = { limit: 60 }
    const searched = await allPages(call, 'search_files', { folders: ['docs'], ...limits }, 'files')
    expect(searched.found.map(({ path }) => path)).toEqual(every.toSorted())
    expect(searched.totals).toEqual([131])
    const arrived = await allPages(call, 'what_arrived_since', { since: '1h', ...limits }, 'files')
    expect([arrived.found.length, arrived.totals]).toEqual([132, [132]])
    expect(new Set(arrived.found.map(({ path }) => path)).size).toBe(132)
    const below = await allPages(call, 'is_it_in', { file: 'docs/many', ...limits }, 'files')
    expect([below.found.length, below.totals]).toEqual([130, [130]])
    const covered = await allPages(call, 'last_report', { prompt: 'weekly' }, 'covered')
    const left = await allPages(call, 'last_report', { prompt: 'weekly' }, 'left')
    expect(covered.totals).toEqual([covered.found.length])
    const told = [...covered.found, ...left.found]
    expect([told.length, new Set(told.map(({ name }) => name)).size]).toEqual([131, 131])
    expect(new Set(left.found.map(({ read }) => read))).toEqual(new Set(['not']))
  }
})

test('what an official client asks wrongly is answered as the protocol says', async () => {
  const { url, headersOf } = await beginAgents()
  for (const connect of Object.values(clients)) {
    const client = await connect(url, headersOf('ada'))
    const call = answers(client)
    await expect(call('delete_files')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('there is no tool delete_files'),
    })
    // A model corrects these, so they are results.
    for (const [name, given, words] of [
      ['ask', { question: '  ' }, 'the question is empty\nwrite what you want to know'],
      ['ask', { question: '' }, 'the question is empty\nwrite what you want to know'],
      ['ask', {}, 'question is missing: give what you want to know'],
      ['ask', { question: 'why?', path: ['x'] }, 'path must be a text'],
      ['why_not', { path: 'x' }, 'file is missing: give FOLDER/PATH'],
      ['what_arrived_since', { since: '2026-02-31' }, 'since takes a time such as'],
      ['search_files', { folders: ['secret'] }, 'there is no folder secret, or you may not see it'],
      ['search_files', { cursor: 'made up' }, 'this is no next_cursor of this tool'],
      ['last_report', { prompt: 'weekly', cursor: 'e30' }, 'this is no next_cursor of this tool'],
    ] as const) {
      const { text, data, is_error } = await call(name, given)
      expect([is_error, text.slice(0, words.length), data]).toEqual([true, words, undefined])
    }
  }
})

test('the list of tools has the folders, the prompts and the states that this user may name', async () => {
  const { url, headersOf } = await beginAgents()
  const listed = async (name: string) => {
    const { tools } = await (await clients.current(url, headersOf(name))).listTools()
    const of = (tool: string): Data => tools.find((each) => each.name === tool)!
    return { tools, of }
  }
  const boss = await listed('boss')
  for (const tool of ['search_files', 'what_arrived_since', 'ask'])
    expect(boss.of(tool).inputSchema.properties.folders.items).toEqual({
      type: 'string',
      enum: ['docs', 'secret'],
    })
  expect(boss.of('search_files').inputSchema.properties.states.items.enum).toContain('refused')
  expect(boss.of('last_report').inputSchema.properties.prompt).toMatchObject({
    enum: ['weekly', 'closed'],
    description:
      'one of these prompts: weekly Mondays at 08:00 (UTC); closed Mondays at 08:00 (UTC)',
  })
  const ada = await listed('ada')
  expect(ada.of('ask').inputSchema.properties.folders.items).toEqual({
    type: 'string',
    enum: ['docs'],
  })
  expect(ada.of('last_report').inputSchema.properties.prompt.enum).toEqual(['weekly'])
  expect(JSON.stringify(ada.tools)).not.toMatch(/secret|closed|salaries/)
})

test('who sees no folder yet gets the tools all the same', async () => {
  const { url, headersOf, store } = await beginAgents()
  store.putUser({ name: 'new', role: 'reader', folders: [] })
  const client = await clients.current(url, headersOf('new'))
  expect(JSON.stringify(await client.listTools())).not.toMatch(/docs|weekly|secret|"enum":\[\]/)
  expect((await answers(client)('search_files')).data).toMatchObject({ files: [], total: 0 })
})

test('totals and cursors tell a reader nothing of another folder', async () => {
  const { url, headersOf } = await beginAgents()
  const ada = answers(await clients.current(url, headersOf('ada')))
  expect((await ada('search_files', { text: 'salaries' })).data).toMatchObject({ total: 0 })
  expect((await ada('search_files')).data).toMatchObject({ total: 1 })
  expect((await ada('what_arrived_since', { since: '1h' })).data).toMatchObject({ total: 1 })
})

test('a cursor counts only for its user, its tool and its values, as this service made it', async () => {
  const { url, headersOf } = await beginAgents(many)
  const boss = answers(await clients.current(url, headersOf('boss')))
  const ada = answers(await clients.earlier(url, headersOf('ada')))
  const given = { folders: ['docs'], text: '0' }
  const { next_cursor, total } = (await ada('search_files', { ...given, limit: 1 })).data
  // The length of a page may change.
  expect((await ada('search_files', { ...given, cursor: next_cursor })).data).toMatchObject({
    total,
  })
  const [text, seal] = next_cursor.split('.') as [string, string]
  const place = JSON.parse(Buffer.from(text, 'base64url').toString())
  const changed = (change: object) =>
    Buffer.from(JSON.stringify({ ...place, ...change })).toString('base64url')
  const refused = { is_error: true, text: expect.stringMatching(/^this is no next_cursor/) }
  for (const cursor of [
    text,
    `${text}.`,
    `${next_cursor}.`,
    `${next_cursor}A`,
    `${changed({})}.${seal.toUpperCase()}`,
    `${changed({ total: total + 1 })}.${seal}`,
    `${changed({ seq: -5 })}.${seal}`,
    '',
    '.',
  ])
    expect(await ada('search_files', { ...given, cursor })).toMatchObject(refused)
  for (const [call, tool, values] of [
    [boss, 'search_files', given],
    [ada, 'search_files', { ...given, text: '1' }],
    [ada, 'search_files', { ...given, states: ['ready'] }],
    [ada, 'what_arrived_since', { folders: ['docs'], since: '1h' }],
    [ada, 'is_it_in', { file: '0' }],
    [ada, 'last_report', { prompt: 'weekly' }],
  ] as const)
    expect(await call(tool, { ...values, cursor: next_cursor })).toMatchObject(refused)
})
