import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, until } from '../sluice.ts'

const tree = {
  'legal/lease.txt': 'The lease for the warehouse ends on the third of May.\n',
  'legal/\u001b[2Jodd.txt': 'The lease for the office ends on the ninth of June.\n',
  'kitchen/potatoes.txt': 'Boil the potatoes for twenty minutes.\n',
}

async function synced(): Promise<Home> {
  const home = await Home.make(tree)
  expect((await home.sluice('sync')).code).toBe(0)
  return home
}

const assetNamed = (home: Home, name: string) =>
  home.service.assets(home.project_id).find(({ filename }) => filename.endsWith(name))!.asset_id
const chatsOf = (home: Home) => home.service.chats(home.project_id)
const scopeOf = (home: Home) => chatsOf(home).at(-1)?.messages.at(-1)?.scope

test('asks over the matching files: prints the answer and its sources, and follows up in the same chat', async () => {
  const home = await synced()
  const words = [
    '--folder',
    'docs',
    '--path',
    'legal/lease*',
    '--fresh',
    '24h',
    '--intelligence',
    'fast',
  ]
  const { code, out, err } = await home.sluice(
    'ask',
    ...words,
    'When does the lease for the warehouse end?',
  )
  expect([code, err]).toEqual([0, 'asking about 1 file of docs\n'])
  expect(out).toContain('> The lease for the warehouse ends on the third of May.')
  expect(out).toMatch(
    /sources named in the answer\n {2}docs\/legal\/lease\.txt: read in part\nasked about 1 file of docs: 1 read in part; 1 named in the answer\n$/,
  )
  expect(scopeOf(home)).toEqual({ asset_ids: [assetNamed(home, 'lease.txt')] })
  expect(statSync(join(home.path, 'state/last-chats.json')).mode & 0o777).toBe(0o600)

  // A follow-up inherits the conversation only: without a scope of its own it covers the whole
  // project.
  const again = await home.inProcess('ask', 'potatoes', 'how long?', '--follow-up', '--json')
  expect([again.code, again.err]).toEqual([0, ''])
  const answer = JSON.parse(again.out)
  const [chat, ...others] = chatsOf(home)
  expect(others).toEqual([])
  expect(chat?.messages.map(({ prompt }) => prompt).at(-1)).toBe('potatoes how long?')
  expect(scopeOf(home)).toBeNull()
  expect(answer.answer).toContain('twenty minutes')
  const varying = {
    chat_id: '',
    message_id: '',
    project_id: '',
    asked: '',
    answered: '',
    answer: '',
  }
  expect({ ...answer, ...varying }).toMatchSnapshot()
  expect(answer.chat_id).toBe(chat?.chat_id)
})

test('an answer over the whole project names a file that is deleted on disk: the sources say so', async () => {
  const home = await synced()
  rmSync(join(home.path, 'docs/kitchen/potatoes.txt'))
  expect((await home.inProcess('sync')).code).toBe(0)
  const question = 'How long to boil the potatoes?'
  const { code, out } = await home.inProcess('ask', question)
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /deleted sources named in the answer\n {2}docs\/kitchen\/potatoes\.txt \(deleted on disk\): read in part\nasked about the whole project\n$/,
    ),
  ])
  expect(JSON.parse((await home.inProcess('ask', question, '--json')).out).sources).toEqual([
    {
      name: 'docs/kitchen/potatoes.txt',
      asset_id: assetNamed(home, 'potatoes.txt'),
      is_named: true,
      is_deleted: true,
      read: 'part',
      places: [],
    },
  ])
})

test('odd names cannot steer the terminal; --json lists the sources, first those that the answer names', async () => {
  const home = await synced()
  const { out } = await home.inProcess('ask', 'Which lease ends in June?', '--path', '*odd*')
  expect(out).toContain('  docs/legal/\\x1b[2Jodd.txt: read in part\n')
  expect(out).not.toContain('\u001b')
  const { sources } = JSON.parse(
    (await home.inProcess('ask', 'potatoes', '--path', '/', '--path', '*.txt', '--json')).out,
  )
  expect(sources.map(({ is_named }: { is_named: boolean }) => is_named)).toEqual([
    true,
    false,
    false,
  ])
  expect(sources[0]).toEqual({
    name: 'docs/kitchen/potatoes.txt',
    asset_id: assetNamed(home, 'potatoes.txt'),
    is_named: true,
    is_deleted: false,
    read: 'part',
    places: [],
  })
  expect(sources[1]).toMatchObject({ is_named: false, read: 'not' })
})

test('--label asks by the names of labels, with files or without', async () => {
  const home = await Home.make({ 'a.txt': 'The first paper.\n' })
  home.configure({ folder: { labels: ['Papers'] } })
  expect((await home.inProcess('sync')).code).toBe(0)
  const { out } = await home.inProcess('ask', 'first paper?', '--label', 'Papers')
  expect(out).toContain('asked about what has the label Papers')
  expect(Object.keys(scopeOf(home) ?? {})).toEqual(['label_ids'])
  await home.inProcess('ask', 'first paper?', '--label', 'Papers', '--folder', 'docs')
  expect(Object.keys(scopeOf(home) ?? {}).sort()).toEqual(['asset_ids', 'label_ids'])
  expect(await home.inProcess('ask', 'x', '--label', 'papers')).toMatchObject({
    code: 64,
    err: expect.stringContaining('did you mean Papers?'),
  })
  expect(chatsOf(home)).toHaveLength(2)
})

test('asks nothing if nothing matches: an empty scope would mean the whole project', async () => {
  const home = await Home.make({ 'a.txt': 'one' }, { profile: 'hosted' })
  expect(await home.inProcess('ask', 'anything?', '--folder', 'docs')).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('nothing was asked'),
  })
  await home.inProcess('sync')
  expect((await home.inProcess('ask', 'anything?', '--path', '*.pdf')).code).toBe(3)
  expect((await home.inProcess('ask', 'anything?', '--folder', 'docs')).code).toBe(0)
  expect(chatsOf(home)).toHaveLength(1)
})

test.each([
  ['a cut connection', { status: 500, drop_connection: true }],
  ["a gateway's 503", { status: 503, body: 'html' }],
] as const)(
  'does not repeat a question that may have arrived (%s), and says so',
  async (_, answer) => {
    const home = await Home.make()
    const failure = { route: 'chats.start', ...answer, when: 'after' } as const
    home.service.injectFaults({ failures: [failure] })
    const { code, err } = await home.inProcess('ask', 'anything?')
    expect(code).toBe(3)
    expect(err).toContain('whether the question reached the service is not known')
    expect(err).toContain(
      'check the newest chats of the project in the assistant, and ask again only if',
    )
    expect(home.service.requestLog.map(({ place }) => place)).toEqual(['chats.start'])
    expect((await home.inProcess('ask', 'and?', '--follow-up')).code).toBe(64)
  },
)

test('reports a question that did not arrive, one that failed, and a refused token', async () => {
  const home = await Home.make()
  home.service.injectFaults({ failures: [{ route: 'chats.start', status: 503, times: 1 }] })
  expect(await home.inProcess('ask', 'x')).toMatchObject({
    code: 3,
    err: expect.stringContaining('was not asked'),
  })
  expect(chatsOf(home)).toEqual([])
  home.service.injectFaults({ failures: [], failed_answers: 1 })
  expect(await home.inProcess('ask', 'x')).toMatchObject({
    code: 3,
    err: expect.stringContaining('ended the question'),
  })
  home.service.injectFaults({ turn_shows: { status: 'error', response: 'I could not finish.' } })
  const with_text = await home.inProcess('ask', 'x')
  expect(with_text).toMatchObject({ code: 3, out: '' })
  expect(with_text.err).toContain('ended the question with an error')
  expect(with_text.err).toContain('it said: I could not finish')
  writeFileSync(join(home.path, 'token'), `pat_${'0'.repeat(32)}`)
  expect(await home.inProcess('ask', 'x')).toMatchObject({
    code: 77,
    err: expect.stringContaining('renew the token'),
  })
})

test('Ctrl-C ends the wait and names the chat that will hold the answer', async () => {
  const home = await Home.make({}, { answer_delay_ms: 600_000 })
  const asking = home.start('ask', 'anything?')
  await until('the answer is waited for', () =>
    home.service.requestLog.some(({ place }) => place === 'messages.read'),
  )
  asking.child.kill('SIGINT')
  const { code, out, err } = await asking.ended
  expect([code, out]).toEqual([3, ''])
  expect(err).toContain(`goes on answering in the chat ${chatsOf(home)[0]?.chat_id}`)
  const { chats } = JSON.parse(readFileSync(join(home.path, 'state/last-chats.json'), 'utf8'))
  expect(chats).toEqual({ [home.project_id]: chatsOf(home)[0]?.chat_id })
})

test.each([
  [['ask', ' '], 'there is no question to ask'],
  [['ask', 'x', '--folder', 'dosc'], 'dosc is in no folder of the configuration'],
  [['ask', 'x', '--folder', 'docs/sub'], '--folder docs --path /sub'],
  ...['yesterday', '5', '30s', '3651d'].map((fresh): [string[], string] => [
    ['ask', 'x', '--fresh', fresh],
    '--fresh must be a duration from 1m to 3650d, such as 24h, 90m or 7d',
  ]),
  [['ask', 'x', '--fresh', '2 months'], '--fresh must not count in months or years'],
  [['ask', 'x', '--follow-up'], 'there is no chat to go on in'],
  [
    ['ask', 'x', '--intelligence', 'great'],
    '--intelligence cannot be great\n  the values are auto, fast, ',
  ],
  [
    ['ask', 'x', '--intelligence', 'two\nlines'],
    "--intelligence cannot be 'two\\nlines'\n  the values are auto, fast, ",
  ],
  [['completion', 'zhs'], 'shell cannot be zhs\n  did you mean zsh?'],
  [
    ['init', '--old-versions', 'remove'],
    '--old-versions cannot be remove\n  the values are keep, remove_old',
  ],
])('%j is a fault of the command line', async (words, why) => {
  const home = await Home.make()
  expect(await home.inProcess(...words)).toMatchObject({
    code: 64,
    out: '',
    err: expect.stringContaining(why),
  })
  expect(home.service.requestLog).toEqual([])
})

test('refuses a question over folders of two projects', async () => {
  const home = await Home.make()
  const other = home.service.projects.create('other').project_id
  home.configure({
    folders: [{ name: 'more', path: join(home.path, 'service'), project_id: other }],
  })
  expect(await home.inProcess('ask', 'x', '--fresh', '1h')).toMatchObject({
    code: 64,
    err: expect.stringContaining('name folders of one project with --folder'),
  })
})
