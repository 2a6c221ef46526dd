import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { sluice } from '../command-line.ts'
import { put, start, until } from '../fixture.ts'

test('--project takes the name of a project, unless several have it', async () => {
  const client = await start()
  const dir = ['--data-dir', client.service.data_dir]
  const { projects, members, users, tokens } = client.service
  const [first, second] = [
    projects.create('Office').project_id,
    projects.create('Lab & Co').project_id,
  ]
  users.create('ada@example.org')
  const add = (of: string) =>
    sluice('serve', 'member', 'add', 'ada@example.org', '--role', 'reader', '--project', of, ...dir)
  expect(await add('Office')).toMatchObject({
    code: 0,
    err: expect.stringContaining('reader in Office'),
  })
  expect((await add(second)).code).toBe(0)
  expect(members.list('Lab & Co')).toMatchObject([{ project_id: second }])
  await sluice('serve', 'token', 'create', 'both', '--projects', `Office,${second}`, ...dir)
  expect(tokens.list().at(-1)).toMatchObject({
    project_ids: expect.arrayContaining([first, second]),
  })
  const asset_id = await client.as({ project_id: first }).upload('text')
  const concept = await sluice(
    'serve',
    'concept',
    'create',
    'c',
    '--project',
    'Office',
    '--assets',
    asset_id,
    ...dir,
  )
  expect([concept.code, client.service.concepts.list()]).toMatchObject([
    0,
    [{ project_id: first, assets: 1 }],
  ])

  const twin = projects.create('Office').project_id
  const which = await add('Office')
  expect([which.code, which.err]).toEqual([
    78,
    expect.stringContaining('2 projects are called Office'),
  ])
  expect(which.err).toContain(`name one by its id: ${first}, ${twin}`)
  projects.create(first)
  expect((await add(first)).code, 'an id comes before a name').toBe(0)
  expect(await add('Ofice')).toMatchObject({
    code: 78,
    err: expect.stringContaining('sluice serve project list'),
  })
})

test('a project is removed with all that is in it, after a confirmation, beside a running service', async () => {
  const client = await start()
  const { projects, data_dir } = client.service
  const dir = ['--data-dir', data_dir]
  const { project_id } = projects.create('Office')
  const office = client.as({ project_id })
  await office.upload('the rent is due in May')
  await office.upload('x'.repeat(200_000))
  const kept = await client.upload('y'.repeat(200_000))
  await office.ask('rent')
  const slot = await office.slot()
  const objects = () => readdirSync(join(data_dir, 'objects'))
  const passages = () => {
    const index = openSqliteReadOnly(join(data_dir, 'passages.db'), 'any format')
    const count = Number(
      index.prepare('SELECT count(*) FROM files WHERE last >= first').pluck().get(),
    )
    index.close()
    return count
  }
  expect(objects()).toHaveLength(2)
  const asked = await sluice('serve', 'project', 'remove', 'Office', ...dir)
  expect([asked.code, asked.err]).toEqual([
    64,
    expect.stringContaining('3 assets, 1 chat, 0 members'),
  ])
  expect(asked.err).toContain(`sluice serve project remove ${project_id} --yes`)
  expect((await office.get('/v1/assets')).status).toBe(200)

  const removed = await sluice('serve', 'project', 'remove', project_id, '--yes', ...dir)
  expect([removed.code, removed.err]).toEqual([
    0,
    expect.stringContaining(`Office (${project_id}) is removed`),
  ])
  expect((await office.get('/v1/assets')).body.code).toBe('publicapi.tenancy.project.not_found')
  expect((await put(slot, 'late')).status).toBe(404)
  expect(projects.list()).toMatchObject([{ name: 'tests' }])
  expect((await client.get(`/v1/projects?after_id=${project_id}`)).body.data).toHaveLength(1)
  expect(objects()).toHaveLength(1)
  expect(client.statusOf(kept)).toBe('ready')
  // The next work of the service takes the passages of removed files out of the index.
  const before = passages()
  await client.upload('another')
  await until(() => passages() < before)
  expect((await client.ask('When is the rent due?')).response).not.toContain('May')
})
