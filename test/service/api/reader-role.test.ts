import { expect, test } from 'vitest'
import type { Role } from '../../../src/contract/messages/messages-projects.ts'
import { type Client, start } from '../fixture.ts'

const refused = 'publicapi.tenancy.role.insufficient'
const memory = { content: 'x', category: 'fact', importance: 1 }

/** The service as a user with this role in the project sees it. */
function asMember(client: Client, name: string, role: Role): Client {
  const email = `${name}@example.org`
  client.service.users.create(email)
  client.service.members.add(email, client.project_id, role)
  return client.as({ token: client.service.tokens.create(`of ${name}`, { user: email }).token })
}

/** The status, or the code of a refusal. */
async function outcome(reply: ReturnType<Client['call']>): Promise<unknown> {
  const { status, body } = await reply
  return status === 400 ? body.code : status
}

test('D-05 D-07 a reader keeps their own memories, and changes no shared ones', async () => {
  const client = await start()
  const ada = asMember(client, 'ada', 'reader')
  const of_all = `/v1/memories/${(await client.post('/v1/memories', memory)).body.memory_id}`
  const own = `/v1/memories/${(await ada.post('/v1/memories', memory)).body.memory_id}`
  expect(await outcome(ada.get(of_all))).toBe(200)
  expect(await outcome(ada.post(of_all, { content: 'hers now' }))).toBe(refused)
  expect(await outcome(ada.delete(of_all))).toBe(refused)
  expect((await client.get(of_all)).body.content).toBe('x')
  expect(await outcome(ada.post(own, { content: 'y' }))).toBe(200)
  expect(await outcome(ada.delete(own))).toBe(204)
  expect(await outcome(ada.post('/v1/memories', { ...memory, scope: 'user' }))).toBe(201)
  expect(await outcome(ada.post('/v1/memories', { ...memory, scope: 'project' }))).toBe(refused)
})

test('D-07 a memory is its maker’s alone or everybody’s, as it is made', async () => {
  const client = await start()
  const [ada, bob] = [
    await asMember(client, 'ada', 'collaborator'),
    await asMember(client, 'bob', 'reader'),
  ]
  for (const [scope, status] of [
    ['user', 404],
    ['project', 200],
  ] as const) {
    const made = (await ada.post('/v1/memories', { ...memory, scope })).body
    expect(made.scope).toBe(scope)
    expect(await outcome(bob.get(`/v1/memories/${made.memory_id}`))).toBe(status)
  }
})

test('D-06 D-07 a user who changes a shared record does not become its owner', async () => {
  const client = await start()
  const [ada, bob] = [
    asMember(client, 'ada', 'collaborator'),
    asMember(client, 'bob', 'collaborator'),
  ]
  const of_nobody = { name: 'terms', content: 'x', scope: 'user', category: 'skill' }
  const paths = [
    `/v1/memories/${(await client.post('/v1/memories', memory)).body.memory_id}`,
    `/v1/skills/${(await client.post('/v1/skills', of_nobody)).body.skill_id}`,
  ]
  for (const path of paths) {
    expect(await outcome(ada.post(path, { content: 'y' }))).toBe(200)
    for (const other of [client, bob]) expect((await other.get(path)).body.content, path).toBe('y')
  }
  expect((await client.get(paths[0]!)).body.scope).toBe('project')
})

test('D-05 a reader renames and deletes only chats in which no other user has asked', async () => {
  const client = await start()
  const [ada, bob] = [asMember(client, 'ada', 'reader'), asMember(client, 'bob', 'reader')]
  const ask = async (who: Client) => (await who.post('/v1/chats', { prompt: 'x' })).body
  const [of_nobody, of_bob, own, shared] = [
    await ask(client),
    await ask(bob),
    await ask(ada),
    await ask(ada),
  ]
  const second = (await bob.post(`/v1/chats/${shared.chat_id}/messages`, { prompt: 'y' })).body
  for (const { chat_id, message_id } of [of_nobody, of_bob]) {
    expect(await outcome(ada.get(`/v1/chats/${chat_id}`))).toBe(200)
    expect(await outcome(ada.delete(`/v1/chats/${chat_id}/messages/${message_id}`))).toBe(refused)
  }
  for (const { chat_id } of [of_nobody, of_bob, shared]) {
    expect(await outcome(ada.post(`/v1/chats/${chat_id}`, { title: 'hers' }))).toBe(refused)
    expect(await outcome(ada.delete(`/v1/chats/${chat_id}`))).toBe(refused)
  }
  expect(
    await outcome(ada.delete(`/v1/chats/${shared.chat_id}/messages/${second.message_id}`)),
  ).toBe(refused)
  expect(
    await outcome(ada.delete(`/v1/chats/${shared.chat_id}/messages/${shared.message_id}`)),
  ).toBe(204)
  expect(await outcome(ada.post(`/v1/chats/${own.chat_id}`, { title: 'hers' }))).toBe(200)
  expect(await outcome(ada.delete(`/v1/chats/${own.chat_id}`))).toBe(204)
  // A user who may change the project may change any of its chats.
  expect(await outcome(client.delete(`/v1/chats/${of_bob.chat_id}`))).toBe(204)
})
