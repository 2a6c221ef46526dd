import { expect, test } from 'vitest'
import { type Client, start } from '../fixture.ts'

interface Group {
  name: string
  id: string
  made: Record<string, unknown>
  /** The fields of `made` when it is read, beside its id and times. */
  seen: Record<string, unknown>
  change: Record<string, unknown>
  changed: Record<string, unknown>
  /** Each is a 400. */
  wrong: unknown[]
  /** The fields of an item of the list. */
  listed: string[]
}

const skill = { name: 'terms', content: 'Name the terms.', scope: 'project', category: 'skill' }
const schedule = { hour: '8', weekday: '1', month_day: '*', timezone: 'Europe/Berlin' }
const action = {
  name: 'Digest',
  prompt: 'What is new?',
  schedule,
  email: { to: ['ada@example.org'] },
}
const turns = ['one', 'two', 'three'].map((text, at) => ({
  speaker: 1,
  source: 'mic',
  text,
  start: at,
  end: at + 1,
}))

const groups: Group[] = [
  {
    name: 'skills',
    id: 'skill_id',
    made: skill,
    seen: { ...skill, enabled: true },
    change: { content: 'Name the dates.', icon: 'star' },
    changed: { ...skill, content: 'Name the dates.', icon: 'star', enabled: true },
    wrong: [
      { ...skill, scope: 'world' },
      { ...skill, category: 'other' },
      { ...skill, name: '' },
      { name: 'no more' },
    ],
    listed: [...Object.keys(skill), 'skill_id', 'enabled', 'created_at', 'modified_at'],
  },
  {
    name: 'memories',
    id: 'memory_id',
    made: { content: 'The year ends in June.', category: 'fact', importance: 5 },
    seen: { content: 'The year ends in June.', category: 'fact', importance: 5, scope: 'project' },
    change: { importance: 9 },
    changed: {
      content: 'The year ends in June.',
      category: 'fact',
      importance: 9,
      scope: 'project',
    },
    wrong: [
      { content: 'x', category: 'gossip', importance: 1 },
      { content: 'x', category: 'fact', importance: 1.5 },
      { content: '', category: 'fact', importance: 1 },
    ],
    listed: [
      'content',
      'category',
      'importance',
      'memory_id',
      'scope',
      'created_at',
      'modified_at',
    ],
  },
  {
    name: 'actions',
    id: 'action_id',
    made: action,
    seen: { ...action, enabled: true },
    // The whole is replaced: the mail is gone, and the trigger is another one.
    change: { name: 'Digest', prompt: 'What came?', trigger: { kind: 'asset_ready' } },
    changed: {
      name: 'Digest',
      prompt: 'What came?',
      trigger: { kind: 'asset_ready' },
      enabled: true,
    },
    wrong: [
      { name: 'Digest', prompt: 'x' },
      { ...action, trigger: { kind: 'asset_ready' } },
      { ...action, name: 'x' },
      { ...action, schedule: { ...schedule, hour: 8 } },
      ...['24', '', 'noon', '1-', '1,,2', '*/0', '1 2'].map((hour) => ({
        ...action,
        schedule: { ...schedule, hour },
      })),
      { ...action, schedule: { ...schedule, weekday: 'monday' } },
      { ...action, schedule: { ...schedule, month_day: '0' } },
      { name: 'Digest', prompt: 'x', trigger: { kind: 'asset_ready', created_by: 'ada' } },
      { ...action, schedule: { ...schedule, timezone: 'Europe/Atlantis' } },
      { ...action, email: { to: ['nobody'] } },
      { ...action, description: 'x'.repeat(257) },
    ],
    listed: ['action_id', 'name', 'enabled', 'created_at'],
  },
  {
    name: 'sessions',
    id: 'session_id',
    made: { name: 'Weekly', turns },
    seen: { name: 'Weekly', state: 'ended', turns },
    change: { description: 'in the big room', state: 'active' },
    changed: { name: 'Weekly', description: 'in the big room', state: 'active', turns },
    wrong: [
      { turns },
      { name: '' },
      { name: 'x', state: 'paused' },
      ...[{ start: -1 }, { speaker: 'Ada' }, { speaker: 1.5 }].map((wrong) => ({
        name: 'x',
        turns: [{ ...turns[0], ...wrong }],
      })),
      { name: 'x', brief: 'mine' },
    ],
    listed: ['session_id', 'name', 'state', 'created_at', 'modified_at'],
  },
]

const facts: Record<string, string> = {
  skills: 'D-06',
  memories: 'D-07',
  actions: 'D-08',
  sessions: 'D-09',
}

async function make(client: Client, { name, id, made }: Group): Promise<string> {
  const reply = await client.post(`/v1/${name}`, made)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body[id]
}

test.each(groups.map((group) => [facts[group.name], group.name, group] as const))(
  'D-06 D-07 D-08 D-09 %s %s are made, read, listed, changed and deleted',
  async (_fact, name, group) => {
    const client = await start()
    const id = await make(client, group)
    const kind = group.id.replace('_id', '')
    expect(id).toMatch(new RegExp(`^${kind}_[a-z0-9]{20}$`))
    const read = (await client.get(`/v1/${name}/${id}`)).body
    expect(read).toEqual({
      ...group.seen,
      [group.id]: id,
      created_at: read.created_at,
      modified_at: read.modified_at,
    })
    const [item] = (await client.get(`/v1/${name}`)).body.data
    expect(Object.keys(item).sort()).toEqual([...group.listed].sort())

    const change = await client.post(`/v1/${name}/${id}`, group.change)
    expect([change.status, change.body]).toEqual([200, expect.objectContaining(group.changed)])
    expect(Object.keys(change.body).sort()).toEqual(
      [...Object.keys(group.changed), group.id, 'created_at', 'modified_at'].sort(),
    )
    for (const wrong of group.wrong) {
      const reply = await client.post(`/v1/${name}`, wrong)
      expect(reply.status, JSON.stringify(wrong)).toBe(400)
    }
    expect((await client.get(`/v1/${name}/${id}`)).body).toEqual(change.body)

    expect((await client.delete(`/v1/${name}/${id}`)).status).toBe(204)
    for (const [method, path, body] of [
      ['GET', `/v1/${name}/${id}`],
      ['POST', `/v1/${name}/${id}`, group.change],
      ['DELETE', `/v1/${name}/${id}`],
    ] as const) {
      const reply = await client.call(method, path, { body })
      expect([reply.status, reply.body.code]).toEqual([404, `publicapi.${kind}.not_found`])
    }
  },
)

test.each(['skills', 'actions'])(
  'D-06 D-08 %s are switched off and on; repeating changes nothing',
  async (name) => {
    const client = await start()
    const id = await make(client, groups.find((group) => group.name === name)!)
    for (const [verb, enabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
    ] as const) {
      const reply = await client.post(`/v1/${name}/${id}/${verb}`)
      expect([reply.status, reply.body.enabled]).toEqual([200, enabled])
    }
  },
)

test('D-08 an action can be made switched off, and stays off when it is changed', async () => {
  const client = await start()
  const { action_id, enabled } = (await client.post('/v1/actions', { ...action, enabled: false }))
    .body
  expect(enabled).toBe(false)
  expect((await client.post(`/v1/actions/${action_id}`, action)).body.enabled).toBe(false)
})

test.each([
  [{ hour: '9' }, { hour: '9,17' }, { hour: '8-18/2' }, { hour: '*/3' }],
  [{ weekday: 'mon' }, { weekday: '1-5' }, { weekday: 'MON,Wed' }, { weekday: '7' }],
  [{ month_day: '1,15' }, { month_day: '31' }, { month_day: '01-07' }, { month_day: '*' }],
])('D-08 a field of a schedule is any cron value for its position: %o', async (...values) => {
  const client = await start()
  for (const value of values) {
    const sent = { ...schedule, ...value }
    expect((await client.post('/v1/actions', { ...action, schedule: sent })).body.schedule).toEqual(
      sent,
    )
  }
})

test.each(['default', 'hosted'] as const)(
  'D-04 D-08 projects and actions are one full page (%s)',
  async (profile) => {
    const client = await start({ profile })
    for (let made = 0; made < 3; made++) {
      await client.post('/v1/projects', { name: 'one more' })
      await client.post('/v1/actions', action)
    }
    for (const [path, count] of [
      ['/v1/projects', 4],
      ['/v1/actions', 3],
    ] as const) {
      const { data, has_more } = (await client.get(`${path}?limit=1`)).body
      expect([data.length, has_more], path).toEqual([count, false])
      expect((await client.get(`${path}?limit=0`)).status).toBe(400)
    }
  },
)

test('D-09 the turns of a session are read page by page, oldest first', async () => {
  const client = await start()
  const { session_id } = (await client.post('/v1/sessions', { name: 'Weekly', turns })).body
  const path = `/v1/sessions/${session_id}/transcript`
  const first = (await client.get(`${path}?limit=2`)).body
  expect([first.data.map(({ text }: { text: string }) => text), first.has_more]).toEqual([
    ['one', 'two'],
    true,
  ])
  const rest = (await client.get(`${path}?limit=2&after_id=${first.last_id}`)).body
  expect([rest.data.map(({ text }: { text: string }) => text), rest.has_more]).toEqual([
    ['three'],
    false,
  ])
  const back = (await client.get(`${path}?before_id=${rest.last_id}&limit=1`)).body
  expect([back.data.map(({ text }: { text: string }) => text), back.has_more]).toEqual([
    ['two'],
    true,
  ])
  expect((await client.get(`${path}?after_id=turn_00000000000000000009`)).body.code).toBe(
    'publicapi.cursor.unknown',
  )
  expect((await client.get(`${path}?after_id=turn_x0000000000000000009`)).body.code).toBe(
    'publicapi.cursor.unknown',
  )
})

test('D-06 a user never has two skills with one name', async () => {
  const client = await start()
  const first = (await client.post('/v1/skills', skill)).body.skill_id
  expect((await client.post('/v1/skills', skill)).body.code).toBe('publicapi.skill.name_taken')
  const second = (await client.post('/v1/skills', { ...skill, name: 'dates' })).body.skill_id
  expect((await client.post(`/v1/skills/${second}`, { name: 'terms' })).body.code).toBe(
    'publicapi.skill.name_taken',
  )
  expect((await client.post(`/v1/skills/${first}`, { name: 'terms' })).status).toBe(200)
})

test('C-03 a chat names skills that the caller can use and that are on', async () => {
  const client = await start()
  const { skill_id } = (await client.post('/v1/skills', skill)).body
  const ask = (skills: string[]) => client.post('/v1/chats', { prompt: 'x', skills })
  expect((await ask(['terms'])).status).toBe(202)
  expect((await ask(['terms', 'other'])).body.code).toBe('publicapi.chat.skill.unknown')
  await client.post(`/v1/skills/${skill_id}/disable`)
  expect((await ask(['terms'])).body.code).toBe('publicapi.chat.skill.disabled')
})
