import { expect, test } from 'vitest'
import { start } from '../fixture.ts'

test('D-01 labels are listed by name on one full page, whatever the limit', async () => {
  const client = await start()
  for (const name of ['pear', 'Apple', 'fig', 'apple']) await client.post('/v1/labels', { name })
  const { body } = await client.get('/v1/labels?limit=1')
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual([
    'Apple',
    'apple',
    'fig',
    'pear',
  ])
  expect(body.has_more).toBe(false)
  const rest = await client.get(`/v1/labels?after_id=${body.data[2].label_id}`)
  expect(rest.body.data.map(({ name }: { name: string }) => name)).toEqual(['pear'])
})

test('D-02 a label is made, read, changed and deleted; deleting it detaches it everywhere', async () => {
  const client = await start()
  const made = await client.post('/v1/labels', {
    name: 'Contracts',
    color: '#2f80ed',
    icon: 'folder',
  })
  expect([made.status, made.body]).toEqual([
    201,
    { label_id: expect.any(String), name: 'Contracts', color: '#2f80ed', icon: 'folder' },
  ])
  const path = `/v1/labels/${made.body.label_id}`
  expect((await client.get(path)).body).toEqual(made.body)
  expect((await client.post(path, { name: 'Leases' })).body).toEqual({
    ...made.body,
    name: 'Leases',
  })
  const asset_id = await client.upload('text')
  await client.post(`/v1/assets/${asset_id}/labels`, { label_name: 'Leases' })
  expect((await client.delete(path)).status).toBe(204)
  expect((await client.get('/v1/assets')).body.data[0].labels).toEqual([])
  expect((await client.get(path)).body.code).toBe('publicapi.label.not_found')
})

test('D-02 names have 2 to 255 characters, colours are #rrggbb', async () => {
  const client = await start()
  const bodies = [
    { name: 'x' },
    { name: 'x'.repeat(256) },
    { name: 'ok', color: 'red' },
    { name: 'ok', icon: '' },
  ]
  for (const body of bodies) expect((await client.post('/v1/labels', body)).status).toBe(400)
  expect((await client.post('/v1/labels', { name: 'x'.repeat(255) })).status).toBe(201)
})

test('D-03 the same name again is the existing label; two labels cannot get one name', async () => {
  const client = await start()
  const { body } = await client.post('/v1/labels', { name: 'Contracts', color: '#000000' })
  const again = await client.post('/v1/labels', { name: 'Contracts', color: '#ffffff' })
  expect([again.status, again.body]).toEqual([201, body])
  const other = (await client.post('/v1/labels', { name: 'Leases' })).body
  const taken = await client.post(`/v1/labels/${other.label_id}`, { name: 'Contracts' })
  expect([taken.status, taken.body.code]).toEqual([400, 'publicapi.label.name_taken'])
  expect((await client.post(`/v1/labels/${other.label_id}`, { name: 'Leases' })).status).toBe(200)
})

test('D-04 projects are listed with the default one marked, only those within reach of the key', async () => {
  const client = await start()
  const other = client.service.projects.create('other').project_id
  const { token } = client.service.tokens.create('narrow', { project_ids: [other] })
  const all = (await client.get('/v1/projects')).body
  expect(all.data).toEqual([
    { project_id: other, name: 'other', default: false, role: 'owner' },
    { project_id: client.project_id, name: 'tests', default: true, role: 'owner' },
  ])
  const reached = (await client.as({ token }).get('/v1/projects')).body
  expect(reached.data).toEqual([{ project_id: other, name: 'other', default: true, role: 'owner' }])
})
