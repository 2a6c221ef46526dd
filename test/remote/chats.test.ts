import { expect, test } from 'vitest'
import { asset_id, chat_id, failureOf, idNumber, message_id, project_id, remoteAt, successOf } from './fixture.ts'
import { type Answer, startServer } from './recording-server.ts'

const created_at = '2026-01-01T00:00:00Z'
const created_at_ms = Date.UTC(2026, 0, 1)

async function remoteFor(...answers: Answer[]) {
  const server = await startServer(answers)
  return { server, remote: remoteAt(server.origin) }
}

test('a chat is started with what was asked, and no field more', async () => {
  const body = { chat_id, message_id, created_at }
  const { server, remote } = await remoteFor({ status: 202, body })
  const question = {
    prompt: 'What is new?',
    intelligence: 'fast',
    public_data: false,
    skills: ['Lawyer'],
    scope: { asset_ids: [asset_id] },
  } as const
  expect(successOf(await remote.startChat(project_id, question))).toEqual({ chat_id, message_id, created_at_ms })
  await remote.startChat(project_id, { prompt: 'x' })
  expect(server.requests.map((request) => JSON.parse(request.body.toString()))).toEqual([question, { prompt: 'x' }])
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chats' })
})

test('an empty scope, which would mean everything, is never sent', async () => {
  const { server, remote } = await remoteFor()
  for (const scope of [{}, { asset_ids: [] }, { asset_ids: [asset_id], label_ids: [] }]) {
    await expect(remote.startChat(project_id, { prompt: 'x', scope })).rejects.toMatchObject({
      code: 'remote.empty_scope',
    })
  }
  expect(server.requests).toEqual([])
})

test('starting fails by the table: an id out of reach, too long, later', async () => {
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

test('a message: a response decides first, then the status; its id may be called id', async () => {
  const read = async (body: object) => {
    const { remote } = await remoteFor({ status: 200, body })
    return remote.readMessage(project_id, chat_id, message_id)
  }
  const ours = { message_id, created_at }
  const hosted = { id: message_id, created_at }
  const base = { message_id, created_at_ms }
  expect(successOf(await read({ ...ours, status: 'running' }))).toEqual({ ...base, state: 'running' })
  expect(successOf(await read({ ...ours, status: 'done', prompt: 'x', response: '**y**' }))).toEqual({
    ...base,
    state: 'answered',
    response: '**y**',
  })
  expect(successOf(await read({ ...ours, status: 'done' }))).toMatchObject({ state: 'answered', response: '' })
  expect(successOf(await read({ ...ours, status: 'error' }))).toEqual({ ...base, state: 'failed' })
  expect(successOf(await read({ ...ours, status: 'pondering' }))).toMatchObject({ state: 'running' })
  expect(successOf(await read(hosted))).toEqual({ ...base, state: 'running' })
  expect(successOf(await read({ ...hosted, response: '' }))).toMatchObject({ state: 'running' })
  expect(successOf(await read({ ...hosted, response: 'y' }))).toMatchObject({ state: 'answered', response: 'y' })
  for (const odd of [{ created_at }, { message_id: 'x' }, { message_id: idNumber('message', 1) }]) {
    expect(failureOf(await read(odd)).about).toBe('unknown_protocol')
  }
})

test('a young message may be 404 for a moment', async () => {
  const { server, remote } = await remoteFor({ status: 404, body: { code: 'publicapi.message.not_found' } })
  expect(failureOf(await remote.readMessage(project_id, chat_id, message_id)).about).toBe('later')
  expect(server.requests[0]?.path).toBe(`/v1/chats/${chat_id}/messages/${message_id}`)
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
  const { server, remote } = await remoteFor({ status: 200, body: chats }, { status: 200, body: messages })
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
  expect(server.requests.map((request) => request.path)).toEqual(['/v1/chats?limit=2', `/v1/chats/${chat_id}/messages`])
})
