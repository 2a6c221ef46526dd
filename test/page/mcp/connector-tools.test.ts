import { createHash } from 'node:crypto'
import { rmSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { local_operator } from '../../../src/page/access/recognise.ts'
import { connector_tools } from '../../../src/page/mcp/connector-tools.ts'
import { Cursors } from '../../../src/page/mcp/cursors.ts'
import type { AgentCall } from '../../../src/page/mcp/tool.ts'
import { beginPage } from '../page-rig.ts'
import { agentOf } from './agent-rig.ts'

const rtf = '{\\rtf1\\ansi The lease ends in May.}'
const lease = 'The lease ends in May.\tGrüße\n'

async function beginConnectors(page = {}) {
  const rig = await beginPage({
    folders: { docs: {}, secret: {} },
    tree: {
      'docs/lease harbour.txt': lease,
      'docs/2026/harbour.md': '# Harbour\n',
      'docs/long.txt': 'ä'.repeat(60_000),
      'docs/lease.rtf': rtf,
      'secret/harbour.txt': 'the salaries',
    },
    page,
  })
  rig.store.putUser({ name: 'boss', role: 'operator', folders: 'all' })
  rig.store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const agent = async (name: string) => {
    const { call } = await agentOf(rig.address, rig.store.makeToken(name))
    return async (tool: 'search' | 'fetch', given: Record<string, unknown>) => {
      const { text, data, is_error } = await call(tool, given)
      // Connectors read the one text, and newer ones the structured content.
      if (!is_error) expect(JSON.parse(text)).toEqual(data)
      return { text, data, is_error }
    }
  }
  return { ...rig, agent }
}

type Result = { id: string; title: string; url: string }
const idsOf = ({ data }: { data: { results: Result[] } }) => data.results.map(({ id }) => id)

test('a connector finds files by words and by a sentence, with links to their pages', async () => {
  const { agent, address } = await beginConnectors()
  const call = await agent('boss')
  const found = await call('search', { query: 'LEASE' })
  expect(found.data).toEqual({
    results: ['lease harbour.txt', 'lease.rtf'].map((path) => ({
      id: `docs/${path}`,
      title: `docs/${path}`,
      url: `${address}/file?folder=docs&path=${path.replace(' ', '+')}`,
    })),
  })
  const sentence = await call('search', { query: 'When does the lease of the harbour end?' })
  expect(idsOf(sentence)[0]).toBe('docs/lease harbour.txt')
  expect(idsOf(sentence).slice(1).sort()).toEqual([
    'docs/2026/harbour.md',
    'docs/lease.rtf',
    'secret/harbour.txt',
  ])
  expect(idsOf(await call('search', { query: 'zebra' }))).toEqual([])
  expect(idsOf(await call('search', { query: `harbour ${'zz '.repeat(300)}` }))).toHaveLength(3)
  expect((await call('search', { query: '' })).is_error).toBe(true)
})

test('a connector gets the text of a file that is in, at most 50,000 characters of it', async () => {
  const { agent } = await beginConnectors()
  const call = await agent('ada')
  const { data } = await call('fetch', { id: 'docs/lease harbour.txt' })
  expect(data).toMatchObject({
    id: 'docs/lease harbour.txt',
    title: 'docs/lease harbour.txt',
    text: lease,
    metadata: { folder: 'docs', state: 'ready', text: 'whole' },
  })
  const long = (await call('fetch', { id: 'docs/long.txt' })).data
  expect([long.text.length, long.metadata.text]).toEqual([50_000, 'begin'])
  expect(long.text).toMatch(/^ä+\n\n… the text goes on: it is cut here$/)
})

test('what is no plain text, or not what is in, is told in place of a text', async () => {
  const { agent, journey } = await beginConnectors()
  const call = await agent('ada')
  const fetched = async (path: string) => (await call('fetch', { id: `docs/${path}` })).data
  expect(await fetched('lease.rtf')).toMatchObject({
    text: expect.stringMatching(
      /^docs\/lease\.rtf\nit is usable in the assistant\nfolder: docs\nstate: ready\nsize: .*\nIts text is not at hand here: .* The tool ask answers/s,
    ),
    metadata: { state: 'ready', text: 'none' },
  })
  const absent = await fetched('none.txt')
  expect(absent.text).toContain('docs/none.txt\nthe file does not exist')
  expect(absent.metadata).toMatchObject({ state: 'unknown', text: 'none' })
  const place = journey.at('docs/lease harbour.txt')
  rmSync(place)
  symlinkSync(journey.at('secret/harbour.txt'), place)
  expect((await fetched('lease harbour.txt')).text).not.toContain('salaries')
  rmSync(place)
  journey.write({ 'docs/lease harbour.txt': lease, 'docs/2026/harbour.md': '# Bridges\n' })
  await journey.allReady()
  expect((await fetched('2026/harbour.md')).text).toBe('# Bridges\n')
  journey.ends({ also_there: [createHash('md5').update('# Harbour\n').digest('hex')] })
})

test('a reader finds and gets nothing of another folder', async () => {
  const { agent } = await beginConnectors()
  const call = await agent('ada')
  for (const query of ['harbour', 'secret/harbour.txt', 'what does the secret harbour pay?'])
    expect(idsOf(await call('search', { query })).join()).not.toContain('secret')
  const ids = ['secret/harbour.txt', 'docs/../secret/harbour.txt', 'nowhere/x', 'x', '/', '\0/\0']
  for (const id of ids) {
    const { is_error, text } = await call('fetch', { id })
    expect([id, is_error, text]).toEqual([id, true, 'there is nothing here, or you may not see it'])
  }
})

test('the link is that of page.base_url, and empty where the page has no address', async () => {
  const { config } = await beginConnectors({ base_url: 'https://x.example/sluice' })
  const [search] = connector_tools
  const urlFor = async (more: Partial<AgentCall['tools']['config']['page']>) => {
    const tools = {
      config: { ...config, page: { ...config.page, ...more } },
      clock: system_clock,
      log: () => {},
    }
    const call = { tools, viewer: local_operator, cursors: new Cursors([]) } as never
    const { data } = await search!.run({ query: 'lease' }, call)
    return (data as { results: Result[] }).results[0]!.url
  }
  expect(await urlFor({})).toBe('https://x.example/sluice/file?folder=docs&path=lease+harbour.txt')
  expect(await urlFor({ base_url: undefined })).toBe('')
})
