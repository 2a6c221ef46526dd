import { expect, test } from 'vitest'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, start } from '../fixture.ts'

const question = 'Which password opens the harbour gate?'
const sentence = (place: string) => `The password of the harbour gate of ${place} is ${place}-1234.`

/** The place in each planted sentence; all of them answer the one question. */
const places = ['Oslo', 'Porto', 'Riga', 'Tunis', 'Vigo', 'Bari', 'Ghent'] as const
type Place = (typeof places)[number]

/** Plants one sentence for each kind of scope, and one that none of them reaches. */
async function planted(client: Client) {
  const { service, project_id } = client
  const upload = (place: Place, filename: string) => client.upload(sentence(place), filename)
  const asset = await upload('Oslo', 'oslo.md')
  const labelled = await upload('Porto', 'porto.md')
  const conceived = await upload('Riga', 'riga.md')
  await upload('Vigo', 'minutes-vigo.md')
  await upload('Ghent', 'ghent.md')
  const other = client.as({ project_id: service.projects.create('other').project_id })
  await other.upload(sentence('Tunis'), 'tunis.md')
  const { label_id } = (await client.post(`/v1/assets/${labelled}/labels`, { label_name: 'south' }))
    .body
  const { concept_id } = service.concepts.create('gates', { project_id, asset_ids: [conceived] })
  const { view_id } = service.views.create('minutes', { project_id, name_pattern: 'minutes-*.md' })
  const { chat_id } = await client.ask(sentence('Bari'), { scope: { asset_ids: [asset] } })
  // The chat quotes its own scope, so only the text of its prompt is its own.
  return {
    asset_ids: asset,
    label_ids: label_id as string,
    concept_ids: concept_id,
    view_ids: view_id,
    chat_ids: chat_id,
    project_ids: other.project_id,
  }
}

const found = (response: string) => places.filter((place) => response.includes(sentence(place)))

test('C-06 every kind of scope quotes the sentence inside, and none outside; several kinds are a union', async () => {
  const client = await start()
  const ids = await planted(client)
  const ask = async (scope: object) => found((await client.ask(question, { scope })).response)
  const inside: { [Kind in keyof typeof ids]: Place[] } = {
    asset_ids: ['Oslo'],
    label_ids: ['Porto'],
    concept_ids: ['Riga'],
    view_ids: ['Vigo'],
    chat_ids: ['Oslo', 'Bari'],
    project_ids: ['Tunis'],
  }
  for (const [kind, expected] of Object.entries(inside)) {
    expect(await ask({ [kind]: [ids[kind as keyof typeof ids]] }), kind).toEqual(expected)
  }
  const all = Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, [id]]))
  const union = (await client.ask(question, { scope: all, intelligence: 'research' })).response
  expect(found(union)).toEqual(places.filter((place) => place !== 'Ghent'))
})

test('C-06 D-10 a label stands for the assets and the concepts that carry it', async () => {
  const client = await start()
  const { service, project_id } = client
  const [carries, conceived, outside] = await Promise.all([
    client.upload(sentence('Oslo'), 'oslo.md'),
    client.upload(sentence('Riga'), 'riga.md'),
    client.upload(sentence('Vigo'), 'vigo.md'),
  ])
  await client.post(`/v1/assets/${carries}/labels`, { label_name: 'north' })
  service.concepts.create('gates', { project_id, asset_ids: [conceived], labels: ['north'] })
  service.concepts.create('piers', { project_id, asset_ids: [outside], labels: ['west'] })
  const labels = (await client.get('/v1/labels')).body.data as { label_id: string; name: string }[]
  const { label_id } = labels.find(({ name }) => name === 'north')!
  const { response } = await client.ask(question, { scope: { label_ids: [label_id] } })
  expect(found(response)).toEqual(['Oslo', 'Riga'])
})

test('D-10 a view shows what fits its filter when the answer is written', async () => {
  const client = await start()
  const { service, project_id } = client
  const { view_id } = service.views.create('southern minutes', {
    project_id,
    labels: ['south', 'east'],
    name_pattern: 'minutes-?.md',
  })
  const add = async (place: Place, filename: string, label_name: string) => {
    const id = await client.upload(sentence(place), filename)
    await client.post(`/v1/assets/${id}/labels`, { label_name })
  }
  await add('Oslo', 'minutes-1.md', 'south')
  await add('Porto', 'minutes-2.md', 'east')
  await add('Riga', 'minutes-3.md', 'north')
  await add('Vigo', 'minutes-44.md', 'south')
  const { response } = await client.ask(question, { scope: { view_ids: [view_id] } })
  expect(found(response)).toEqual(['Oslo', 'Porto'])
})

test('B-32 a view compares its pattern with the later name', async () => {
  const client = await start()
  const { service, project_id } = client
  const { view_id } = service.views.create('north', { project_id, name_pattern: 'north/*' })
  const oslo = await client.upload(sentence('Oslo'), 'oslo.md')
  await client.upload(sentence('Vigo'), 'vigo.md')
  await client.post(`/v1/assets/${oslo}`, { name: 'north/oslo.md' })
  const { response } = await client.ask(question, { scope: { view_ids: [view_id] } })
  expect(found(response)).toEqual(['Oslo'])
})

test('D-10 concepts and views are out of reach in another project', async () => {
  const client = await start()
  const { service, project_id } = client
  const asset = await client.upload(sentence('Oslo'))
  const { concept_id } = service.concepts.create('gates', { project_id, asset_ids: [asset] })
  const { view_id } = service.views.create('texts', { project_id, name_pattern: '*' })
  const other = client.as({ project_id: service.projects.create('other').project_id })
  for (const scope of [{ concept_ids: [concept_id] }, { view_ids: [view_id] }]) {
    expect((await client.post('/v1/chats', { prompt: 'x', scope })).status).toBe(202)
    const reply = await other.post('/v1/chats', { prompt: 'x', scope })
    expect([reply.status, reply.body.code]).toEqual([404, 'publicapi.chat.scope.unreachable'])
  }
})

test('C-06 a project that the user has lost meanwhile adds nothing to the answer', async () => {
  const clock = new FakeClock(Date.now())
  const client = await start({ clock, answer_delay_ms: 1_000 })
  const { service, project_id } = client
  const other = client.as({ project_id: service.projects.create('other').project_id })
  await other.upload(sentence('Tunis'), 'tunis.md')
  const email = 'ada@example.org'
  service.users.create(email)
  for (const id of [project_id, other.project_id]) service.members.add(email, id, 'reader')
  const ada = client.as({ token: service.tokens.create('ada', { user: email }).token })
  const ask = async () =>
    (await ada.post('/v1/chats', { prompt: question, scope: { project_ids: [other.project_id] } }))
      .body
  const before = await ask()
  await clock.advance(1_000)
  expect(found(await client.answer(before.chat_id, before.message_id))).toEqual(['Tunis'])
  const after = await ask()
  service.users.remove(email)
  await clock.advance(1_000)
  expect(found(await client.answer(after.chat_id, after.message_id))).toEqual([])
})

test('C-08 turn 2 without a scope may quote what turn 1 could not', async () => {
  const client = await start()
  const oslo = await client.upload(sentence('Oslo'), 'oslo.md')
  await client.upload(sentence('Vigo'), 'vigo.md')
  const { chat_id, response } = await client.ask(question, { scope: { asset_ids: [oslo] } })
  expect(found(response)).toEqual(['Oslo'])
  const { body } = await client.post(`/v1/chats/${chat_id}/messages`, { prompt: question })
  expect(found(await client.answer(chat_id, body.message_id))).toEqual(['Oslo', 'Vigo'])
})
