import { expect, test } from 'vitest'
import { type Client, start } from '../fixture.ts'
import { assistantFile } from './assistant-file.ts'
import { json, outsideServer } from './outside-server.ts'

const question = 'When does the harbour close?'

const skill = (client: Client, name: string, more: object = {}) =>
  client.post('/v1/skills', {
    name,
    content: `Follow ${name}.`,
    scope: 'project',
    category: 'skill',
    ...more,
  })

const memory = (client: Client, content: string, importance: number) =>
  client.post('/v1/memories', { content, category: 'fact', importance })

test('C-18 an answer draws on as many passages as the row of its mode says', async () => {
  const client = await start()
  const passages = Array.from(
    { length: 40 },
    (_, at) => `Harbour ${at}. ${'It closes when the sun is down. '.repeat(16)}`,
  )
  await client.upload(passages.join('\n\n'))
  for (const [intelligence, max] of Object.entries({ fast: 6, expert: 12, research: 24 })) {
    const scope = { project_ids: [client.project_id] }
    const { response } = await client.ask('Which harbour closes?', { intelligence, scope })
    expect(response.match(/^\*\*a\.txt\*\*$/gm)?.length, intelligence).toBe(max)
  }
})

/** The position of each text in the answer; -1 where it is missing. */
const places = (response: string, texts: readonly string[]) =>
  texts.map((text) => response.indexOf(text))

test('C-03 skills are loaded in the order of the turn, and one that is gone by then adds nothing', async () => {
  const client = await start({ answer_delay_ms: 300 })
  for (const name of ['alpha', 'beta', 'gamma']) await skill(client, name)
  const { response } = await client.ask('x', { skills: ['gamma', 'alpha', 'gamma', 'beta'] })
  expect(response).toContain('Skills, in this order: gamma, alpha, beta.')
  const { body } = await client.post('/v1/chats', { prompt: 'x', skills: ['beta', 'alpha'] })
  const listed = (await client.get('/v1/skills')).body.data as { skill_id: string; name: string }[]
  await client.post(`/v1/skills/${listed.find(({ name }) => name === 'beta')!.skill_id}/disable`)
  expect(await client.answer(body.chat_id, body.message_id)).toContain(
    'Skills, in this order: alpha.',
  )
})

test('C-19 D-07 memories of the project are quoted, the most important first; no answer has a user’s own', async () => {
  const client = await start()
  const { service, project_id } = client
  const tokens = ['ada@example.org', 'bob@example.org'].map((email) => {
    service.users.create(email)
    return service.tokens.create(email, { user: email }).token
  })
  for (const email of ['ada@example.org', 'bob@example.org'])
    service.members.add(email, project_id, 'reader')
  const [ada, bob] = tokens.map((token) => client.as({ token })) as [Client, Client]
  await memory(client, 'The harbour is ours.', 5)
  await memory(client, 'Harbour means the northern one.', 9)
  await memory(client, 'Nobody likes tea.', 10)
  await memory(ada, 'I was ill when the harbour closed.', 9)
  await memory(bob, 'The harbour has a secret door.', 10)
  const texts = ['northern one', 'is ours', 'tea', 'I was ill', 'secret door']
  const { chat_id, message_id, response } = await ada.ask(question)
  const [max, min, ...hidden] = places(response, texts) as [number, number]
  expect([max > 0, max < min, hidden]).toEqual([true, true, [-1, -1, -1]])
  expect(await bob.answer(chat_id, message_id)).toBe(response)
})

test('C-19 past chats are a tool of the thorough modes, without a scope or with a whole project in it', async () => {
  const client = await start()
  const { chat_id } = await client.ask('Note that the harbour closes at nine.', {
    intelligence: 'fast',
  })
  const asset = await client.upload('Tea is served.')
  const quotes = async (more: object) =>
    (await client.ask(question, more)).response.includes('closes at nine')
  expect(await quotes({ intelligence: 'fast' })).toBe(false)
  expect(await quotes({ intelligence: 'expert' })).toBe(true)
  expect(
    await quotes({ intelligence: 'expert', scope: { project_ids: [client.project_id] } }),
  ).toBe(true)
  expect(await quotes({ intelligence: 'expert', scope: { asset_ids: [asset] } })).toBe(false)
  expect(await quotes({ intelligence: 'fast', scope: { chat_ids: [chat_id] } })).toBe(true)
})

const results = json({
  web: {
    results: [
      {
        title: 'Harbours',
        url: 'https://example.org/h',
        description: 'Elsewhere the harbour closes at ten.',
      },
      { title: 'Nothing', url: 'https://example.org/n' },
      { title: 'Third', url: 'https://example.org/t', description: 'Not read any more.' },
    ],
  },
})

function searching(origin: string, more: object = {}): string {
  const web_search = {
    url: `${origin}/find?format=json&q={query}`,
    items: 'web.results',
    text: 'description',
    max_results: 1,
    key_file: 'key',
    key_header: 'X-Subscription-Token',
    ...more,
  }
  return assistantFile({ web_search }, { key: 'web-key-1\n' })
}

test('C-19 only modes with web access search the web, and none with public_data false', async () => {
  const engine = await outsideServer(results)
  const client = await start({ assistant_config: searching(engine.origin) })
  // The scope excludes past chats, which would quote earlier results of the web.
  const scope = { asset_ids: [await client.upload('Tea is served.')] }
  const asked = async (more: object) =>
    (await client.ask('When does the harbour close & open?', { scope, ...more })).response
  expect(await asked({ intelligence: 'expert' })).toContain(
    '**Harbours, https://example.org/h**\n\n> Elsewhere the harbour closes at ten.',
  )
  expect(engine.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /find?format=json&q=harbour%20close%20open',
  ])
  const { headers } = engine.received[0]!
  expect([headers['x-subscription-token'], headers['x-api-key'], headers.authorization]).toEqual([
    'web-key-1',
    undefined,
    undefined,
  ])
  for (const more of [{ intelligence: 'expert', public_data: false }, { intelligence: 'fast' }]) {
    expect(await asked(more)).not.toContain('Elsewhere')
  }
  expect(engine.received).toHaveLength(1)
  expect(await asked({ intelligence: 'research', public_data: true })).not.toContain(
    'Not read any more',
  )
  expect(engine.received).toHaveLength(2)
})

test('C-19 without an address there is no web search', async () => {
  const client = await start()
  expect(
    (await client.ask(question, { intelligence: 'research', public_data: true })).response,
  ).not.toContain('web')
})

test.each([
  ['a status', json({}, 503), {}],
  ['no list', json({ web: {} }), {}],
  ['no JSON', (response: { end(text: string): void }) => response.end('<html>'), {}],
  ['silence', () => {}, { timeout_ms: 50 }],
] as const)(
  'C-19 a web search that fails costs the answer its results, not more: %s',
  async (_what, reply, more) => {
    const engine = await outsideServer(reply)
    const lines: string[] = []
    const client = await start({
      assistant_config: searching(engine.origin, more),
      log: (line) => lines.push(line),
    })
    await client.upload('The harbour closes at nine.')
    const { response } = await client.ask(question, { intelligence: 'expert' })
    expect(response).toContain('The harbour closes at nine.')
    expect(response).toContain('The web search failed, so this answer does not use the web')
    expect(lines.join()).toContain('the web search failed')
    expect(lines.join()).not.toContain('web-key-1')
  },
)

test('C-19 past chats are read from their newest characters, page by page, and none twice', async () => {
  const client = await start({ assistant_config: assistantFile({ max_past_chars: 20_000 }) })
  const nothing = { asset_ids: [await client.upload('Tea is served.')] }
  const ask = async (prompt: string) => (await client.ask(prompt, { scope: nothing })).chat_id
  await ask('Note that the harbour closed at eight, long ago.')
  for (let turn = 0; turn < 6; turn++) await ask(`Nothing to see here. ${'x '.repeat(2_000)}`)
  const chat_id = await ask('Note that the harbour closes at nine.')
  for (let turn = 0; turn < 55; turn++) await ask('Small talk.')
  const scope = { project_ids: [client.project_id], chat_ids: [chat_id] }
  const { response } = await client.ask(question, { intelligence: 'expert', scope })
  expect(response.split('closes at nine')).toHaveLength(2)
  expect(response).not.toContain('long ago')
  expect((await client.ask('Was it long ago?', { intelligence: 'expert' })).response).not.toContain(
    'at eight',
  )
})
