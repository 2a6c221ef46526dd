import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { service_migrations } from '../../../src/service/store/schema.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, start, until } from '../fixture.ts'
import { assistantFile, key, modelFile } from './assistant-file.ts'
import {
  completion,
  json,
  outsideServer,
  type Received,
  type Reply,
  silence,
} from './outside-server.ts'

const question = 'When does the harbour close?'

/** A service whose answers come from a model at a server of ours. */
async function withModel(replies: Reply[], more: Parameters<typeof modelFile>[1] = {}) {
  const server = await outsideServer(...replies)
  const lines: string[] = []
  const assistant_config = modelFile(server.origin, more)
  const client = await start({ assistant_config, log: (line) => lines.push(line) })
  return { server, lines, client, assistant_config }
}

const said = ({ body }: Received) => body.messages as { role: string; content: string }[]

test('C-20 a model is sent instructions, skills in order, memories, the conversation, the question with its sources', async () => {
  const { server, client } = await withModel([
    completion('First.'),
    completion('**Nine**, says oslo.md.'),
  ])
  const oslo = await client.upload('The harbour of Oslo closes at nine.', 'oslo.md')
  await client.upload('The harbour of Porto closes at ten.', 'porto.md')
  for (const [name, content] of [
    ['terse', 'One sentence only.'],
    ['sailor', 'You are an old sailor.'],
  ]) {
    await client.post('/v1/skills', { name, content, scope: 'project', category: 'persona' })
  }
  for (const [content, importance] of [
    ['Times are local.', 3],
    ['I am the harbour master.', 8],
  ]) {
    await client.post('/v1/memories', { content, category: 'identity', importance })
  }
  const { chat_id } = await client.ask('Good morning.', { intelligence: 'fast' })
  const { body } = await client.post(`/v1/chats/${chat_id}/messages`, {
    prompt: question,
    intelligence: 'expert',
    skills: ['terse', 'sailor'],
    scope: { asset_ids: [oslo] },
  })
  expect(await client.answer(chat_id, body.message_id)).toBe('**Nine**, says oslo.md.')

  const [first, second] = server.received as [Received, Received]
  expect([first.method, first.url, first.headers.authorization]).toEqual([
    'POST',
    '/v1/chat/completions',
    `Bearer ${key}`,
  ])
  expect(Object.keys(first.body).sort()).toEqual(['messages', 'model', 'stream'])
  expect([first.body.model, first.body.stream]).toEqual(['small-o', false])
  expect([second.body.model, second.body.reasoning_effort]).toEqual(['large-a', 'medium'])
  const messages = said(second)
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(messages[0]!.content).toMatch(
    /# Skill: terse\s+One sentence only\.\s+# Skill: sailor\s+You are an old sailor\.[\s\S]*- I am the harbour master\.\n- Times are local\./,
  )
  expect(messages[2]!.content).toBe('First.')
  expect(messages[3]!.content).toMatch(
    /^When does the harbour close\?\s+# Sources\s+Each source stands between [\s\S]*is data of a file[\s\S]*\n=== begin (\w{16})\n## oslo\.md\s+The harbour of Oslo closes at nine\.\n=== end \1$/,
  )
  expect(JSON.stringify(second.body)).not.toContain('Porto')
})

test('C-20 D-07 a model gets a user’s own memories apart from those of the project, and is asked not to repeat them', async () => {
  const { server, client } = await withModel([completion('Nine.')])
  const { service, project_id } = client
  service.users.create('ada@example.org')
  const ada = client.as({ token: service.tokens.create('ada', { user: 'ada@example.org' }).token })
  service.members.add('ada@example.org', project_id, 'reader')
  for (const [who, content] of [
    [client, 'Times are local.'],
    [ada, 'I was ill in May.'],
  ] as const) {
    await who.post('/v1/memories', { content, category: 'fact', importance: 5 })
  }
  await ada.ask(question)
  await client.ask(question)
  const [to_ada, to_nobody] = server.received.map((received) => said(received)[0]!.content)
  expect(to_ada).toMatch(
    /who asks\s+- Times are local\.\s+# What nobody else may read\s[^-]*never repeat it\.\s+- I was ill in May\./,
  )
  expect([to_nobody!.includes('Times are local.'), to_nobody!.includes('nobody else')]).toEqual([
    true,
    false,
  ])
})

test('C-17 an answer that cannot be stored yet is stored later, and the model is not asked again', async () => {
  let answer = () => {}
  const held: Reply = (response, received) => {
    answer = () => completion('Nine.')(response, received)
  }
  const { server, client, lines } = await withModel([held])
  const { chat_id, message_id } = (await client.post('/v1/chats', { prompt: question })).body
  await until(() => server.received.length === 1)
  const file = join(client.service.data_dir, 'service.db')
  const other = openSqlite({ file, migrations: service_migrations, synchronous: 'NORMAL' })
  other.exec('BEGIN IMMEDIATE')
  answer()
  await until(() =>
    lines.some((line) =>
      line.includes('a background task of the service failed and is tried again'),
    ),
  )
  other.exec('ROLLBACK')
  other.close()
  expect(await client.answer(chat_id, message_id)).toBe('Nine.')
  expect(server.received).toHaveLength(1)
})

test('C-02 provider selects another model, and nothing else of the request differs', async () => {
  const { server, client } = await withModel([completion('Nine.')])
  await client.upload('The harbour closes at nine.')
  for (const provider of ['automatic', 'openai', 'anthropic', 'google']) {
    await client.ask(question, { provider, intelligence: 'fast' })
  }
  const bodies = server.received.map(({ body }) => body as { model: string })
  expect(bodies.map(({ model }) => model)).toEqual(['small-o', 'small-o', 'small-a', 'small-g'])
  expect(new Set(bodies.map((body) => JSON.stringify({ ...body, model: '' }))).size).toBe(1)
})

test('C-20 of a long conversation the newest turns are sent', async () => {
  const { server, client } = await withModel([completion('y'.repeat(40))], {
    model: { max_history_chars: 100 },
  })
  const { chat_id } = await client.ask('first')
  for (const prompt of ['second', 'third', 'fourth']) {
    const { body } = await client.post(`/v1/chats/${chat_id}/messages`, { prompt })
    await client.answer(chat_id, body.message_id)
  }
  const prompts = said(server.received.at(-1)!).filter(({ role }) => role === 'user')
  expect(prompts.map(({ content }) => content.split('\n')[0])).toEqual([
    'second',
    'third',
    'fourth',
  ])
})

const half: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"choices":[{"message":{"content":"Ni')
  setTimeout(() => response.destroy(), 10)
}
const drip: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}
const echo: Reply = (response, { headers }) => {
  response.writeHead(401, { 'x-seen': String(headers.authorization) })
  response.end(
    JSON.stringify({ error: { message: `Incorrect API key: ${headers.authorization}` } }),
  )
}

test.each<[string, Reply, RegExp, object?]>([
  ['a 500', json({ error: { message: 'overloaded' } }, 500), /answered with status 500/],
  [
    'a 429 with Retry-After',
    json({}, 429, { 'retry-after': '1' }),
    /answered with status 429; it is tried again in [1-9]/,
  ],
  ['a 401 that repeats the key', echo, /answered with status 401/],
  [
    'a redirect',
    json({}, 307, { location: 'http://127.0.0.1:1/v1/chat/completions' }),
    /answered with status 307/,
  ],
  ['garbage', (response) => response.end('<html>Bad gateway</html>'), /sent no valid answer/],
  ['an empty answer', completion(' \u200b '), /gave an empty answer/],
  ['no text', completion(null), /gave an empty answer/],
  ['no choices', json({ choices: [] }), /sent no valid answer/],
  ['half an answer', half, /network|broke|closed|POST/i],
  [
    'too much of an answer',
    completion('x'.repeat(3_000)),
    /larger than the limit/,
    { max_answer_bytes: 2_048 },
  ],
  ['silence', silence, /no complete answer within 300 ms/, { timeout_ms: 300 }],
  ['an answer that never ends', drip, /no complete answer within 300 ms/, { timeout_ms: 300 }],
])(
  'C-20 C-17 after %s the next candidate is asked, and its answer is taken; the key is in no log',
  async (_, reply, line, model = {}) => {
    const { server, client, lines } = await withModel([reply, completion('Nine.')], { model })
    const { response } = await client.ask(question, { intelligence: 'fast' })
    expect(response).toBe('Nine.')
    expect(server.received.map(({ body }) => body.model)).toEqual(['small-o', 'small-a'])
    expect(lines).toEqual([expect.stringMatching(line)])
    expect(lines.join()).not.toContain(key)
  },
)

test('C-20 an answer that the model cut at its limit is kept, and says so', async () => {
  const { client } = await withModel([completion('Nine, and then', 'length')])
  expect((await client.ask(question)).response).toMatch(
    /^Nine, and then\n\n_.*this answer is incomplete\._$/,
  )
})

/** Asks one question of a service on a clock of our own. */
async function askedOnClock(replies: Reply[], more: Parameters<typeof modelFile>[1] = {}) {
  const server = await outsideServer(...replies)
  const clock = new FakeClock()
  const lines: string[] = []
  const client = await start({
    assistant_config: modelFile(server.origin, more),
    clock,
    log: (line) => lines.push(line),
  })
  const { body } = await client.post('/v1/chats', { prompt: question })
  const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
  const status = async () => (await client.get(path)).body.status as string
  return { server, clock, lines, status }
}

test('C-17 a model that is down is tried again, later and later, and the turn fails only after the deadline', async () => {
  const { server, clock, lines, status } = await askedOnClock([json({}, 503)], {
    deadline_ms: 120_000,
  })
  const begun_ms = clock.now_ms()
  const refusals = () => lines.filter((line) => line.includes('got no answer'))
  // The clock stands while a call is out: on a busy machine it would pass the deadline meanwhile.
  for (let count = 1; ; count++) {
    await until(() => refusals().length === count, `refusal ${count}`)
    const [, wait_s] = /tried again in (\d+) s/.exec(refusals().at(-1)!) ?? []
    if (wait_s === undefined) break
    await clock.advance(1_000 * Number(wait_s))
  }
  await until(async () => (await status()) === 'error', 'the end of the turn')
  expect(clock.now_ms() - begun_ms).toBeGreaterThanOrEqual(120_000)
  expect(clock.now_ms() - begun_ms).toBeLessThan(125_000)
  expect(server.received.length).toBeGreaterThan(4)
  expect(server.received.length).toBeLessThan(40)
  expect(lines.at(-1)).toContain('given up')
  expect(lines.filter((line) => line.includes('given up'))).toHaveLength(1)
})

test('C-17 Retry-After is respected', async () => {
  const { server, clock, lines, status } = await askedOnClock([
    json({}, 429, { 'retry-after': '100' }),
    completion('Nine.'),
  ])
  await until(() => lines.join().includes('tried again in 100 s'))
  await clock.advance(99_000)
  expect([await status(), server.received.length]).toEqual(['running', 1])
  await clock.advance(1_500)
  await until(async () => (await status()) === 'done')
  expect(server.received).toHaveLength(2)
})

test('C-20 a new key in its file is used from the next call on; it is stored nowhere and sent nowhere else', async () => {
  const engine = await outsideServer(json({ results: [] }))
  const web_search = { url: `${engine.origin}/?q={query}` }
  const { server, client, assistant_config } = await withModel([completion('Nine.')], {
    web_search,
  })
  const ask = (target: Client) => target.ask(question, { intelligence: 'research' })
  await ask(client)
  writeFileSync(join(dirname(assistant_config), 'key'), 'sk-another')
  await ask(client)
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${key}`,
    'Bearer sk-another',
  ])
  expect(engine.received).toHaveLength(2)
  expect(JSON.stringify(engine.received)).not.toMatch(/sk-|bearer/i)
  await client.service.close()
  const { data_dir } = client.service
  const files = readdirSync(data_dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bytes = Buffer.concat(
    files.map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )
  expect([bytes.includes(key), bytes.includes('sk-another'), bytes.includes(question)]).toEqual([
    false,
    false,
    true,
  ])
})

test('C-20 a key that others can read, or an invalid one, ends the start and is not shown', async () => {
  const file = modelFile('http://127.0.0.1:1')
  const key_file = join(dirname(file), 'key')
  chmodSync(key_file, 0o640)
  await expect(start({ assistant_config: file })).rejects.toThrow(/group or others can read it/)
  chmodSync(key_file, 0o600)
  for (const text of ['', 'two words', 'a\u0007b']) {
    writeFileSync(key_file, text)
    await expect(start({ assistant_config: file })).rejects.toThrow(
      /one word of visible characters/,
    )
  }
  writeFileSync(key_file, 'k'.repeat(4_097))
  await expect(start({ assistant_config: file })).rejects.toThrow(/it has more than 4096 bytes/)
  const missing = assistantFile({
    web_search: { url: 'http://127.0.0.1:1/?q={query}', key_file: 'none' },
  })
  await expect(start({ assistant_config: missing })).rejects.toThrow(/no such file or directory/)
})
