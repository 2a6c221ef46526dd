import { createHash } from 'node:crypto'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPromptsView } from '../../../src/ledger/views/view-prompts.ts'
import { withDaemon } from '../../../src/page/reads/with-daemon.ts'
import { audited } from '../../journeys/audit/audited.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { setReadingThere } from '../../service/set-reading.ts'
import { Browser, beginPage } from '../page-rig.ts'
import { agentOf } from './agent-rig.ts'

const hostile = '<img src=x onerror=alert(1)>\u202egpj.txt'

async function beginAgents(options: Parameters<typeof beginPage>[0] = {}) {
  const rig = await beginPage({
    ...options,
    folders: { docs: {}, secret: {} },
    tree: {
      'docs/plan.txt': 'the plan',
      'docs/2026/minutes.txt': 'the minutes',
      [`docs/${hostile}`]: 'hostile',
      'secret/plan.txt': 'a plan of others',
      'secret/salaries.txt': 'the salaries',
    },
  })
  rig.store.putUser({ name: 'boss', role: 'operator', folders: 'all' })
  rig.store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
  const agent = async (name: string) => agentOf(rig.address, rig.store.makeToken(name))
  return { ...rig, agent }
}

test('says whether a file is in and since when, by path, by name and by a part of the name', async () => {
  const { journey, agent } = await beginAgents()
  const { call } = await agent('boss')
  for (const file of [
    'docs/2026/minutes.txt',
    join(journey.base, 'docs/2026/minutes.txt'),
    'minutes.txt',
    'MINUTES',
  ]) {
    const { text, data } = await call('is_it_in', { file })
    expect(text).toMatch(/^docs\/2026\/minutes\.txt: in since \d{4}-/)
    expect(data.files).toMatchObject([
      { is_in: true, folder: 'docs', path: '2026/minutes.txt', state: 'ready' },
    ])
  }
  expect((await call('is_it_in', { file: 'plan.txt' })).data.files).toHaveLength(2)
  expect(await call('is_it_in', { file: 'nothing.zip' })).toMatchObject({
    is_error: true,
    data: { error: { code: 'usage.path' } },
  })
})

test('says of a file that is in what the service could not read of it', async () => {
  const { journey, agent } = await beginAgents()
  const { asset_id } = journey.file('docs/plan.txt')!
  const why = 'pages 2–10 are pictures'
  setReadingThere(journey.service, asset_id!, { of: 10, seen: 1, unit: 'page', why })
  await audited(journey)
  const { call } = await agent('ada')
  const text = `1 of 10 pages read: ${why}`
  const found = await call('is_it_in', { file: 'docs/plan.txt' })
  expect(found.text).toMatch(new RegExp(`^docs/plan.txt: in since .*, in part \\(${text}\\)$`))
  expect(found.data.files).toMatchObject([{ is_in: true, reading: { seen: 1, text } }])
  expect((await call('why_not', { file: 'docs/plan.txt' })).text).toContain(text)
  const listed = await call('search_files', { states: ['ready_in_part'] })
  expect(listed.data.files).toMatchObject([{ path: 'plan.txt', state: 'ready' }])
  expect((await call('status', {})).text).toContain('1 of them in part')
})

test('a file that nobody knows is answered with the next step, not with the same tool again', async () => {
  const { agent, store } = await beginAgents()
  const step =
    'if it lies below the first level, give its whole place as FOLDER/PATH (folders: docs), to hear whether a rule leaves it out; search_files finds parts of names'
  const ada = await agent('ada')
  for (const tool of ['why_not', 'is_it_in']) {
    const { text } = await ada.call(tool, { file: 'nothing.zip' })
    expect(text).toBe(`nothing is known of nothing.zip in the folders that you may see\n${step}`)
  }
  // The step leads on.
  expect((await ada.call('why_not', { file: 'docs/nothing.zip' })).text).toContain('does not exist')
  store.putUser({ name: 'new', role: 'reader', folders: [] })
  expect((await (await agent('new')).call('why_not', { file: 'plan.txt' })).text).toContain(
    'you may see no folder yet: ask the administrator for one',
  )
})

test('says of a path that is not recorded that it is not in, and why', async () => {
  const { agent, journey } = await beginAgents()
  journey.write({ 'docs/Thumbs.db': 'x', 'secret/.env': 'x' })
  const { call } = await agent('boss')
  for (const [path, state, why] of [
    ['Thumbs.db', 'ignored', 'ignored by the rule Thumbs.db'],
    ['none.txt', 'unknown', 'the file does not exist'],
  ]) {
    const { text, data } = await call('is_it_in', { file: `docs/${path}` })
    expect(text).toContain(`docs/${path}: not in: ${why}`)
    expect(data).toMatchObject({ total: 1, files: [{ is_in: false, folder: 'docs', path, state }] })
  }
  const by_name = await call('is_it_in', { file: 'Thumbs.db' })
  expect(by_name.text).toMatch(/^docs\/Thumbs\.db: not in: ignored by the rule Thumbs\.db/)
  expect((await call('why_not', { file: 'Thumbs.db' })).data).toMatchObject({ state: 'ignored' })
  expect((await call('is_it_in', { file: 'min*.txt' })).text).toMatch(
    /^docs\/2026\/minutes\.txt: in/,
  )
  const reader = await agent('ada')
  expect((await reader.call('why_not', { file: '.env' })).is_error).toBe(true)
  const hidden = await reader.call('is_it_in', { file: 'secret/none.txt' })
  expect([hidden.is_error, hidden.text.includes('secret/none.txt: not in')]).toEqual([true, false])
  journey.ends({ left_out: ['docs/Thumbs.db', 'secret/.env'] })
})

test('names an ignored file of the first level beside a known one of its name', async () => {
  const { agent, journey } = await beginAgents()
  const odd = Buffer.from(`${journey.at('docs')}/bad\xff.txt`, 'latin1')
  writeFileSync(odd, 'x')
  journey.write({ 'docs/Thumbs.db': 'x', 'docs/.sluiceignore': '/minutes.txt\n' })
  journey.write({ 'docs/minutes.txt': 'ignored' })
  const { call } = await agent('ada')
  const { text, data } = await call('is_it_in', { file: 'minutes.txt' })
  expect(text).toMatch(
    /^docs\/minutes\.txt: not in: ignored by the rule.*\ndocs\/2026\/minutes\.txt: in since/,
  )
  expect(data).toMatchObject({
    total: 2,
    files: [{ is_in: false, state: 'ignored' }, { is_in: true }],
  })
  expect((await call('why_not', { file: 'minutes.txt' })).text).toMatch(
    /minutes\.txt may be 2 files\n.*docs\/minutes\.txt, docs\/2026\/minutes\.txt/,
  )
  for (const tool of ['is_it_in', 'why_not']) {
    const said = async (file: string) => (await call(tool, { file })).text
    expect(await said('thumbs.DB')).toMatch(/^docs\/Thumbs\.db: .*ignored/)
    expect(await said('bad\\xff.txt')).toMatch(/^docs\/bad\\xff\.txt: .*its name is not UTF-8/s)
  }
  expect((await call('why_not', { file: '2026' })).text).toMatch(
    /^docs\/2026: special\na directory/,
  )
  expect((await call('is_it_in', { file: '2026' })).text).toMatch(
    /^docs\/2026\/minutes\.txt: in since/,
  )
  rmSync(odd)
  journey.ends({ left_out: ['docs/Thumbs.db', 'docs/minutes.txt', 'docs/.sluiceignore'] })
})

test('says of a path outside of all folders that it is outside', async () => {
  const { agent, journey } = await beginAgents()
  const { call } = await agent('ada')
  for (const tool of ['is_it_in', 'why_not'])
    for (const file of [
      '/etc/passwd',
      '"/etc/passwd"',
      '~/plan.txt',
      '../plan.txt',
      journey.at('secret/plan.txt'),
    ]) {
      const { text, is_error } = await call(tool, { file })
      expect([is_error, text]).toEqual([
        true,
        expect.stringMatching(
          / is in no folder that you may see\nSluice takes up no file from there/,
        ),
      ])
    }
})

test('says of a deleted file whether its content still answers', async () => {
  const { agent, journey } = await beginAgents()
  rmSync(journey.at('docs/2026/minutes.txt'))
  await journey.stage('docs/2026/minutes.txt', 'gone')
  const { call } = await agent('ada')
  const why = (await call('why_not', { file: 'minutes.txt' })).data.why.join('; ')
  expect(why).toMatch(/its content stays in the service|it is to be removed on the service/)
  const { text, data } = await call('is_it_in', { file: 'minutes.txt' })
  expect(text).toBe(`docs/2026/minutes.txt: not in: gone (${why})`)
  expect(data.files).toMatchObject([{ is_in: false, state: 'gone', detail: why }])
  journey.ends({ also_there: [createHash('md5').update('the minutes').digest('hex')] })
})

test('says what is wrong with a path that names nothing, and finds one of another machine', async () => {
  const { agent, journey } = await beginAgents()
  symlinkSync('/etc', journey.at('docs/link'))
  const { call } = await agent('ada')
  for (const tool of ['is_it_in', 'why_not']) {
    const said = async (file: string) => (await call(tool, { file })).text
    expect(await said('DOCS/plan.txt')).toContain('there is no folder DOCS; did you mean docs/plan')
    expect(await said('SECRET/plan.txt')).not.toContain('did you mean')
    expect(await said('docs/a\0b')).toMatch(/no path has a zero byte/)
    expect(await said(`docs/${'x/'.repeat(2_600)}`)).toMatch(/5,205 bytes, and the system takes/)
    expect(await said('x'.repeat(20_000))).toMatch(/longer than any path/)
    expect(await said('docs/link/passwd')).toMatch(/it lies behind link, a symbolic link/)
    expect(await said('G:\\Team\\none.txt')).toMatch(/drive letters and servers are not known here/)
    // The other one of that name lies in a folder that they do not see.
    expect(await said('G:\\Team\\plan.txt')).toMatch(/^docs\/plan\.txt: (in since|ready)/)
    expect(await said('\\\\server\\docs\\2026\\MINUTES.txt')).toMatch(/^docs\/2026\/minutes\.txt/)
  }
  const boss = await agent('boss')
  const both = await boss.call('why_not', { file: 'G:\\Team\\plan.txt' })
  expect(both.is_error).toBe(true)
  const one = await boss.call('why_not', { file: 'G:\\Secret\\plan.txt' })
  expect(one.text).toMatch(/^secret\/plan\.txt: ready/)
})

test('explains one file, and names the files that a name may mean', async () => {
  const { agent } = await beginAgents()
  const { call } = await agent('boss')
  const { text, data } = await call('why_not', { file: 'minutes.txt' })
  expect(text).toBe('docs/2026/minutes.txt: ready\nit is usable in the assistant')
  expect(data).toMatchObject({ state: 'ready', why: ['it is usable in the assistant'] })
  const both = await call('why_not', { file: 'plan.txt' })
  expect(both.is_error).toBe(true)
  expect(both.text).toBe(
    'plan.txt may be 2 files\nname one of them: docs/plan.txt, secret/plan.txt',
  )
})

test('searches with limits, and lists what arrived', async () => {
  const { journey, agent } = await beginAgents()
  const { call } = await agent('boss')
  expect((await call('search_files', { text: 'PLAN', folders: ['docs'] })).data.files).toHaveLength(
    1,
  )
  expect((await call('search_files', { limit: 2 })).data).toMatchObject({
    files: { length: 2 },
    has_more: true,
  })
  expect((await call('search_files', { states: ['refused'] })).text).toBe('no file matches')
  const arrived = await call('what_arrived_since', { since: '1h', folders: ['docs'] })
  expect(arrived.data.files.map(({ path }: { path: string }) => path).sort()).toEqual(
    [hostile, '2026/minutes.txt', 'plan.txt'].sort(),
  )
  expect((await call('what_arrived_since', { since: '2999-01-01' })).data.files).toEqual([])
  journey.write({ 'docs/aaa.txt': 'the newest' })
  await journey.allReady()
  const newest = await call('what_arrived_since', { since: '1h', limit: 1 })
  expect(newest.data).toMatchObject({ files: [{ path: 'aaa.txt' }], has_more: true })
})

test('finds by words whatever their case and accents, as the page does', async () => {
  const { journey, agent, store, address } = await beginAgents()
  journey.write({ 'docs/2026/Prüfbericht März.txt': 'the report' })
  await journey.allReady()
  const { call } = await agent('boss')
  const browser = new Browser(address)
  await browser.useLink(store)
  for (const [text, count] of [
    ['marz PRUF', 1],
    ['docs/2026/pruf', 1],
    ['marz plan', 0],
  ] as const) {
    expect([text, (await call('search_files', { text })).data.files.length]).toEqual([text, count])
    const page = await browser.get(`/files?${new URLSearchParams({ q: text })}`)
    expect([text, page.text.includes('Prüfbericht')]).toEqual([text, count === 1])
  }
  const { data } = await call('is_it_in', { file: 'prufbericht marz' })
  expect(data.files).toMatchObject([
    { folder: 'docs', path: '2026/Prüfbericht März.txt', state: 'ready' },
  ])
  expect((await call('why_not', { file: 'MARZ' })).data.state).toBe('ready')
})

test('a name can neither turn the text nor be lost: the text escapes it, the JSON has it', async () => {
  const { agent } = await beginAgents()
  const { text, data } = await (await agent('boss')).call('is_it_in', { file: 'onerror' })
  expect(text).toContain('docs/<img src=x onerror=alert(1)>\\u{202e}gpj.txt: in')
  expect(data.files[0].path).toBe(hostile)
})

test('a reader learns nothing of another folder, however it is named', async () => {
  const { journey, agent } = await beginAgents()
  const { call } = await agent('ada')
  const ways = [
    'secret/salaries.txt',
    'salaries.txt',
    'docs/../secret/salaries.txt',
    './secret/salaries.txt',
  ]
  for (const file of [
    ...ways,
    join(journey.base, 'secret/salaries.txt'),
    join(journey.base, 'docs/../secret/plan.txt'),
  ])
    for (const tool of ['is_it_in', 'why_not']) {
      const { text, is_error, data } = await call(tool, { file })
      expect([is_error, data.error.code]).toEqual([true, 'usage.path'])
      expect(text.replaceAll(file, '')).not.toMatch(/secret|salaries/)
    }
  const { data } = await call('why_not', { file: 'docs/plan.txt' })
  expect(data.same_bytes).toEqual([])
  for (const given of [{}, { text: 'plan' }, { text: 'secret' }])
    expect((await call('search_files', given)).text).not.toMatch(/secret|salaries/)
  expect((await call('what_arrived_since', { since: '1h' })).text).not.toMatch(/secret|salaries/)
  const unknown = await call('search_files', { folders: ['nowhere'] })
  const other = await call('search_files', { folders: ['secret'] })
  expect(other.text).toBe(unknown.text.replace('nowhere', 'secret'))
})

test.each([
  ['search_files', { limit: 0 }, 'limit must be a whole number from 1 to 100'],
  [
    'search_files',
    { txt: 'plan' },
    'the tool search_files has no argument txt; its arguments: text, folders, states, limit, cursor',
  ],
  ['what_arrived_since', { since: 'yesterday' }, 'since takes a time such as'],
  ['what_arrived_since', { since: '2026-02-31' }, 'since takes a time such as'],
  ['what_arrived_since', { since: '2026-02-31T08:00:00Z' }, 'since takes a time such as'],
  ['ask', { question: 'why?', since: '2026-04-31' }, 'since takes a time such as'],
  ['last_report', { prompt: 'weekly' }, 'no prompts are configured'],
])('a wrong call of %s with %j is answered in words', async (name, given, words) => {
  const { agent } = await beginAgents()
  const { text, is_error } = await (await agent('boss')).call(name, given)
  expect([is_error, text.slice(0, words.length)]).toEqual([true, words])
})

test('every tool says that it destroys nothing', async () => {
  const { agent } = await beginAgents()
  const { client } = await agent('boss')
  for (const { description, inputSchema, annotations } of (await client.listTools()).tools) {
    expect(description).not.toBe('')
    expect(inputSchema.type).toBe('object')
    expect(annotations).toMatchObject({ destructiveHint: false })
  }
})

test('a reader asks over their folders alone, as often as is allowed, and hears that it takes time', async () => {
  const { journey, agent } = await beginAgents({ page: { readers_ask: 1 } })
  const { call } = await agent('ada')
  for (const [given, words] of [
    [{ folders: ['secret'] }, 'there is no folder secret, or you may not see it'],
    [{ question: '  ' }, 'the question is empty'],
    [{ label: 'any' }, 'only who sees all folders may ask by label'],
    [{ since: 'once' }, 'since takes a time'],
  ] as const)
    expect((await call('ask', { question: 'What is the plan?', ...given })).text).toMatch(words)
  expect(journey.service.chats(journey.project_id)).toEqual([])
  const heard: (string | undefined)[] = []
  const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message)
  const { text, data } = await call('ask', { question: 'What is the plan?' }, { onprogress })
  expect(heard[0]).toMatch(/^waiting for the answer/)
  expect(data.asked_over).toBe(3)
  expect(text).toMatch(/Asked about 3 files: \d .*; 1 named in the answer/)
  expect(data).toMatchObject({ calls: 0, covered_files: 1, left_files: 2 })
  expect(data.covered).toMatchObject([{ name: 'docs/plan.txt', read: 'part', is_named: true }])
  expect(data.left[0]).toMatchObject({ read: 'not', is_named: false })
  expect(text).toContain(data.answer)
  expect(await call('ask', { question: 'And now?' })).toMatchObject({
    is_error: true,
    data: { error: { code: 'page.asked_enough' } },
  })
  expect(journey.service.chats(journey.project_id)).toHaveLength(1)
})

test('C-14 a turn with an error is no answer for an agent, whatever text it shows', async () => {
  const { journey, agent } = await beginAgents()
  const { call } = await agent('boss')
  journey.service.injectFaults({ turn_shows: { status: 'error', response: 'The plan is…' } })
  expect(await call('ask', { question: 'What is the plan?' })).toMatchObject({
    is_error: true,
    text: expect.stringContaining('with an error'),
    data: { error: { code: 'answer.failed' } },
  })
})

test('the last report of a prompt is for those who see all that it was about', async () => {
  const prompt = {
    cron: '0 8 * * 1',
    prompt: 'What is new?',
    first_run: 'all',
    deliver: [{ file: { dir: makeTree() } }],
  }
  const { config, store, agent } = await beginAgents({
    config: {
      prompts: [
        { ...prompt, name: 'weekly', scope: { folders: ['docs'] } },
        { ...prompt, name: 'both', scope: { folders: ['docs', 'secret'] } },
      ],
    },
  })
  const [boss, ada] = [await agent('boss'), await agent('ada')]
  expect((await ada.call('last_report', { prompt: 'weekly' })).text).toContain(
    'weekly has written no report yet',
  )
  await withDaemon({ config }, (daemon) => daemon.runPrompt({ prompt: 'weekly' }))
  await until(
    'the report',
    async () => (await ada.call('last_report', { prompt: 'weekly' })).data.run !== null,
  )
  const { text, data } = await ada.call('last_report', { prompt: 'weekly' })
  expect(text).toMatch(/^The report of weekly for \d{4}-/)
  const files = [...data.covered, ...data.left]
  expect(files.map(({ name }) => name)).toContain('docs/plan.txt')
  expect([data.covered.length, data.left.length]).toEqual([data.covered_files, data.left_files])
  expect(data.report).not.toBe('')
  expect((await boss.call('last_report', { prompt: 'both' })).is_error).toBe(false)
  const [other, unknown] = [
    await ada.call('last_report', { prompt: 'both' }),
    await ada.call('last_report', { prompt: 'bath' }),
  ]
  expect(other.text).toBe(unknown.text.replace('bath', 'both'))
  store.putUser({ name: 'ada', role: 'reader', folders: ['secret'] })
  expect((await ada.call('last_report', { prompt: 'both' })).text).toBe(
    'there is nothing here, or you may not see it',
  )

  const view = openPromptsView(config.state_dir)
  writeFileSync(view.run(1)!.report_path!, 'x'.repeat(70_000))
  view.close()
  const long = (await boss.call('last_report', { prompt: 'weekly' })).data
  expect([long.is_cut, long.report.length, long.covered_files]).toEqual([
    true,
    60_038,
    long.covered.length,
  ])
})
