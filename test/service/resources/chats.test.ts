import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, put, start, temporaryFolder, until } from '../fixture.ts'

const never = (kind: string) => `${kind}_00000000000000000000`

/** Three files, each with a sentence of its own about the same thing. */
async function threeFiles(client: Client) {
  const ids: Record<string, string> = {}
  for (const place of ['Oslo', 'Porto', 'Riga']) {
    ids[place] = await client.upload(
      `The harbour of ${place} closes at ${place.length} o'clock.`,
      `${place}.md`,
    )
  }
  return ids as { Oslo: string; Porto: string; Riga: string }
}

const question = 'When does the harbour close?'
const quoted = (response: string) =>
  ['Oslo', 'Porto', 'Riga'].filter((place) => response.includes(`**${place}.md**`))

test('C-01 a chat is started at once with 202, the answer is written later', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, answer_delay_ms: 1_000 })
  const { status, body } = await client.post('/v1/chats', { prompt: question })
  expect([status, Object.keys(body).sort()]).toEqual([202, ['chat_id', 'created_at', 'message_id']])
  const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
  expect((await client.get(path)).body.status).toBe('running')
  await clock.advance(1_000)
  await until(async () => (await client.get(path)).body.status === 'done')
})

test('C-02 every mode, provider and switch of a turn is taken; others are a 400', async () => {
  const client = await start()
  for (const intelligence of ['auto', 'fast', 'expert', 'research']) {
    expect((await client.post('/v1/chats', { prompt: 'x', intelligence })).status).toBe(202)
  }
  for (const provider of ['automatic', 'anthropic', 'openai', 'google']) {
    expect(
      (await client.post('/v1/chats', { prompt: 'x', provider, public_data: false, skills: [] }))
        .status,
    ).toBe(202)
  }
  for (const wrong of [
    { intelligence: 'genius' },
    { provider: 'acme' },
    { public_data: 'no' },
    { skills: 'a' },
  ]) {
    expect((await client.post('/v1/chats', { prompt: 'x', ...wrong })).status).toBe(400)
  }
})

test('C-03 a skill that the caller cannot use is a 400', async () => {
  const client = await start()
  const reply = await client.post('/v1/chats', { prompt: 'x', skills: ['poetry'] })
  expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.chat.skill.unknown'])
  expect((await client.get('/v1/chats')).body.data).toEqual([])
})

test.each([
  ['asset_ids', [never('label')]],
  ['asset_ids', 'asset'],
  ['label_ids', ['nonsense']],
  ['workspace_ids', [never('asset')]],
])('C-04 the scope is checked for shape: %s %j', async (kind, ids) => {
  const client = await start()
  expect((await client.post('/v1/chats', { prompt: 'x', scope: { [kind]: ids } })).status).toBe(400)
})

test('C-05 without a scope the whole project is known, and no other project', async () => {
  const client = await start()
  await threeFiles(client)
  const other = client.as({ project_id: client.service.projects.create('other').project_id })
  await other.upload('The harbour of Tunis closes at noon.', 'Tunis.md')
  const { response } = await client.ask(question)
  expect(quoted(response)).toEqual(['Oslo', 'Porto', 'Riga'])
  expect(response).not.toContain('Tunis')
})

test('B-22 an asset can be quoted once it is ready, not before', async () => {
  const clock = new FakeClock(Date.now())
  const client = await start({ clock, ingest: { delay_ms: 1_000 } })
  const slot = await client.slot({ filename: 'Oslo.md' })
  await put(slot, 'The harbour of Oslo closes early.')
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  const scope = { asset_ids: [slot.asset_id] }
  expect(quoted((await client.ask(question, { scope })).response)).toEqual([])
  await clock.advance(1_000)
  await until(() => client.statusOf(slot.asset_id) === 'ready')
  expect(quoted((await client.ask(question, { scope })).response)).toEqual(['Oslo'])
})

test('C-06 each kind narrows the knowledge, several kinds are a union', async () => {
  const client = await start()
  const ids = await threeFiles(client)
  const { label_id } = (
    await client.post(`/v1/assets/${ids.Porto}/labels`, { label_name: 'south' })
  ).body
  const other = client.service.projects.create('other').project_id
  await client.as({ project_id: other }).upload('The harbour of Tunis closes at noon.', 'Tunis.md')
  const ask = async (scope: object) => (await client.ask(question, { scope })).response
  expect(quoted(await ask({ asset_ids: [ids.Oslo] }))).toEqual(['Oslo'])
  expect(quoted(await ask({ label_ids: [label_id] }))).toEqual(['Porto'])
  expect(quoted(await ask({ asset_ids: [ids.Riga], label_ids: [label_id] }))).toEqual([
    'Porto',
    'Riga',
  ])
  expect(quoted(await ask({ project_ids: [client.project_id] }))).toEqual(['Oslo', 'Porto', 'Riga'])
  const theirs = await ask({ project_ids: [other] })
  expect([quoted(theirs), theirs.includes('Tunis')]).toEqual([[], true])
})

test('C-06 the messages of other chats can be in the scope', async () => {
  const client = await start()
  const ids = await threeFiles(client)
  const earlier = await client.ask(question, { scope: { asset_ids: [ids.Riga] } })
  const { response } = await client.ask(question, { scope: { chat_ids: [earlier.chat_id] } })
  expect(response).toContain('The harbour of Riga closes')
  expect(response).toContain(`**${earlier.message_id}**`)
  expect(response).not.toContain('Oslo')
})

test('C-06 an empty list counts as absent, and an empty scope as no scope', async () => {
  const client = await start()
  const ids = await threeFiles(client)
  const ask = async (scope: object) => quoted((await client.ask(question, { scope })).response)
  expect(await ask({})).toEqual(['Oslo', 'Porto', 'Riga'])
  expect(await ask({ asset_ids: [], label_ids: [] })).toEqual(['Oslo', 'Porto', 'Riga'])
  expect(await ask({ asset_ids: [ids.Oslo], label_ids: [] })).toEqual(['Oslo'])
})

test('C-06 an id out of reach is a 404 for the whole turn, and no chat is made', async () => {
  const client = await start()
  const other = client.as({ project_id: client.service.projects.create('other').project_id })
  const foreign = await other.upload('text')
  const { token } = client.service.tokens.create('narrow', { project_ids: [client.project_id] })
  const mine = await client.upload('mine')
  const scopes = [
    { asset_ids: [mine, foreign] },
    { asset_ids: [never('asset')] },
    { chat_ids: [never('chat')] },
    { label_ids: [never('label')] },
    { concept_ids: [never('concept')] },
    { view_ids: [never('view')] },
    { project_ids: [other.project_id] },
  ]
  for (const scope of scopes) {
    const reply = await client.as({ token }).post('/v1/chats', { prompt: 'x', scope })
    expect([reply.status, reply.body.code], JSON.stringify(scope)).toEqual([
      404,
      'publicapi.chat.scope.unreachable',
    ])
  }
  expect((await client.get('/v1/chats')).body.data).toEqual([])
})

test('C-06 a scope whose assets were all removed before the answer knows nothing', async () => {
  const clock = new FakeClock(Date.now())
  const client = await start({ clock, answer_delay_ms: 1_000 })
  const ids = await threeFiles(client)
  const { body } = await client.post('/v1/chats', {
    prompt: question,
    scope: { asset_ids: [ids.Oslo] },
  })
  await client.delete(`/v1/assets/${ids.Oslo}`)
  await clock.advance(1_000)
  expect(quoted(await client.answer(body.chat_id, body.message_id))).toEqual([])
})

test('C-08 a further turn is answered 202; only the conversation is inherited', async () => {
  const client = await start()
  const ids = await threeFiles(client)
  const { chat_id } = await client.ask(question, { scope: { asset_ids: [ids.Oslo] } })
  const { status, body } = await client.post(`/v1/chats/${chat_id}/messages`, { prompt: question })
  expect([status, Object.keys(body).sort()]).toEqual([202, ['created_at', 'message_id']])
  expect(quoted(await client.answer(chat_id, body.message_id))).toEqual(['Oslo', 'Porto', 'Riga'])
  const narrowed = await client.post(`/v1/chats/${chat_id}/messages`, {
    prompt: question,
    scope: { asset_ids: [ids.Riga] },
  })
  expect(quoted(await client.answer(chat_id, narrowed.body.message_id))).toEqual(['Riga'])
  expect(
    (await client.post(`/v1/chats/${never('chat')}/messages`, { prompt: 'x' })).body.code,
  ).toBe('publicapi.chat.not_found')
})

test('C-09 a chat reads as its metadata; modified_at is created_at until the first turn has ended', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, answer_delay_ms: 1_000 })
  const { chat_id, message_id, created_at } = (await client.post('/v1/chats', { prompt: 'x' })).body
  expect((await client.get(`/v1/chats/${chat_id}`)).body).toEqual({
    chat_id,
    created_at,
    modified_at: created_at,
  })
  await clock.advance(1_000)
  await client.answer(chat_id, message_id)
  const { modified_at } = (await client.get(`/v1/chats/${chat_id}`)).body
  expect(Date.parse(modified_at) - Date.parse(created_at)).toBe(1_000)
})

test('C-10 messages are listed oldest first, all of them, by id and time only', async () => {
  const client = await start()
  const { chat_id, message_id } = await client.ask('first')
  const ids = [message_id]
  for (let turn = 0; turn < 30; turn++) {
    ids.push((await client.post(`/v1/chats/${chat_id}/messages`, { prompt: 'x' })).body.message_id)
  }
  const { body } = await client.get(`/v1/chats/${chat_id}/messages`)
  expect(body.messages.map((message: { message_id: string }) => message.message_id)).toEqual(ids)
  expect(Object.keys(body.messages[0]).sort()).toEqual(['created_at', 'message_id'])
})

test('C-11 prompt and response come together, once the answer is written', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, answer_delay_ms: 1_000 })
  const { chat_id, message_id, created_at } = (await client.post('/v1/chats', { prompt: 'x' })).body
  const path = `/v1/chats/${chat_id}/messages/${message_id}`
  expect((await client.get(path)).body).toEqual({ message_id, created_at, status: 'running' })
  await clock.advance(1_000)
  await client.answer(chat_id, message_id)
  expect((await client.get(path)).body).toEqual({
    message_id,
    created_at,
    status: 'done',
    prompt: 'x',
    response: expect.any(String),
    sources: [],
    calls: 0,
  })
  expect((await client.get(`/v1/chats/${chat_id}/messages/${never('message')}`)).body.code).toBe(
    'publicapi.message.not_found',
  )
})

test('C-11 a turn that fails ends in error after its deadline, without a text', async () => {
  const lines: string[] = []
  const clock = new FakeClock()
  const data_dir = temporaryFolder()
  // The index exists already, so that the service checks it at the start.
  writeFileSync(join(data_dir, 'passages.db'), '')
  const client = await start({
    data_dir,
    clock,
    log: (line) => lines.push(line),
    answer_delay_ms: 5_000,
  })
  const { chat_id, message_id } = (await client.post('/v1/chats', { prompt: 'x.txt' })).body
  const index = new (sqliteDriver())(`${client.service.data_dir}/passages.db`)
  index.exec('DROP TABLE file_names')
  index.close()
  await clock.advance(5_000)
  const path = `/v1/chats/${chat_id}/messages/${message_id}`
  await until(() => lines.join().includes('tried again in'))
  expect((await client.get(path)).body.status).toBe('running')
  await clock.runUntil(async () => (await client.get(path)).body.status === 'error')
  expect(Object.keys((await client.get(path)).body).sort()).toEqual([
    'created_at',
    'message_id',
    'status',
  ])
  expect(lines.join()).toContain(`the message ${message_id} got no answer`)
})

test('C-13 a chat can be named and deleted, a message deleted', async () => {
  const client = await start()
  const { chat_id, message_id } = await client.ask('x')
  const named = await client.post(`/v1/chats/${chat_id}`, { title: 'Harbours' })
  expect([named.status, named.body.title]).toEqual([200, 'Harbours'])
  expect((await client.get('/v1/chats')).body.data[0].title).toBe('Harbours')
  expect((await client.delete(`/v1/chats/${chat_id}/messages/${message_id}`)).status).toBe(204)
  expect((await client.get(`/v1/chats/${chat_id}/messages`)).body.messages).toEqual([])
  expect((await client.delete(`/v1/chats/${chat_id}`)).status).toBe(204)
  expect((await client.get(`/v1/chats/${chat_id}`)).status).toBe(404)
})

test('C-15 a prompt of more than 24,000 characters is a 400', async () => {
  const client = await start()
  expect((await client.post('/v1/chats', { prompt: 'x'.repeat(24_000) })).status).toBe(202)
  expect((await client.post('/v1/chats', { prompt: 'x'.repeat(24_001) })).status).toBe(400)
  expect((await client.post('/v1/chats', { prompt: '' })).status).toBe(400)
})

test('C-16 the last line of an answer says that it is extractive; a prompt has no syntax', async () => {
  const client = await start()
  await client.upload('Plain words.')
  for (const prompt of [
    'words',
    '"words" AND (NEAR',
    "'; DROP TABLE passages; --",
    '***',
    '٣ 世界 🎈',
    'a the of',
  ]) {
    const { response } = await client.ask(prompt)
    expect(response.split('\n').at(-1), prompt).toMatch(
      response.includes('> ') ? /^_This answer is extractive/ : /^_No language model wrote this/,
    )
  }
})

test('C-17 a question asked before a restart is answered after it, once', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir, answer_delay_ms: 60_000 })
  await threeFiles(first)
  const { chat_id, message_id } = (await first.post('/v1/chats', { prompt: question })).body
  await first.service.close()
  const second = await start({ data_dir, clock: new FakeClock(Date.now() + 61_000) })
  expect(quoted(await second.answer(chat_id, message_id))).toEqual(['Oslo', 'Porto', 'Riga'])
  expect(second.service.chats(second.project_id)[0]?.messages).toHaveLength(1)
})

test('B-32 an answer cites an asset by its later name', async () => {
  const client = await start()
  const { Oslo } = await threeFiles(client)
  await client.post(`/v1/assets/${Oslo}`, { name: 'north/Harbours.md' })
  const { response } = await client.ask(question, { scope: { asset_ids: [Oslo] } })
  expect(response).toContain('**north/Harbours.md**')
  expect(quoted(response)).toEqual([])
})
