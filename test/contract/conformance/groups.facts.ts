import { expect } from 'vitest'
import { type Api, fact, freshWord } from './api.ts'

interface Group {
  path: string
  id: string
  made: object
  seen: object
  change: object
  changed: object
  /** The fields of an item of the list, where it is not the whole record. */
  listed?: string[]
}

/** Makes, reads, lists, changes and deletes a record, with every field that was sent. */
async function lives(
  project: Api,
  { path, id, made, seen, change, changed, listed }: Group,
): Promise<void> {
  const api = await project.elsewhere()
  const record = await api.make(path, made)
  const { [id]: own_id, created_at, modified_at } = record
  expect(record).toEqual({ ...seen, [id]: own_id, created_at, modified_at })
  expect(own_id).toMatch(new RegExp(`^${id.replace('_id', '')}_[a-z0-9]{20}$`))
  expect(Number.isNaN(Date.parse(created_at) + Date.parse(modified_at))).toBe(false)
  const one = `${path}/${own_id}`
  expect((await api.get(one)).body).toEqual(record)
  const [item] = (await api.get(path)).body.data
  expect(item).toEqual(
    listed ? Object.fromEntries(listed.map((name) => [name, record[name]])) : record,
  )
  const reply = await api.post(one, change)
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({
    ...changed,
    [id]: own_id,
    created_at,
    modified_at: reply.body.modified_at,
  })
  expect(Number.isNaN(Date.parse(reply.body.modified_at))).toBe(false)
  expect((await api.get(one)).body).toEqual(reply.body)
  expect((await api.delete(one)).status).toBe(204)
  expect((await api.get(one)).status).toBe(404)
}

/** Switches a record off and on, each twice; everything else stays. */
async function switches(api: Api, path: string, id: string, made: object): Promise<void> {
  const record = await api.make(path, made)
  for (const [verb, enabled] of [
    ['disable', false],
    ['disable', false],
    ['enable', true],
  ] as const) {
    const reply = await api.post(`${path}/${record[id]}/${verb}`)
    expect([reply.status, reply.body]).toEqual([
      200,
      { ...record, enabled, modified_at: reply.body.modified_at },
    ])
    expect(Number.isNaN(Date.parse(reply.body.modified_at))).toBe(false)
  }
}

const skill = () => ({
  name: freshWord(),
  content: 'Name the terms.',
  scope: 'project',
  category: 'skill',
  display_name: 'Terms',
  description: 'What is agreed',
  icon: 'star',
})
const schedule = { hour: '9,17', weekday: 'mon-fri', month_day: '*/2', timezone: 'Europe/Berlin' }
const email = { to: ['ada@example.org'], subject: 'News', include_date_in_subject: true }
const trigger = { kind: 'asset_ready', created_by: ['user_1', 'user_2'] }
const scope = { label_ids: [] as string[] }
const action = {
  name: 'Digest',
  description: 'Each Monday',
  prompt: 'What is new?',
  schedule,
  scope,
  email,
}
const turns = ['one', 'two', 'three'].map((text, at) => ({
  speaker: 1,
  source: 'mic',
  text,
  start: at,
  end: at + 1,
}))

export const facts_of_groups = [
  fact('D-01 labels are one full page, has_more always false', async (api) => {
    const fresh = await api.elsewhere()
    for (const name of ['one', 'two', 'three']) await fresh.make('/v1/labels', { name })
    const { data, has_more } = (await fresh.get('/v1/labels?limit=1')).body
    expect([data.length, has_more]).toEqual([3, false])
  }),

  fact(
    'D-02 a label is made with name, colour and icon, read, changed, deleted and so detached',
    async (api) => {
      const fresh = await api.elsewhere()
      const fields = { name: 'Contracts', color: '#2f80ed', icon: 'folder' }
      const label = await fresh.make('/v1/labels', fields)
      expect(label).toEqual({ ...fields, label_id: label.label_id })
      const path = `/v1/labels/${label.label_id}`
      expect((await fresh.get(path)).body).toEqual(label)
      expect((await fresh.get('/v1/labels')).body.data).toEqual([label])
      const changed = { ...label, name: 'Leases', color: '#ffffff' }
      expect((await fresh.post(path, { name: 'Leases', color: '#ffffff' })).body).toEqual(changed)
      const { asset_id } = await fresh.slot()
      await fresh.make(`/v1/assets/${asset_id}/labels`, { label_name: 'Leases' })
      expect((await fresh.delete(path)).status).toBe(204)
      expect((await fresh.get('/v1/assets')).body.data[0].labels).toEqual([])
      for (const wrong of [
        { name: 'x' },
        { name: 'xx', color: 'red' },
        { name: 'x'.repeat(256) },
      ]) {
        expect((await fresh.post('/v1/labels', wrong)).status).toBe(400)
      }
    },
  ),

  fact(
    'D-03 the same name again is the existing label; renaming to one in use: 400',
    async (api) => {
      const [first, second] = [freshWord(), freshWord()]
      const label = await api.make('/v1/labels', { name: first })
      expect(await api.make('/v1/labels', { name: first, icon: 'star' })).toEqual(label)
      const { label_id } = await api.make('/v1/labels', { name: second })
      expect((await api.post(`/v1/labels/${label_id}`, { name: first })).status).toBe(400)
    },
  ),

  fact('D-04 the projects within reach are listed, one of them the default', async (api) => {
    const fields = { name: freshWord(), description: 'Of the facts' }
    const project = await api.make('/v1/projects', fields)
    expect(project).toEqual({
      ...fields,
      project_id: project.project_id,
      default: false,
      role: 'owner',
    })
    await api.make('/v1/projects', { name: freshWord() })
    const { data, has_more } = (await api.get('/v1/projects?limit=1')).body
    expect([data.length > 1, has_more]).toEqual([true, false])
    expect(data).toContainEqual(project)
    for (const { project_id, name } of data)
      expect([typeof project_id, typeof name]).toEqual(['string', 'string'])
  }),

  fact(
    'D-05 a project is changed; a user who is invited twice has one invitation, which is then withdrawn',
    async (api) => {
      const { project_id } = await api.make('/v1/projects', { name: 'Finance' })
      const path = `/v1/projects/${project_id}`
      const changed = {
        project_id,
        name: 'Money',
        description: 'All of it',
        default: false,
        role: 'owner',
      }
      expect((await api.post(path, { name: 'Money', description: 'All of it' })).body).toEqual(
        changed,
      )
      expect((await api.post(path, { name: 'Money' })).body).toEqual({
        ...changed,
        description: undefined,
      })
      expect((await api.post(path, { description: 'No name' })).status).toBe(400)
      const members = (await api.get(`${path}/members`)).body
      expect(Array.isArray(members.data)).toBe(true)
      for (const { join_method } of members.data) expect(join_method).toMatch(/./)
      const sent = { email: `${freshWord()}@example.org`, role: 'reader' }
      const invitation = await api.make(`${path}/invitations`, sent)
      const { invitation_id, url, created_at, ...rest } = invitation
      expect([rest, URL.canParse(url), Number.isNaN(Date.parse(created_at))]).toEqual([
        sent,
        true,
        false,
      ])
      expect((await api.make(`${path}/invitations`, sent)).invitation_id).toBe(invitation_id)
      for (const wrong of [
        { ...sent, role: 'king' },
        { ...sent, email: 'nobody' },
      ]) {
        expect((await api.post(`${path}/invitations`, wrong)).status).toBe(400)
      }
      expect((await api.delete(`${path}/invitations/${invitation_id}`)).status).toBe(204)
      expect((await api.delete(`${path}/invitations/${invitation_id}`)).status).toBe(404)
    },
  ),

  fact('D-06 skills are made, read, listed, changed, switched and deleted', async (api) => {
    const made = skill()
    const seen = { ...made, enabled: true }
    const change = { content: 'Name the dates.' }
    await lives(api, {
      path: '/v1/skills',
      id: 'skill_id',
      made,
      seen,
      change,
      changed: { ...seen, ...change },
    })
    await switches(api, '/v1/skills', 'skill_id', skill())
    expect((await api.post('/v1/skills', { ...skill(), scope: 'world' })).status).toBe(400)
  }),

  fact('D-07 memories are made, read, listed, changed and deleted', async (api) => {
    const made = { content: 'The year ends in June.', category: 'fact', importance: 5 }
    const { scope: whose, memory_id } = await api.make('/v1/memories', made)
    expect(['user', 'project']).toContain(whose)
    await api.delete(`/v1/memories/${memory_id}`)
    const seen = { ...made, scope: whose }
    const changed = { ...seen, importance: 9 }
    await lives(api, {
      path: '/v1/memories',
      id: 'memory_id',
      made,
      seen,
      change: { importance: 9 },
      changed,
    })
    for (const fields of [
      { scope: 'user' },
      { scope: 'project', importance: -3 },
      { importance: 1_000 },
    ]) {
      expect(await api.make('/v1/memories', { ...made, ...fields })).toMatchObject(fields)
    }
    expect((await api.post('/v1/memories', { ...made, category: 'gossip' })).status).toBe(400)
  }),

  fact(
    'D-08 actions are made, read, listed, replaced as a whole, switched and deleted',
    async (api) => {
      await lives(api, {
        path: '/v1/actions',
        id: 'action_id',
        made: action,
        seen: { ...action, enabled: true },
        change: {
          name: 'Digest',
          prompt: 'What came?',
          trigger,
          description: 'At once',
          email,
          scope,
        },
        changed: {
          name: 'Digest',
          prompt: 'What came?',
          trigger,
          description: 'At once',
          email,
          scope,
          enabled: true,
        },
        listed: ['action_id', 'name', 'enabled', 'created_at'],
      })
      await switches(api, '/v1/actions', 'action_id', action)
      await switches(api, '/v1/actions', 'action_id', {
        name: 'On',
        prompt: 'x',
        trigger,
        enabled: true,
      })
      const { action_id } = await api.make('/v1/actions', action)
      const { schedule: _, ...replaced } = { ...action, trigger }
      const reply = await api.post(`/v1/actions/${action_id}`, replaced)
      expect(reply.body).toMatchObject(replaced)
      expect(
        await api.post(`/v1/actions/${action_id}`, action).then(({ body }) => body),
      ).toMatchObject(action)
      expect((await api.get(`/v1/actions/${action_id}`)).body).toMatchObject(action)
      expect((await api.make('/v1/actions', replaced)).trigger).toEqual(trigger)
      expect((await api.post('/v1/actions', { ...action, trigger })).status).toBe(400)
      expect((await api.post('/v1/actions', { name: 'No time', prompt: 'x' })).status).toBe(400)
      const { data, has_more } = (await api.get('/v1/actions?limit=1')).body
      expect([data.length > 1, has_more]).toEqual([true, false])
    },
  ),

  fact(
    'D-09 sessions are made, read, listed, changed and deleted; turns are read page by page',
    async (api) => {
      const made = { name: 'Weekly', description: 'In the big room', turns }
      const seen = { ...made, state: 'ended' }
      const changed = { ...seen, description: 'in the hall', state: 'active' }
      const listed = ['session_id', 'name', 'description', 'state', 'created_at', 'modified_at']
      const change = { description: 'in the hall', state: 'active' }
      await lives(api, {
        path: '/v1/sessions',
        id: 'session_id',
        made,
        seen,
        change,
        changed,
        listed,
      })
      const { session_id } = await api.make('/v1/sessions', made)
      const path = `/v1/sessions/${session_id}/transcript`
      const first = (await api.get(`${path}?limit=2`)).body
      const rest = (await api.get(`${path}?limit=2&after_id=${first.last_id}`)).body
      const said = [...first.data, ...rest.data]
      expect(said.map(({ turn_id: _, ...turn }: { turn_id: string }) => turn)).toEqual(turns)
      expect([first.has_more, rest.has_more, first.first_id, rest.first_id, rest.last_id]).toEqual([
        true,
        false,
        said[0].turn_id,
        said[2].turn_id,
        said[2].turn_id,
      ])
    },
  ),
]
