import { expect } from 'vitest'
import { type Api, fact, freshWord } from './api.ts'

/** Makes slots and returns their ids, newest first. */
async function slots(api: Api, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.unshift((await api.slot()).asset_id)
  return ids
}

interface Page {
  data: { asset_id: string }[]
}

const idsOf = ({ data }: Page) => data.map(({ asset_id }) => asset_id)

const lists: [path: string, id: string, make: (api: Api) => Promise<unknown>][] = [
  ['/v1/assets', 'asset_id', (api) => api.slot()],
  ['/v1/chats', 'chat_id', (api) => api.make('/v1/chats', { prompt: 'hello' })],
  ['/v1/labels', 'label_id', (api) => api.make('/v1/labels', { name: freshWord() })],
  [
    '/v1/skills',
    'skill_id',
    (api) =>
      api.make('/v1/skills', {
        name: freshWord(),
        content: 'x',
        scope: 'project',
        category: 'skill',
      }),
  ],
  [
    '/v1/memories',
    'memory_id',
    (api) => api.make('/v1/memories', { content: 'x', category: 'fact', importance: 1 }),
  ],
  [
    '/v1/actions',
    'action_id',
    (api) => api.make('/v1/actions', { name: 'xx', prompt: 'x', trigger: { kind: 'asset_ready' } }),
  ],
  ['/v1/sessions', 'session_id', (api) => api.make('/v1/sessions', { name: 'x' })],
]

export const facts_of_lists = [
  fact(
    'A-24 an empty page leaves the ids out; another names its first and last item, in every list',
    async (api) => {
      const fresh = await api.elsewhere()
      for (const [path, id, make] of lists) {
        const before = (await fresh.get(path)).body
        // A service may have skills of its own in every project.
        if (path !== '/v1/skills') expect(before, path).toEqual({ data: [], has_more: false })
        await make(fresh)
        await make(fresh)
        const { data, has_more, first_id, last_id } = (await fresh.get(path)).body
        expect([data.length, has_more, first_id, last_id], path).toEqual([
          before.data.length + 2,
          false,
          data[0][id],
          data.at(-1)[id],
        ])
      }
      const { body } = await fresh.get('/v1/projects?limit=2')
      expect([body.first_id, body.last_id]).toEqual([
        body.data[0].project_id,
        body.data.at(-1).project_id,
      ])
    },
  ),

  fact(
    'A-25 a page has 25 items by default, 1 to 100 on request; anything else: 400',
    async (api) => {
      const fresh = await api.elsewhere()
      await slots(fresh, 26)
      const page = (await fresh.get('/v1/assets')).body
      expect([page.data.length, page.has_more]).toEqual([25, true])
      expect((await fresh.get('/v1/assets?limit=1')).body.data).toHaveLength(1)
      expect((await fresh.get('/v1/assets?limit=100')).body.data).toHaveLength(26)
      for (const limit of ['0', '101', '-1', 'x', '']) {
        expect((await fresh.get(`/v1/assets?limit=${limit}`)).status, limit).toBe(400)
      }
    },
  ),

  fact('A-26 the cursor is excluded; two cursors: 400', async (api) => {
    const fresh = await api.elsewhere()
    const [newest, middle, oldest] = await slots(fresh, 3)
    expect(idsOf((await fresh.get(`/v1/assets?after_id=${newest}`)).body)).toEqual([middle, oldest])
    expect((await fresh.get(`/v1/assets?after_id=${newest}&before_id=${oldest}`)).status).toBe(400)
  }),

  fact('A-27 chats and assets are listed newest first, labels by name', async (api) => {
    const fresh = await api.elsewhere()
    expect(idsOf((await fresh.get('/v1/assets')).body)).toEqual([])
    const ids = await slots(fresh, 3)
    expect(idsOf((await fresh.get('/v1/assets')).body)).toEqual(ids)
    const chats: string[] = []
    for (const prompt of ['one', 'two'])
      chats.unshift((await fresh.make('/v1/chats', { prompt })).chat_id)
    const listed = (await fresh.get('/v1/chats')).body.data
    expect(listed.map(({ chat_id }: { chat_id: string }) => chat_id)).toEqual(chats)
    for (const name of ['pears', 'apples']) await fresh.make('/v1/labels', { name })
    const labels = (await fresh.get('/v1/labels')).body.data
    expect(labels.map(({ name }: { name: string }) => name)).toEqual(['apples', 'pears'])
  }),

  fact('A-28 after_id goes on behind the cursor, in every list', async (api) => {
    const fresh = await api.elsewhere()
    for (const [path, id, make] of lists) {
      for (let at = 0; at < 3; at++) await make(fresh)
      // Only ids are compared: a chat that is being answered changes between two lists.
      const idsIn = ({ data }: { data: Record<string, string>[] }) => data.map((item) => item[id])
      const all = idsIn((await fresh.get(path)).body)
      expect(idsIn((await fresh.get(`${path}?after_id=${all[0]}`)).body), path).toEqual(
        all.slice(1),
      )
    }
  }),

  fact(
    'A-29 before_id: the page next to the cursor on the other side, in list order',
    async (api) => {
      const fresh = await api.elsewhere()
      const ids = await slots(fresh, 5)
      const { body } = await fresh.get(`/v1/assets?before_id=${ids[4]}&limit=2`)
      expect([idsOf(body), body.has_more]).toEqual([[ids[2], ids[3]], true])
      const top = (await fresh.get(`/v1/assets?before_id=${ids[2]}&limit=2`)).body
      expect([idsOf(top), top.has_more]).toEqual([[ids[0], ids[1]], false])
    },
  ),

  fact('A-30 an unknown cursor: 400; one whose item was removed keeps its place', async (api) => {
    const fresh = await api.elsewhere()
    const [, middle, oldest] = await slots(fresh, 3)
    expect((await fresh.get('/v1/assets?after_id=asset_00000000000000000000')).status).toBe(400)
    await fresh.delete(`/v1/assets/${middle}`)
    expect(idsOf((await fresh.get(`/v1/assets?after_id=${middle}`)).body)).toEqual([oldest])
  }),
]
