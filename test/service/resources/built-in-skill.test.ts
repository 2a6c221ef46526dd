import { expect, test } from 'vitest'
import { every_file_skill } from '../../../src/contract/every-file-skill.ts'
import { start } from '../fixture.ts'

const own = (name: string) => ({ name, content: 'x', scope: 'user', category: 'skill' })

test('D-11 every project has the skill that reads every file, last in the list, and enabled', async () => {
  const client = await start()
  const { body } = await client.get('/v1/skills')
  expect(body.data).toHaveLength(1)
  const [skill] = body.data
  expect(skill).toMatchObject({
    name: every_file_skill,
    enabled: true,
    category: 'skill',
    scope: 'project',
  })
  expect((await client.get(`/v1/skills/${skill.skill_id}`)).body).toEqual(skill)
  for (const name of ['one', 'two']) await client.post('/v1/skills', own(name))
  const names = []
  for (let after = ''; ; ) {
    const page = (await client.get(`/v1/skills?limit=1${after}`)).body
    names.push(page.data[0].name)
    if (!page.has_more) break
    after = `&after_id=${page.last_id}`
  }
  expect(names).toEqual(['two', 'one', every_file_skill])
  const before = (await client.get(`/v1/skills?limit=1&before_id=${skill.skill_id}`)).body
  expect([before.data[0].name, before.has_more]).toEqual(['one', true])
  expect((await client.get(`/v1/skills?after_id=${skill.skill_id}`)).body.data).toEqual([])
})

test('D-11 it stays as it is, and nobody takes its name', async () => {
  const client = await start()
  const { skill_id } = (await client.get('/v1/skills')).body.data[0]
  const path = `/v1/skills/${skill_id}`
  for (const reply of [
    await client.post(path, { content: 'y' }),
    await client.delete(path),
    await client.post(`${path}/disable`),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([400, 'publicapi.skill.built_in'])
    expect(reply.body.humane).toContain(every_file_skill)
  }
  expect((await client.post(`${path}/enable`)).body).toMatchObject({ skill_id, enabled: true })
  const taken = await client.post('/v1/skills', own(every_file_skill))
  expect([taken.status, taken.body.code]).toEqual([400, 'publicapi.skill.name_taken'])
  const other = (await client.post('/v1/skills', own('other'))).body
  const renamed = await client.post(`/v1/skills/${other.skill_id}`, { name: every_file_skill })
  expect(renamed.body.code).toBe('publicapi.skill.name_taken')
})

test('E-11 the hosted profile knows neither the skill nor what was read', async () => {
  const client = await start({ profile: 'hosted' })
  expect((await client.get('/v1/skills')).body.data).toEqual([])
  const refused = await client.post('/v1/chats', { prompt: 'x', skills: [every_file_skill] })
  expect(refused.status).toBe(400)
  const { chat_id, message_id } = await client.ask('x')
  const { body } = await client.get(`/v1/chats/${chat_id}/messages/${message_id}`)
  expect(Object.keys(body).sort()).toEqual(['created_at', 'id', 'prompt', 'response'])
})
