import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDaemon } from '../../../src/page/reads/with-daemon.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { beginSignedIn } from '../signed-in.ts'
import { agentOf } from './agent-rig.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const prompt = { cron: '0 8 * * 1', prompt: 'What is new?', first_run: 'all' }
const promptOver = (name: string, folder: string) => ({
  ...prompt,
  name,
  scope: { folders: [folder] },
  deliver: [{ file: { dir: makeTree() } }],
})

async function beginAgents(prompts: Record<string, unknown>[] = []) {
  const rig = await beginSignedIn({
    folders: { docs: {}, secret: {} },
    tree: { 'docs/plan.txt': 'the plan', 'secret/salaries.txt': 'the salaries' },
    config: { prompts },
  })
  const agent = async (name: string) => agentOf(rig.address, rig.store.makeToken(name))
  return { ...rig, agent }
}

test('status says in the words of the page what is in and what needs attention', async () => {
  const { journey, agent, as } = await beginAgents()
  const ada = await agent('ada')
  const well = await ada.call('status')
  expect(well.text).toMatch(/^Everything is in: 2 files \(20 B\)\.\nFolder docs: online; in: 1, /)
  expect(well.data).toMatchObject({ verdict: 'all_ready', attention: [], daemon: 'running' })

  execFileSync('bash', [
    '-c',
    `cd "$1" && printf x > "$(printf 'a\\xff.txt')"`,
    'bash',
    journey.at('docs'),
  ])
  journey.write({ 'docs/disk.png': '\u0089PNG\0\0 1', 'secret/klondike.png': '\u0089PNG\0\0 2' })
  await journey.stage('docs/disk.png', 'refused')
  await journey.stage('secret/klondike.png', 'refused')
  await journey.daemon.rescan('docs')
  await journey.idle()
  const { text, data } = await ada.call('status')
  const overview = (await (await as('ada')).get('/')).text
  const [verdict] = text.split('\n')
  expect(verdict).toBe(
    'Not everything is in: 2 files ready; 3 need attention: 2 refused, 1 in docs with a name that is not UTF-8.',
  )
  expect(overview).toContain(verdict)
  expect(data.folders).toEqual([
    {
      name: 'docs',
      state: 'online',
      reason: null,
      in: 1,
      on_the_way: 0,
      attention: 2,
      last_scan: expect.stringMatching(iso),
    },
    expect.objectContaining({ name: 'secret', in: 1, attention: 1 }),
  ])
  const counts = data.attention.map(({ state, count }: Record<string, unknown>) => [state, count])
  expect(counts).toEqual([
    ['refused', 2],
    [null, 1],
  ])
  for (const { message } of data.attention) {
    expect(text).toContain(message)
    expect(overview).toContain(message)
  }
  journey.ends({ left_out: ['docs/disk.png', 'secret/klondike.png'] })
})

test('status tells a reader of their folders and prompts alone', async () => {
  const { journey, agent, config } = await beginAgents([
    promptOver('weekly', 'docs'),
    promptOver('klondike', 'secret'),
  ])
  journey.write({ 'secret/klondike.png': '\u0089PNG\0\0 2' })
  await journey.stage('secret/klondike.png', 'refused')
  for (const name of ['weekly', 'klondike'])
    await withDaemon({ config }, (daemon) => daemon.runPrompt({ prompt: name }))
  const [ada, eve] = [await agent('ada'), await agent('eve')]
  await until('both reports', async () =>
    (await ada.call('status')).data.prompts.every(
      ({ last_report }: { last_report: string | null }) => last_report !== null,
    ),
  )
  const { text, data } = await eve.call('status')
  expect(`${text}${JSON.stringify(data)}`).not.toMatch(/secret|klondike|salaries/)
  expect(text).toMatch(/^Everything is in: 1 file \(8 B\)\.\n/)
  expect(data).toMatchObject({
    verdict: 'all_ready',
    folders: [{ name: 'docs', in: 1 }],
    totals: { attention: 0, folders: 1, prompts: 1 },
  })
  expect(data.prompts).toEqual([
    {
      name: 'weekly',
      when: 'Mondays at 08:00 (UTC)',
      last_report: expect.stringMatching(iso),
      next_run: expect.stringMatching(iso),
    },
  ])
  expect(text).toMatch(/Prompt weekly, Mondays at 08:00 \(UTC\): last report \d{4}-.*; next run \d/)
  expect((await ada.call('status')).data.totals).toMatchObject({ folders: 2, prompts: 2 })
  journey.ends({ left_out: ['secret/klondike.png'] })
})

test('status says that work is paused, and which folder is offline, without a place of the machine', async () => {
  const { journey, agent } = await beginAgents()
  const { call } = await agent('eve')
  await journey.daemon.pause({ by: 'klondike', why: 'klondike' })
  renameSync(journey.at('docs'), journey.at('away'))
  const isNow = (state: string) =>
    until(`docs is ${state}`, async () => (await call('status')).data.folders[0].state === state)
  await isNow('offline')
  const { text, data } = await call('status')
  expect(data.paused_since).toMatch(iso)
  expect(text).toContain('A user has paused what goes out since ')
  expect(data.verdict).toBe('incomplete')
  expect(text).toMatch(/Folder docs: offline: docs .*does not exist.*; in: 1, /)
  expect(`${text}${JSON.stringify(data)}`).not.toMatch(/klondike|\/dev\/|\/tmp\//)
  renameSync(journey.at('away'), journey.at('docs'))
  await isNow('online')
})

test('a list of more than one page goes on with its cursor', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `p${String(at).padStart(3, '0')}`)
  const { agent, store } = await beginAgents(names.map((name) => promptOver(name, 'docs')))
  const { call } = await agent('eve')
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const given = { limit: 25, ...(cursor === undefined ? {} : { cursor }) }
    const { text, data } = await call('status', given)
    found.push(...data.prompts.map(({ name }: { name: string }) => name))
    expect(data.totals).toEqual({ attention: 0, folders: 1, prompts: 60 })
    expect(data.folders).toHaveLength(cursor === undefined ? 1 : 0)
    expect([data.has_more, text.includes('has the next ones')]).toEqual(
      Array.from({ length: 2 }, () => data.next_cursor !== null),
    )
    cursor = data.next_cursor
  }
  expect(found).toEqual(names)
  expect((await call('status', { limit: 101 })).text).toBe(
    'limit must be a whole number from 1 to 100',
  )
  expect((await call('status', { cursor: 'MTA' })).is_error).toBe(true)
  store.putUser({ name: 'new', role: 'reader', folders: [] })
  expect((await (await agent('new')).call('status')).data).toMatchObject({
    folders: [],
    totals: { attention: 0, folders: 0, prompts: 0 },
  })
})
