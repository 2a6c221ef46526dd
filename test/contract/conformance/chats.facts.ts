import { expect } from 'vitest'
import { fact, freshWord } from './api.ts'

export const facts_of_chats = [
  fact('C-01 a chat begins with a prompt: 202, chat, message and time at once', async (api) => {
    const reply = await api.post('/v1/chats', { prompt: 'hello' })
    expect([reply.status, Object.keys(reply.body).sort()]).toEqual([
      202,
      ['chat_id', 'created_at', 'message_id'],
    ])
    expect((await api.post('/v1/chats', {})).status).toBe(400)
    expect((await api.post('/v1/chats', { prompt: '' })).status).toBe(400)
  }),

  fact('C-02 intelligence, provider and public_data are checked', async (api) => {
    for (const intelligence of ['auto', 'fast', 'expert', 'research']) {
      const more = { intelligence, provider: 'automatic', public_data: false }
      expect((await api.post('/v1/chats', { prompt: 'hello', ...more })).status).toBe(202)
    }
    for (const more of [{ intelligence: 'slow' }, { provider: 'nobody' }, { public_data: 'no' }]) {
      expect((await api.post('/v1/chats', { prompt: 'hello', ...more })).status).toBe(400)
    }
  }),

  fact('C-03 skills are named; unknown or disabled: 400', async (api) => {
    const name = freshWord()
    const { skill_id } = await api.make('/v1/skills', {
      name,
      content: 'x',
      scope: 'project',
      category: 'skill',
    })
    const ask = async () =>
      (await api.post('/v1/chats', { prompt: 'hello', skills: [name] })).status
    expect(await ask()).toBe(202)
    await api.post(`/v1/skills/${skill_id}/disable`)
    expect(await ask()).toBe(400)
    expect((await api.post('/v1/chats', { prompt: 'hello', skills: [freshWord()] })).status).toBe(
      400,
    )
  }),

  fact(
    'C-04 a scope has six kinds of ids, each checked for its shape, and no tenancy',
    async (api) => {
      const kinds = ['asset', 'chat', 'label', 'concept', 'project', 'view']
      const empty = Object.fromEntries(kinds.map((kind) => [`${kind}_ids`, []]))
      expect((await api.post('/v1/chats', { prompt: 'hello', scope: empty })).status).toBe(202)
      for (const kind of kinds) {
        const scope = { [`${kind}_ids`]: ['user_00000000000000000000'] }
        expect((await api.post('/v1/chats', { prompt: 'hello', scope })).status, kind).toBe(400)
      }
      const tenancy = { workspace_ids: [] }
      expect((await api.post('/v1/chats', { prompt: 'hello', scope: tenancy })).status).toBe(400)
    },
  ),

  fact('C-05 without a scope the whole project is known', async (api) => {
    const word = freshWord()
    await api.upload(`The ${word} is in the cellar.`, 'cellar.txt')
    expect((await api.ask(`Where is the ${word}?`)).response).toContain('cellar')
  }),

  fact('C-06 a scope narrows; an id out of reach: 404', async (api) => {
    const word = freshWord()
    const inside = await api.upload(`The ${word} is in the cellar.`)
    const outside = await api.upload(`The ${word} is in the attic.`)
    const { response } = await api.ask(`Where is the ${word}?`, { scope: { asset_ids: [inside] } })
    expect(response).toContain('cellar')
    expect(response).not.toContain('attic')
    const both = await api.ask(`Where is the ${word}?`, {
      scope: { asset_ids: [inside], project_ids: [api.project_id] },
    })
    expect(both.response).toContain('attic')
    const scope = { asset_ids: [outside, 'asset_00000000000000000000'] }
    expect((await api.post('/v1/chats', { prompt: 'hello', scope })).status).toBe(404)
  }),

  fact('C-08 a further turn takes the same fields: 202, message and time', async (api) => {
    const { chat_id } = await api.make('/v1/chats', { prompt: 'hello' })
    const path = `/v1/chats/${chat_id}/messages`
    const reply = await api.post(path, {
      prompt: 'and now?',
      intelligence: 'fast',
      public_data: false,
    })
    expect([reply.status, Object.keys(reply.body).sort()]).toEqual([
      202,
      ['created_at', 'message_id'],
    ])
    expect((await api.post(path, { prompt: 'x', intelligence: 'slow' })).status).toBe(400)
  }),

  fact('C-09 a chat has its own fields, and none of its messages', async (api) => {
    const { chat_id, message_id, created_at } = await api.make('/v1/chats', { prompt: 'hello' })
    await api.answer(chat_id, message_id)
    const { body } = await api.get(`/v1/chats/${chat_id}`)
    expect([body.chat_id, body.created_at]).toEqual([chat_id, created_at])
    expect(Date.parse(body.modified_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
    expect(body).not.toHaveProperty('messages')
  }),

  fact('C-10 the messages of a chat are ids and times, oldest first', async (api) => {
    const first = await api.make('/v1/chats', { prompt: 'hello' })
    const second = await api.make(`/v1/chats/${first.chat_id}/messages`, { prompt: 'and now?' })
    const { body } = await api.get(`/v1/chats/${first.chat_id}/messages`)
    const { chat_id: _, ...reference } = first
    expect(body).toEqual({ messages: [reference, second] })
  }),

  fact('C-11 a message has its prompt and its answer once it is written', async (api) => {
    const { chat_id, message_id, created_at } = await api.make('/v1/chats', {
      prompt: 'hello there',
    })
    const early = (await api.get(`/v1/chats/${chat_id}/messages/${message_id}`)).body
    if (early.status === 'running')
      expect(Object.keys(early).sort()).toEqual(['created_at', 'message_id', 'status'])
    const message = await api.answer(chat_id, message_id)
    expect(message).toMatchObject({
      message_id,
      created_at,
      status: 'done',
      prompt: 'hello there',
      response: expect.stringMatching(/./),
    })
  }),

  fact('C-26 an answered message says what was read of the files in scope', async (api) => {
    const fresh = await api.elsewhere()
    const word = freshWord()
    const one = await fresh.upload(`The ${word} is in the cellar.`)
    const other = await fresh.upload('The attic is empty.')
    const ask = async (more: object) => {
      const { chat_id, message_id } = await fresh.make('/v1/chats', {
        prompt: `Where is the ${word}?`,
        intelligence: 'fast',
        ...more,
      })
      return await fresh.answer(chat_id, message_id)
    }
    const message = await ask({ scope: { asset_ids: [other, one] } })
    expect(message.calls).toBeGreaterThanOrEqual(0)
    expect(message.sources).toEqual([
      expect.objectContaining({ asset_id: one, read: expect.stringMatching(/^(whole|part)$/) }),
      { asset_id: other, read: 'not', why: expect.stringMatching(/./) },
    ])
    expect((await ask({})).sources_left_out).toBe(1)
  }),

  fact('C-12 an item of the list of chats is the chat', async (api) => {
    const fresh = await api.elsewhere()
    const { chat_id } = await fresh.ask('hello')
    await fresh.post(`/v1/chats/${chat_id}`, { title: 'A title' })
    const { body } = await fresh.get('/v1/chats')
    expect(body.data).toEqual([(await fresh.get(`/v1/chats/${chat_id}`)).body])
    expect([body.data[0].chat_id, body.data[0].title]).toEqual([chat_id, 'A title'])
  }),

  fact('C-13 a chat gets a title; chats and messages are deleted', async (api) => {
    const { chat_id, message_id } = await api.ask('hello')
    const titled = await api.post(`/v1/chats/${chat_id}`, { title: 'A title' })
    expect([titled.status, titled.body.title]).toEqual([200, 'A title'])
    expect(titled.body).toEqual((await api.get(`/v1/chats/${chat_id}`)).body)
    expect(titled.body).toHaveProperty('modified_at')
    expect((await api.delete(`/v1/chats/${chat_id}/messages/${message_id}`)).status).toBe(204)
    expect((await api.get(`/v1/chats/${chat_id}/messages`)).body).toEqual({ messages: [] })
    expect((await api.delete(`/v1/chats/${chat_id}`)).status).toBe(204)
    expect((await api.get(`/v1/chats/${chat_id}`)).status).toBe(404)
  }),

  fact('C-15 a prompt of more than 24,000 characters: 400', async (api) => {
    expect((await api.post('/v1/chats', { prompt: 'x'.repeat(24_001) })).status).toBe(400)
    expect((await api.post('/v1/chats', { prompt: 'x'.repeat(24_000) })).status).toBe(202)
  }),
]
