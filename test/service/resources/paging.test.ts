import { expect, test } from 'vitest'
import { type Client, start } from '../fixture.ts'

const idsOf = (body: { data: { asset_id?: string; chat_id?: string }[] }) =>
  body.data.map(({ asset_id, chat_id }) => asset_id ?? chat_id)

async function slots(client: Client, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) ids.push((await client.slot()).asset_id)
  return ids
}

test('A-24 an empty page leaves the ids out', async () => {
  const client = await start()
  expect((await client.get('/v1/assets')).body).toEqual({ data: [], has_more: false })
})

test('A-24 a page names its first and last item, and whether there are more', async () => {
  const client = await start()
  const ids = (await slots(client, 3)).reverse()
  const { body } = await client.get('/v1/assets?limit=2')
  expect([idsOf(body), body.has_more, body.first_id, body.last_id]).toEqual([
    ids.slice(0, 2),
    true,
    ids[0],
    ids[1],
  ])
  expect((await client.get('/v1/assets?limit=3')).body.has_more).toBe(false)
})

test('A-25 a page has 25 items by default, and 1 to 100 on request', async () => {
  const client = await start()
  await slots(client, 26)
  expect((await client.get('/v1/assets')).body.data).toHaveLength(25)
  expect((await client.get('/v1/assets?limit=1')).body.data).toHaveLength(1)
  expect((await client.get('/v1/assets?limit=100')).body.data).toHaveLength(26)
  for (const limit of ['0', '101', '-1', '1.5', 'x', '', '1e1', '%31%30%30%30']) {
    const reply = await client.get(`/v1/assets?limit=${limit}`)
    expect([reply.status, reply.body.code], limit).toEqual([400, 'publicapi.query.invalid'])
  }
  expect((await client.get('/v1/assets?limit=5&limit=6')).status).toBe(400)
})

test('A-26 the cursor item is excluded; two cursors at once are a 400', async () => {
  const client = await start()
  const ids = (await slots(client, 3)).reverse()
  expect(idsOf((await client.get(`/v1/assets?after_id=${ids[0]}`)).body)).toEqual(ids.slice(1))
  expect(idsOf((await client.get(`/v1/assets?before_id=${ids[2]}`)).body)).toEqual(ids.slice(0, 2))
  expect((await client.get(`/v1/assets?after_id=${ids[0]}&before_id=${ids[2]}`)).status).toBe(400)
})

test('A-27 A-28 assets and chats are listed newest first, and after_id continues in that order', async () => {
  const client = await start()
  const assets = (await slots(client, 3)).reverse()
  expect(idsOf((await client.get('/v1/assets')).body)).toEqual(assets)
  expect(idsOf((await client.get(`/v1/assets?after_id=${assets[0]}&limit=1`)).body)).toEqual([
    assets[1],
  ])
  const chats: string[] = []
  for (let made = 0; made < 3; made++)
    chats.unshift((await client.post('/v1/chats', { prompt: 'x' })).body.chat_id)
  expect(idsOf((await client.get('/v1/chats')).body)).toEqual(chats)
  expect(idsOf((await client.get(`/v1/chats?after_id=${chats[1]}`)).body)).toEqual([chats[2]])
})

test('A-29 before_id is the page next to the cursor on the other side, in list order', async () => {
  const client = await start()
  const ids = (await slots(client, 5)).reverse()
  const { body } = await client.get(`/v1/assets?before_id=${ids[4]}&limit=2`)
  expect([idsOf(body), body.has_more]).toEqual([[ids[2], ids[3]], true])
  const top = (await client.get(`/v1/assets?before_id=${ids[2]}&limit=2`)).body
  expect([idsOf(top), top.has_more]).toEqual([[ids[0], ids[1]], false])
})

test('A-30 an unknown cursor is a 400; a removed one keeps its place', async () => {
  const client = await start()
  const ids = (await slots(client, 3)).reverse()
  const other = client.as({ project_id: client.service.projects.create('other').project_id })
  for (const list of [
    client.get('/v1/assets?after_id=asset_00000000000000000000'),
    other.get(`/v1/assets?after_id=${ids[1]}`),
  ]) {
    const reply = await list
    expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.cursor.unknown'])
  }
  await client.delete(`/v1/assets/${ids[1]}`)
  expect(idsOf((await client.get(`/v1/assets?after_id=${ids[1]}`)).body)).toEqual([ids[2]])
  expect((await other.get(`/v1/assets?after_id=${ids[1]}`)).status).toBe(400)
})
