import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/base/sqlite.ts'
import { service_migrations } from '../../src/service/schema.ts'
import { hashOf } from '../../src/service/tokens.ts'
import { md5Of, start, temporaryFolder, until } from './fixture.ts'

const token = `pat_${'a'.repeat(32)}`
const narrow_token = `pat_${'b'.repeat(32)}`
const projects = ['project_0000000000000000000a', 'project_0000000000000000000b'] as const
const asset_id = 'asset_0000000000000000000a'
const [chat_id, message_id, asked_id] = [
  'chat_0000000000000000000a',
  'message_0000000000000000000a',
  'message_0000000000000000000b',
]
const text = 'The heron waits at the weir.'

/** What a service of version 1 left behind: one row in each of its tables, one question that was not answered yet. */
function versionOne(): string {
  const data_dir = temporaryFolder()
  const migrations = service_migrations.slice(0, 1)
  const database = openSqlite({ file: join(data_dir, 'service.db'), migrations, synchronous: 'FULL' })
  const run = (sql: string, ...values: unknown[]) => database.prepare(sql).run(...values)
  for (const [at, project_id] of projects.entries()) {
    run('INSERT INTO projects (project_id, name, created_at_ms) VALUES (?, ?, ?)', project_id, `old ${at}`, 1_000 + at)
  }
  const insert_token = 'INSERT INTO tokens (name, hash, every_project, created_at_ms) VALUES (?, ?, ?, 1000)'
  run(insert_token, 'all', hashOf(token), 1)
  run(insert_token, 'one', hashOf(narrow_token), 0)
  run('INSERT INTO token_projects (token, project) VALUES (2, 2)')
  run(
    `INSERT INTO assets (asset_id, project, filename, mime_type, status, declared_md5, md5, size_in_bytes, created_at_ms, expires_at_ms)
     VALUES (?, 1, 'heron.txt', 'text/plain', 'ready', ?, ?, ?, 2000, 3000)`,
    asset_id,
    md5Of(text),
    md5Of(text),
    text.length,
  )
  run(
    'INSERT INTO objects (asset, size_in_bytes, md5, bytes) VALUES (1, ?, ?, ?)',
    text.length,
    md5Of(text),
    Buffer.from(text),
  )
  run(`INSERT INTO labels (label_id, project, name) VALUES ('label_0000000000000000000a', 1, 'birds')`)
  run('INSERT INTO asset_labels (asset, label) VALUES (1, 1)')
  run(`INSERT INTO chats (chat_id, project, title, created_at_ms) VALUES (?, 1, 'About herons', 4000)`, chat_id)
  const ask = `INSERT INTO messages (message_id, chat, created_at_ms, answer_due_ms, prompt, scope, status, response)
    VALUES (?, 1, 5000, 5000, ?, ?, ?, ?)`
  run(ask, message_id, 'Where?', null, 'done', 'At the weir.')
  run(ask, asked_id, 'Does the heron wait?', JSON.stringify({ asset_ids: [asset_id] }), 'running', null)
  run(`INSERT INTO removed (id, project, position) VALUES ('asset_0000000000000000000b', 1, 2)`)
  database.close()
  return data_dir
}

test('a database of version 1 is brought forward: everything is there, for the same tokens', async () => {
  expect(service_migrations.length).toBeGreaterThan(1)
  const client = (await start({ data_dir: versionOne() })).as({ token, project_id: projects[0] })
  const listed = (await client.get('/v1/projects')).body.data
  expect(listed.map(({ project_id, name }: Record<string, string>) => [project_id, name])).toEqual([
    [projects[1], 'old 1'],
    [projects[0], 'old 0'],
  ])
  const [asset] = (await client.get('/v1/assets')).body.data
  expect(asset).toMatchObject({ asset_id, filename: 'heron.txt', status: 'ready' })
  expect(client.service.readBlob(asset_id).toString()).toBe(text)
  expect((await client.get('/v1/labels')).body.data).toMatchObject([{ name: 'birds' }])
  expect((await client.get(`/v1/chats/${chat_id}`)).body).toMatchObject({ title: 'About herons' })
  expect((await client.get(`/v1/chats/${chat_id}/messages/${message_id}`)).body.response).toBe('At the weir.')
  expect(await client.answer(chat_id, asked_id)).not.toBe('')
  expect((await client.ask('Does the heron wait?')).response).toContain(text)

  const narrow = client.as({ token: narrow_token })
  expect((await narrow.get('/v1/assets')).status).toBe(404)
  expect((await narrow.as({ project_id: projects[1] }).get('/v1/assets')).body.data).toEqual([])
})

test('what came with version 2 works on what version 1 left: workspaces, members, the groups, the same bytes', async () => {
  const client = (await start({ data_dir: versionOne() })).as({ token, project_id: projects[0] })
  const { service } = client
  expect(service.workspaces.list()).toMatchObject([{ organisation: 'default', workspace: 'default', projects: 2 }])
  expect(service.tokens.list().map(({ name, user }) => [name, user])).toEqual(
    expect.arrayContaining([
      ['all', undefined],
      ['one', undefined],
    ]),
  )
  service.users.create('ada@example.org')
  await client.post(`/v1/projects/${projects[0]}/invitations`, { email: 'ada@example.org', role: 'reader' })
  const ada = client.as({ token: service.tokens.create('ada', { user: 'ada@example.org' }).token })
  expect((await ada.get(`/v1/assets/${asset_id}`)).status).toBe(200)
  expect((await client.post('/v1/memories', { content: 'x', category: 'fact', importance: 1 })).status).toBe(201)
  const again = { filename: 'copy.txt', mime_type: 'text/plain', md5: md5Of(text) }
  expect((await client.post('/v1/assets', again)).body).toMatchObject({ asset_id })
  await client.upload('another bird')
  await until(() => service.assets(projects[0]).every(({ status }) => status === 'ready'))
})
