import { expect, onTestFinished, test } from 'vitest'
import { RecordingProxy } from '../../journeys/secrets/recording-proxy.ts'
import { Home } from '../sluice.ts'

const nowhere = (kind: string) => `${kind}_${'0'.repeat(20)}`

/** A home whose client reaches the service through a proxy, which records the questions. */
async function recordedHome(tree: Record<string, string> = {}) {
  const home = await Home.make(tree)
  const proxy = new RecordingProxy(home.service)
  await proxy.listen()
  onTestFinished(() => proxy.close())
  const questions: [call: string, body: object][] = []
  proxy.onApi = (call, _secrets, body) => {
    if (/^POST .*(chats|messages)$/.test(call)) questions.push([call, JSON.parse(body)])
    return undefined
  }
  home.configure({ service: { base_url: proxy.api } })
  return { home, questions }
}

function post(home: Home, path: string, body: object) {
  const { token } = home.service.tokens.create(JSON.stringify(body))
  const headers = {
    'x-api-key': token,
    'x-project-id': home.project_id,
    'content-type': 'application/json',
  }
  return fetch(home.service.api + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

test('the service receives exactly the fields that the options name', async () => {
  const { home, questions } = await recordedHome({ 'a.txt': 'The quay opens at nine.\n' })
  expect((await home.inProcess('sync')).code).toBe(0)
  const { project_id, service } = home
  const asset_id = service.assets(project_id)[0]!.asset_id
  const other = service.projects.create('other').project_id
  const { concept_id } = service.concepts.create('quays', { project_id, asset_ids: [asset_id] })
  const { view_id } = service.views.create('texts', { project_id, name_pattern: '*.txt' })
  for (const name of ['terse', 'tables']) {
    const skill = { name, content: 'One sentence.', scope: 'project', category: 'skill' }
    expect((await post(home, '/v1/skills', skill)).status).toBe(201)
  }
  expect((await home.inProcess('ask', 'when?')).code).toBe(0)
  const chat_id = service.chats(project_id)[0]!.chat_id

  const over = [
    '--chat',
    chat_id,
    '--concept',
    concept_id,
    '--view',
    view_id,
    '--project',
    other,
    '--folder',
    'docs',
  ]
  const how = ['--provider', 'openai', '--skill', 'terse', '--skill', 'tables', '--no-public-data']
  const { code, out } = await home.inProcess('ask', 'and then?', ...over, ...how)
  expect(code).toBe(0)
  const about = `1 file of docs, and the chat ${chat_id}, and the concept ${concept_id}, and the project ${other}, and the view ${view_id}`
  expect(out.replaceAll(/\s+/g, ' ')).toContain(`asked about ${about}`)
  // Of the earlier options a later turn has none: each question is sent as it stands.
  expect((await home.inProcess('ask', 'and later?', '--follow-up')).code).toBe(0)
  const scope = {
    asset_ids: [asset_id],
    chat_ids: [chat_id],
    concept_ids: [concept_id],
    project_ids: [other],
    view_ids: [view_id],
  }
  const skills = ['terse', 'tables']
  expect(questions).toEqual([
    ['POST /v1/chats', { prompt: 'when?', intelligence: 'auto' }],
    [
      'POST /v1/chats',
      {
        prompt: 'and then?',
        intelligence: 'auto',
        provider: 'openai',
        skills,
        public_data: false,
        scope,
      },
    ],
    [
      expect.stringMatching('^POST /v1/chats/chat_'),
      { prompt: 'and later?', intelligence: 'auto' },
    ],
  ])
  expect(
    service.chats(project_id).flatMap(({ messages }) => messages.map((message) => message.scope)),
  ).toContainEqual(scope)
})

test('each other kind alone asks without a matching file, and --json names it', async () => {
  const { home, questions } = await recordedHome({ 'a.txt': 'The quay opens at nine.\n' })
  expect((await home.inProcess('sync')).code).toBe(0)
  const { project_id, service } = home
  const asset_ids = [service.assets(project_id)[0]!.asset_id]
  await home.inProcess('ask', 'a chat?')
  const ids = {
    chat: service.chats(project_id)[0]!.chat_id,
    concept: service.concepts.create('quays', { project_id, asset_ids }).concept_id,
    project: service.projects.create('other').project_id,
    view: service.views.create('texts', { project_id, name_pattern: '*' }).view_id,
  }
  const none = { labels: [], chats: [], concepts: [], projects: [], views: [] }
  for (const [kind, id] of Object.entries(ids)) {
    const words = ['--path', '*.pdf', `--${kind}`, id, '--json']
    const { code, out } = await home.inProcess('ask', 'what is new?', ...words)
    expect(code, kind).toBe(0)
    const named = { ...none, [`${kind}s`]: [id] }
    expect(JSON.parse(out).scope).toEqual({
      ...named,
      files: 0,
      is_cut: false,
      whole_project: false,
    })
    expect(questions.at(-1)?.[1]).toMatchObject({ scope: { [`${kind}_ids`]: [id] } })
  }
  const whole = await home.inProcess('ask', 'what is new?', '--project', project_id, '--json')
  expect(JSON.parse(whole.out).scope).toMatchObject({
    projects: [project_id],
    files: null,
    whole_project: true,
  })
})

const as_shown = 'and 20 small letters or digits, as the service shows it'

test.each([
  [['--chat', 'chat_1'], `--chat chat_1: must be chat_ ${as_shown}`],
  [['--concept', nowhere('view')], `--concept ${nowhere('view')}: must be concept_ ${as_shown}`],
  [['--view', ''], `--view '': must be view_ ${as_shown}`],
  [['--project', 'Office'], `--project Office: must be project_ ${as_shown}`],
  [['--label', 'x'], '--label x: must have 2 to 255 characters'],
  [
    ['--label', 'two\nlines'],
    "--label $'two\\x0alines': must be in one line, without control characters",
  ],
  [['--path', ''], "--path '': must not be empty"],
  [
    ['--provider', 'Open AI'],
    "--provider 'Open AI': must be small letters, digits, dashes or underscores",
  ],
  [['--skill', ''], "--skill '': must be a text of 1 to 255 characters in one line"],
  [
    Array.from({ length: 21 }, (_, at) => ['--skill', `s${at}`]).flat(),
    '--skill: must not have more than 20 entries',
  ],
  [
    Array.from({ length: 101 }, () => ['--chat', nowhere('chat')]).flat(),
    '--chat: must not have more than 100 entries',
  ],
  [['--provider', 'openai', '--provider', 'google'], '--provider is given more than once'],
  [['--public-data'], 'did you mean --no-public-data?'],
])('refuses %j before any call to the service', async (words, why) => {
  const home = await Home.make()
  const { code, out, err } = await home.inProcess('ask', 'anything?', ...words)
  expect([code, out]).toEqual([64, ''])
  expect(err.replaceAll(/\s+/g, ' ')).toContain(why)
  expect(home.service.requestLog).toEqual([])
})

test('each refused option has a line of its own, and a token in one is masked', async () => {
  const home = await Home.make()
  const { token } = home.service.tokens.create('pasted')
  const { err } = await home.inProcess(
    'ask',
    'x',
    '--chat',
    `${'x'.repeat(20)} ${token}`,
    '--view',
    'board',
  )
  expect(err.match(/^sluice: --(chat|view)/gm)).toEqual(['sluice: --chat', 'sluice: --view'])
  expect(err).not.toContain(token.slice(0, 12))
})

test.each([
  ['--provider', { provider: 'Open AI' }, 'Open AI'],
  ['--skill', { skills: ['two\nlines'] }, 'two\nlines'],
  ['--chat', { scope: { chats: ['chat_1'] } }, 'chat_1'],
  ['--project', { scope: { projects: ['Office'] } }, 'Office'],
])('%s has the rule and the message of a configured prompt', async (option, fields, value) => {
  const home = await Home.make()
  const prompt = {
    name: 'weekly',
    cron: '0 8 * * 1',
    prompt: 'x',
    scope: { folders: ['docs'] },
    ...fields,
  }
  home.configure({ prompts: [prompt] })
  const configured = await home.inProcess('status')
  const rule = /must .*/s.exec(configured.err)![0].split('docs/config.md')[0]!.trim()
  home.configure()
  expect((await home.inProcess('ask', 'x', option, value)).err).toContain(rule)
})

test.each([
  ['--folder', 'docs'],
  ['--path', '*.pdf'],
  ['--fresh', '1d'],
  ['--label', 'papers'],
  ['--concept', nowhere('concept')],
  ['--view', nowhere('view')],
])('the whole project and %s contradict each other', async (...words) => {
  const home = await Home.make()
  const { code, err } = await home.inProcess('ask', 'x', '--project', home.project_id, ...words)
  expect(code).toBe(64)
  expect(err.match(/^sluice: .*/gm)).toHaveLength(1)
  expect(err).toContain(`--project ${home.project_id} is the whole project that is asked`)
  expect(home.service.requestLog).toEqual([])
})

test('asks nothing over a chat or a project that the service does not have', async () => {
  const home = await Home.make()
  const words = ['--chat', nowhere('chat'), '--project', nowhere('project')]
  const { code, err } = await home.inProcess('ask', 'x', ...words, '--concept', nowhere('concept'))
  expect(code).toBe(64)
  const all = `${nowhere('chat')}, ${nowhere('project')}`
  expect(err.replaceAll(/\s+/g, ' ')).toContain(
    `nothing was asked: the service does not have ${all}, or the token has no access`,
  )
  expect(home.service.chats(home.project_id)).toEqual([])
})

test('names concepts and views that it could not check, and a skill that the service does not know', async () => {
  const home = await Home.make()
  const gone = [nowhere('concept'), nowhere('view')]
  const { code, err } = await home.inProcess('ask', 'x', '--concept', gone[0]!, '--view', gone[1]!)
  expect(code).toBe(3)
  expect(err.replaceAll(/\s+/g, ' ')).toContain(
    `Sluice cannot check concepts and views: one of ${gone.join(', ')} may be gone`,
  )
  expect(await home.inProcess('ask', 'x', '--skill', 'juggling')).toMatchObject({
    code: 3,
    err: expect.stringContaining('You have no skill called juggling'),
  })
  expect(home.service.chats(home.project_id)).toEqual([])
})

test('a check that is not possible asks nothing', async () => {
  const home = await Home.make()
  home.service.injectFaults({ failures: [{ route: 'messages.list', status: 503, times: 9 }] })
  const { code, err } = await home.inProcess('ask', 'x', '--chat', nowhere('chat'))
  expect(code).toBe(3)
  expect(err).toContain('the question was not asked')
  expect(home.service.chats(home.project_id)).toEqual([])
})
