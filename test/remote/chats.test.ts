import { expect, test } from 'vitest'
import { isSurelyUndone } from '../../src/remote/outcome.ts'
import {
  asset_id,
  chat_id,
  failureOf,
  idNumber,
  message_id,
  project_id,
  remoteAt,
  successOf,
} from './fixture.ts'
import { type Answer, startServer } from './recording-server.ts'

const created_at = '2026-01-01T00:00:00Z'
const created_at_ms = Date.UTC(2026, 0, 1)

async function remoteFor(...answers: Answer[]) {
  const server = await startServer(answers)
  return { server, remote: remoteAt(server.origin) }
}

test('a chat starts with the question and no other field', async () => {
  const body = { chat_id, message_id, created_at }
  const { server, remote } = await remoteFor({ status: 202, body })
  const question = {
    prompt: 'What is new?',
    intelligence: 'fast',
    public_data: false,
    skills: ['Lawyer'],
    scope: { asset_ids: [asset_id] },
  } as const
  expect(successOf(await remote.startChat(project_id, question))).toEqual({
    chat_id,
    message_id,
    created_at_ms,
  })
  await remote.startChat(project_id, { prompt: 'x' })
  expect(server.requests.map((request) => JSON.parse(request.body.toString()))).toEqual([
    question,
    { prompt: 'x' },
  ])
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chats' })
})

test('an empty scope, which would mean everything, is never sent', async () => {
  const { server, remote } = await remoteFor()
  for (const scope of [{}, { asset_ids: [] }, { asset_ids: [asset_id], label_ids: [] }]) {
    for (const question of [{ prompt: 'x', scope }, JSON.stringify({ prompt: 'x', scope })]) {
      const refused = { code: 'remote.empty_scope' }
      await expect(remote.startChat(project_id, question)).rejects.toMatchObject(refused)
      await expect(remote.appendMessage(project_id, chat_id, question)).rejects.toMatchObject(
        refused,
      )
    }
  }
  expect(server.requests).toEqual([])
})

test('a question with a prepared body is sent unchanged', async () => {
  const { server, remote } = await remoteFor({
    status: 202,
    body: { chat_id, message_id, created_at },
  })
  const written = `{ "scope": {"asset_ids":["${asset_id}"]},  "prompt":"Gr\u00fc\u00dfe" }`
  successOf(await remote.startChat(project_id, written))
  expect(server.requests[0]?.body.toString()).toBe(written)
  expect(server.requests[0]?.headers['content-type']).toBe('application/json')
})

test('a turn is added to a chat; the id of its message may be called id', async () => {
  const { server, remote } = await remoteFor(
    { status: 202, body: { message_id, created_at } },
    { status: 202, body: { id: message_id } },
    { status: 404, body: { code: 'publicapi.chat.not_found' } },
    { status: 400, body: { code: '' } },
  )
  const ask = () =>
    remote.appendMessage(project_id, chat_id, { prompt: 'And since?', public_data: false })
  expect(successOf(await ask())).toEqual({ message_id, created_at_ms })
  expect(successOf(await ask())).toEqual({ message_id })
  expect(failureOf(await ask())).toMatchObject({
    about: 'content',
    status: 404,
    code: 'publicapi.chat.not_found',
  })
  expect(failureOf(await ask())).toMatchObject({ about: 'content', status: 400 })
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    path: `/v1/chats/${chat_id}/messages`,
  })
  expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({
    prompt: 'And since?',
    public_data: false,
  })
})

test('a failure says whether a chat may have been made', async () => {
  const refused = { code: 'publicapi.auth.invalid', statusCode: 401 }
  const cut: Answer = (_, response) => response.destroy()
  const { remote } = await remoteFor(
    { status: 401, body: refused },
    { status: 404, body: { code: '' } },
    { status: 429 },
    { status: 503, body: { code: 'publicapi.service.unavailable', statusCode: 503 } },
    { status: 503 },
    { status: 503, body: '<html>busy</html>', headers: { 'content-type': 'text/html' } },
    { status: 500 },
    { status: 502, body: '<html>bad gateway</html>', headers: { 'content-type': 'text/html' } },
    { status: 202 },
    { status: 302 },
    cut,
  )
  const undone: boolean[] = []
  for (let round = 0; round < 11; round++) {
    undone.push(isSurelyUndone(failureOf(await remote.startChat(project_id, { prompt: 'x' }))))
  }
  expect(undone).toEqual([true, true, true, true, ...Array(7).fill(false)])
  const nobody = remoteAt('http://127.0.0.1:9')
  expect(isSurelyUndone(failureOf(await nobody.startChat(project_id, { prompt: 'x' })))).toBe(true)
})

test('starting fails by the table: an id out of reach, a text too long, or later', async () => {
  const { remote } = await remoteFor(
    { status: 404, body: { code: 'publicapi.chat.scope.unreachable' } },
    { status: 400, body: { code: '' } },
    { status: 503 },
    { status: 202 },
  )
  const abouts: string[] = []
  for (let round = 0; round < 4; round++) {
    abouts.push(failureOf(await remote.startChat(project_id, { prompt: 'x' })).about)
  }
  expect(abouts).toEqual(['content', 'content', 'later', 'unknown_protocol'])
})

test('C-14 a message shows its status and its text; its id may be called id', async () => {
  const read = async (body: object) => {
    const { remote } = await remoteFor({ status: 200, body })
    return remote.readMessage(project_id, chat_id, message_id)
  }
  const ours = { message_id, created_at }
  const hosted = { id: message_id, created_at }
  const base = { message_id, created_at_ms }
  const full = { status: 'error', prompt: 'x', response: '**y**' }
  expect(successOf(await read({ ...ours, ...full }))).toEqual({ ...base, ...full })
  expect(successOf(await read({ ...ours, status: 'pondering' }))).toEqual({
    ...base,
    status: 'pondering',
  })
  expect(successOf(await read(hosted))).toEqual(base)
  expect(successOf(await read({ ...hosted, response: 'y' }))).toEqual({ ...base, response: 'y' })
  for (const none of [null, '', 7]) {
    const bare = { ...hosted, status: none, response: none, prompt: none }
    expect(successOf(await read(bare))).toEqual(base)
  }
  for (const odd of [{ created_at }, { message_id: 'x' }, { message_id: idNumber('message', 1) }]) {
    expect(failureOf(await read(odd)).about).toBe('unknown_protocol')
  }
})

test('a new message may be 404 for a moment', async () => {
  const { server, remote } = await remoteFor({
    status: 404,
    body: { code: 'publicapi.message.not_found' },
  })
  expect(failureOf(await remote.readMessage(project_id, chat_id, message_id)).about).toBe('later')
  expect(server.requests[0]?.path).toBe(`/v1/chats/${chat_id}/messages/${message_id}`)
})

const first = { message_id, created_at }
const second = { id: idNumber('message', 1) }
const third = { id: idNumber('message', 2) }
const both = [{ message_id, created_at_ms }, { message_id: second.id }]

test('C-21 messages are listed under `messages`, under `data` or bare', async () => {
  const items = [first, second]
  const bodies = [{ messages: items }, { data: items, has_more: false }, { data: items }, items]
  const odd = [{ chats: items }, [{ id: 'x' }]]
  const { remote } = await remoteFor(
    ...[...bodies, [], ...odd].map((body) => ({ status: 200, body })),
  )
  for (const _ of bodies)
    expect(successOf(await remote.listMessages(project_id, chat_id))).toEqual(both)
  expect(successOf(await remote.listMessages(project_id, chat_id))).toEqual([])
  for (const _ of odd)
    expect(failureOf(await remote.listMessages(project_id, chat_id)).about).toBe('unknown_protocol')
})

test('C-21 a list of messages with `has_more` goes on after its last id', async () => {
  const { server, remote } = await remoteFor(
    { status: 200, body: { messages: [first, second], has_more: true, last_id: second.id } },
    { status: 200, body: { messages: [third], has_more: false } },
  )
  const listed = successOf(await remote.listMessages(project_id, chat_id))
  expect(listed).toEqual([...both, { message_id: third.id }])
  expect(server.requests.map((request) => request.path)).toEqual([
    `/v1/chats/${chat_id}/messages`,
    `/v1/chats/${chat_id}/messages?after_id=${second.id}`,
  ])
})

test('A-31 C-21 a list of messages that leads nowhere or in a circle is refused', async () => {
  const page = { messages: [first], has_more: true, last_id: message_id }
  for (const body of [{ ...page, last_id: undefined }, page, { ...page, messages: [] }]) {
    const { remote } = await remoteFor({ status: 200, body }, { status: 200, body })
    const failure = failureOf(await remote.listMessages(project_id, chat_id))
    expect(failure.about).toBe('unknown_protocol')
  }
})

test('A-37 a list of messages, chats, labels or projects survives a cursor that is refused', async () => {
  const gone = { status: 404, body: { code: 'foreign.item.gone' } }
  const page = (list: string, items: object[], next?: string) => ({
    status: 200,
    body: { [list]: items, has_more: next !== undefined, last_id: next },
  })
  const labels = [1, 2].map((n) => ({ label_id: idNumber('label', n), name: `${n}` }))
  const projects = [1, 2].map((n) => ({ project_id: idNumber('project', n), name: `${n}` }))
  const { server, remote } = await remoteFor(
    ...[page('messages', [first, second], second.id), gone, page('messages', [second, third])],
    ...[page('data', labels, labels[1]!.label_id), gone, gone, page('data', labels.slice(0, 1))],
    ...[page('data', projects, projects[1]!.project_id), gone, page('data', projects.slice(1))],
  )
  const messages = successOf(await remote.listMessages(project_id, chat_id))
  expect(messages).toEqual([...both, { message_id: third.id }])
  expect(successOf(await remote.listLabels(project_id))).toEqual(labels.slice(0, 1))
  expect(successOf(await remote.listProjects())).toHaveLength(2)
  expect(
    server.requests.map(({ path }) => new URL(path, 'http://x').searchParams.get('after_id')),
  ).toEqual(
    [null, second.id, message_id]
      .concat([null, labels[1]!.label_id, labels[0]!.label_id, null] as never)
      .concat([null, projects[1]!.project_id, projects[0]!.project_id] as never),
  )
})

test('chats and messages are listed', async () => {
  const chats = {
    data: [
      { chat_id, created_at, title: 'News', modified_at: null },
      { chat_id: idNumber('chat', 1), created_at },
    ],
    has_more: true,
    last_id: idNumber('chat', 1),
  }
  const messages = { messages: [{ message_id, created_at }, { id: idNumber('message', 1) }] }
  const { server, remote } = await remoteFor(
    { status: 200, body: chats },
    { status: 200, body: messages },
  )
  expect(successOf(await remote.listChats(project_id, { limit: 2 }))).toEqual({
    items: [
      { chat_id, created_at_ms, title: 'News' },
      { chat_id: idNumber('chat', 1), created_at_ms },
    ],
    next: idNumber('chat', 1),
  })
  expect(successOf(await remote.listMessages(project_id, chat_id))).toEqual([
    { message_id, created_at_ms },
    { message_id: idNumber('message', 1) },
  ])
  expect(server.requests.map((request) => request.path)).toEqual([
    '/v1/chats?limit=2',
    `/v1/chats/${chat_id}/messages`,
  ])
})

test('a chat is titled and removed; what the service answers to that is not read', async () => {
  const { server, remote } = await remoteFor(
    { status: 200, body: { chat_id, title: 'News, part 1 of 2' } },
    { status: 204 },
    { status: 200, body: 'done' },
    { status: 404, body: { code: 'publicapi.chat.not_found', statusCode: 404 } },
  )
  successOf(await remote.titleChat(project_id, chat_id, 'News, part 1 of 2'))
  successOf(await remote.removeChat(project_id, chat_id))
  successOf(await remote.titleChat(project_id, chat_id, 'x'))
  const gone = failureOf(await remote.removeChat(project_id, chat_id))
  expect([gone.about, gone.status]).toEqual(['right', 404])
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST /v1/chats/${chat_id}`,
    `DELETE /v1/chats/${chat_id}`,
    `POST /v1/chats/${chat_id}`,
    `DELETE /v1/chats/${chat_id}`,
  ])
  expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({ title: 'News, part 1 of 2' })
})

test('skills are listed, all pages; one without `enabled` can be named', async () => {
  const [one, two, three] = [1, 2, 3].map((n) => idNumber('skill', n))
  const data = [
    { skill_id: one, name: 'Lawyer' },
    { skill_id: two, name: 'Clerk', enabled: false },
  ]
  const { remote } = await remoteFor(
    { status: 200, body: { data, has_more: true, last_id: two } },
    { status: 200, body: { data: [{ skill_id: three }], has_more: false } },
  )
  expect(successOf(await remote.listSkills(project_id))).toEqual([
    { skill_id: one, name: 'Lawyer', is_enabled: true },
    { skill_id: two, name: 'Clerk', is_enabled: false },
    { skill_id: three, name: undefined, is_enabled: true },
  ])
})
