import { expect, test } from 'vitest'
import { start, temporaryFolder, until } from '../../fixture.ts'
import { modelFile } from '../assistant-file.ts'
import { json, silence } from '../outside-server.ts'
import { factFiles, uploadAll } from './fact-files.ts'
import { factModel, factsIn } from './fact-model.ts'
import { readAll, request, shareOf, skills, timesRead, withModel } from './rig.ts'

test.each([
  [20, 1],
  [100, 6],
])(
  'C-24 of %i files each is in exactly one answered call, and its fact in the answer',
  async (count, max_calls) => {
    const { model, client } = await withModel()
    const files = factFiles(count)
    const ids = await uploadAll(client, files)
    const record = await readAll(client, ids)
    expect(shareOf(files, record.response)).toBeGreaterThanOrEqual(0.98)
    expect(new Set(timesRead(model, files))).toEqual(new Set([1]))
    expect(record.calls).toBe(model.answered().length)
    expect(record.calls).toBeLessThanOrEqual(max_calls)
    const read = ids.map((asset_id) => ({ asset_id, read: 'whole' }))
    expect(record.sources).toEqual(expect.arrayContaining(read))
    expect(record.sources).toHaveLength(count)
    expect([record.warnings, record.progress]).toEqual([undefined, undefined])
    expect(Math.max(...model.calls.map(({ chars }) => chars))).toBeLessThanOrEqual(18_000)
  },
)

test('C-24 progress and calls show while it goes on, and the turn is running', async () => {
  const { model, client } = await withModel({}, { answers_at_once: 1 })
  const ids = await uploadAll(client, factFiles(60))
  const answer = model.hold(2)
  const { body } = await client.post('/v1/chats', {
    prompt: request,
    skills,
    scope: { asset_ids: ids },
  })
  const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
  await until(() => model.calls.length === 3, 'the third call')
  const record = (await client.get(path)).body
  expect(record).toMatchObject({ status: 'running', calls: 2, progress: { done: 2 } })
  expect(record.progress.of).toBeGreaterThan(3)
  expect(record).not.toHaveProperty('response')
  answer()
  await client.answer(body.chat_id, body.message_id)
  expect((await client.get(path)).body).not.toHaveProperty('progress')
})

test('C-24 notes are taken by small models without thinking; only the closing call has the mode’s, its skills and memories', async () => {
  const { model, client } = await withModel()
  const ids = await uploadAll(client, factFiles(60))
  const terse = {
    name: 'terse',
    content: 'One sentence only.',
    scope: 'project',
    category: 'skill',
  }
  await client.post('/v1/skills', terse)
  await client.post('/v1/memories', {
    content: 'Times are local.',
    category: 'fact',
    importance: 1,
  })
  await readAll(client, ids, { intelligence: 'research', skills: [...skills, 'terse'] })
  const bodies = model.received.map(({ body }) => body)
  const closing = bodies.at(-1)
  expect([closing.model, closing.reasoning_effort]).toEqual(['large-a', 'high'])
  expect(closing.messages[0].content).toMatch(/# Skill: terse[\s\S]*Times are local\./)
  for (const { model: name, reasoning_effort, messages } of bodies.slice(0, -1)) {
    expect([name, reasoning_effort, messages.length]).toEqual(['small-o', undefined, 2])
    expect(JSON.stringify(messages)).not.toMatch(/terse|Times are local/)
  }
})

test('C-24 files past max_calls are named and not read; with them first in the scope they are read next', async () => {
  const { model, client } = await withModel({}, { max_calls: 4 })
  const files = factFiles(100)
  const ids = await uploadAll(client, files)
  const first = await readAll(client, ids)
  expect(first.calls).toBe(4)
  const of = (record: typeof first, read: string) =>
    (record.sources as { asset_id: string; read: string }[])
      .filter((source) => source.read === read)
      .map(({ asset_id }) => asset_id)
  const left = of(first, 'not')
  expect(of(first, 'whole')).toEqual(ids.slice(0, 100 - left.length))
  expect(left.length).toBeGreaterThan(20)
  const names = left.map((id) => files[ids.indexOf(id)]!.name)
  for (const name of names)
    expect(first.response).toContain(`- ${name}: past the limit of 4 calls for one question`)
  expect(first.warnings).toEqual([
    { code: 'files_not_read', humane: expect.stringContaining(`${left.length} of 100 files`) },
  ])
  const before = model.calls.length
  const second = await readAll(client, [...left, ...of(first, 'whole')])
  expect(of(second, 'whole').slice(0, left.length)).toEqual(left)
  expect(model.calls.length - before).toBe(4)
})

test('C-24 a text that is too long for the host is halved until it fits, and no part of it is lost', async () => {
  const { model, client } = await withModel({ limit: 9_000 })
  const files = factFiles(30)
  const paragraphs = Array.from(
    { length: 120 },
    (_, at) => `LINE${String(at).padStart(4, '0')} ${'x '.repeat(150)}`,
  )
  const long = {
    name: 'novel.txt',
    text: `${paragraphs.join('\n\n')}\n\nFACT-9999 novel.txt: the end`,
  }
  const ids = await uploadAll(client, [...files, long])
  const record = await readAll(client, ids)
  expect(shareOf(files, record.response)).toBe(1)
  expect(record.response).toContain('FACT-9999 novel.txt: the end')
  expect(new Set(timesRead(model, files))).toEqual(new Set([1]))
  const answered = model.answered().map(({ prompt }) => prompt)
  const lines = paragraphs.map(
    (line) => answered.filter((prompt) => prompt.includes(line.slice(0, 8))).length,
  )
  expect(lines.every((count) => count >= 1 && count <= 2)).toBe(true)
  // A piece begins with the last paragraph of the one before.
  expect(lines.filter((count) => count === 2).length).toBeGreaterThan(2)
  expect(model.calls.filter(({ is_answered }) => !is_answered).length).toBeLessThan(8)
  expect(record.sources.every(({ read }: { read: string }) => read === 'whole')).toBe(true)
})

test('C-24 notes that do not fit the closing call are shortened in levels, and stand in the answer in full', async () => {
  const { model, client } = await withModel({ write: 3_000 }, { context_chars: 8_000 })
  const files = factFiles(100, 100)
  const record = await readAll(client, await uploadAll(client, files))
  expect(shareOf(files, record.response)).toBe(1)
  const shortened = model.calls.filter(({ prompt }) => prompt.startsWith('You put notes'))
  expect(shortened.length).toBeGreaterThan(0)
  expect(record.calls).toBe(model.answered().length)
  expect(Math.max(...model.calls.map(({ chars }) => chars))).toBeLessThanOrEqual(6_000)
})

test.each([
  ['with the skill', skills],
  ['without', []],
])(
  'C-17 a 403 of the host is asked of each model once, %s, and its reason is the answer',
  async (_, names) => {
    const { model, client } = await withModel()
    const ids = await uploadAll(client, factFiles(60))
    model.reply(json({ error: { code: 'insufficient_quota', message: 'sk-secret' } }, 403))
    const record = await readAll(client, ids, { skills: names, intelligence: 'fast' })
    expect(record).toMatchObject({
      status: 'error',
      response: expect.stringContaining('status 403 (insufficient_quota)'),
    })
    expect(record.response).not.toContain('secret')
    expect(model.received).toHaveLength(3)
  },
)

test('C-17 a host that fails after some batches: their notes are the answer, and the rest is named', async () => {
  const { model, client } = await withModel({}, { answers_at_once: 1 })
  const files = factFiles(60)
  const ids = await uploadAll(client, files)
  model.failAfter(2, json({}, 401))
  const record = await readAll(client, ids)
  expect(record).toMatchObject({ status: 'done', calls: 2 })
  expect(record.response).toMatch(
    /^_There is no answer over all files, because the host of \S+ answered with status 401\./,
  )
  const facts = factsIn(record.response)
  expect(facts.length).toBeGreaterThan(20)
  const not = record.sources.filter(({ read }: { read: string }) => read === 'not')
  expect(facts.length + not.length).toBe(60)
  expect(not[0].why).toContain('status 401')
  expect(record.warnings.map(({ code }: { code: string }) => code)).toEqual([
    'no_closing',
    'files_not_read',
  ])
})

test('C-17 a model that answers nothing but blanks is asked three times, and that is the reason', async () => {
  const { model, client } = await withModel({ liar: 'silent' })
  const ids = await uploadAll(client, factFiles(40))
  const record = await readAll(client, ids)
  expect(record).toMatchObject({
    status: 'error',
    response: expect.stringContaining('gave an empty answer'),
  })
  expect(model.calls).toHaveLength(3)
})

test('C-26 a host that counts far fewer tokens than it was sent may have cut the text, and the answer says so', async () => {
  const { client } = await withModel({ usage: () => ({ prompt_tokens: 300 }) })
  const record = await readAll(client, await uploadAll(client, factFiles(20)))
  expect(record.warnings).toEqual([
    { code: 'prompt_cut', humane: expect.stringContaining('may have cut') },
  ])
  expect(record.response).toContain(`_${record.warnings[0].humane}_`)
})

test('C-24 with a silent host a call is given up after its own deadline, and the turn with it', async () => {
  const { model, client } = await withModel({}, { deadline_ms: 500, model: { timeout_ms: 300 } })
  const ids = await uploadAll(client, factFiles(40))
  model.reply(silence)
  const record = await readAll(client, ids)
  expect([record.status, record.response]).toEqual([
    'error',
    expect.stringMatching(/There is no answer/),
  ])
})

test('C-24 a host that refuses even a page as too long is not asked about each page of all files', async () => {
  const { model, client } = await withModel({ limit: 10 }, { answers_at_once: 1 })
  const ids = await uploadAll(client, factFiles(60))
  const record = await readAll(client, ids)
  expect([record.status, record.response]).toEqual(['error', expect.stringContaining('too long')])
  expect(model.calls.length).toBeLessThan(10)
})

test('C-24 a request that is too long for the closing call goes there in short', async () => {
  const { model, client } = await withModel({ limit: 8_000 }, { context_chars: 8_000 })
  const files = factFiles(40, 100)
  const ids = await uploadAll(client, files)
  const prompt = `Summarise what the files say. ${'Be thorough. '.repeat(1_800)}`
  const record = await readAll(client, ids, { prompt })
  expect([record.status, record.warnings]).toEqual(['done', undefined])
  expect(model.answered().at(-1)!.prompt).toMatch(/^You answer questions/)
  expect(shareOf(files, record.response)).toBe(1)
})

test('C-24 an end of the service before the quotations are compared does not cost the closing call again', async () => {
  const data_dir = temporaryFolder()
  const model = await factModel({
    closing: `offer-1.md says "never change a winning team".${' "a'.repeat(60_000)}`,
  })
  const assistant_config = modelFile(model.origin, { context_chars: 24_000 })
  const client = await start({ data_dir, assistant_config })
  const files = factFiles(60)
  const ids = await uploadAll(client, files)
  const scope = { asset_ids: ids }
  const { body } = await client.post('/v1/chats', { prompt: request, skills, scope })
  const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
  const closings = () => model.answered().filter(({ prompt }) => prompt.startsWith('You answer'))
  await until(async () => {
    const { status, calls } = (await client.get(path)).body
    expect(status).toBe('running')
    return closings().length === 1 && calls === model.answered().length
  }, 'the closing answer')
  await client.service.close()
  const again = await start({ data_dir, assistant_config })
  await again.answer(body.chat_id, body.message_id)
  const record = (await again.get(path)).body
  expect([record.status, record.calls]).toEqual(['done', model.answered().length])
  expect(closings()).toHaveLength(1)
})
