import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../rig/waiting.ts'
import { CallError, clientOf, type PublicClient } from './calls.ts'
import { method_count, methods, other_calls, recordCalls } from './methods.ts'
import { compiler, profiles, proxy, type Served, serve, tool, user } from './programs.ts'
import { type Watch, watchCalls } from './watched-fetch.ts'

const schedule = { hour: '9,17', weekday: 'mon-fri', month_day: '*/2', timezone: 'Europe/Berlin' }
const turns = ['one', 'two', 'three'].map((text, at) => ({
  speaker: at,
  source: 'mic',
  text,
  start: at,
  end: at + 0.5,
}))

async function statusOf(call: Promise<unknown>): Promise<number | undefined> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof CallError ? error.status : undefined
}

describe.each(profiles)('the %s profile', (profile) => {
  let served: Served
  let prism: Awaited<ReturnType<typeof proxy>>
  let watch: Watch
  let client: PublicClient
  let project: string
  const made = new Set<string>()

  beforeAll(async () => {
    served = await serve(profile)
    prism = await proxy(served)
    watch = watchCalls(readFileSync(served.description, 'utf8'))
    const options = { base_url: prism.url, key: served.key, fetch: watch.fetch }
    const { project_id } = await clientOf({ ...options, project: '' }).projects.create({
      name: 'Client',
    })
    project = project_id
    client = recordCalls(clientOf({ ...options, project }), made)
  })

  afterEach(() => expect(watch.takeViolations(), 'what Prism found').toEqual([]))

  afterAll(async () => {
    await prism?.stop()
    await served?.stop()
  })

  test('the calls of the public client fit the types that are generated from the description', () => {
    tool('openapi-typescript', [served.description, '--output', `generated/${profile}.d.ts`])
    const config = `generated/tsconfig.${profile}.json`
    const compilerOptions = { paths: { '#description': [`./${profile}.d.ts`] } }
    const include = ['../*.ts']
    writeFileSync(
      new URL(config, import.meta.url),
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include }),
    )
    tool(compiler, ['-p', config])
  })

  test('Spectral finds no error in the description', () => {
    tool('spectral', [
      'lint',
      served.description,
      '--ruleset',
      'spectral.yaml',
      '--fail-severity',
      'error',
    ])
  })

  test('Redocly finds no error in the description', () => {
    tool('redocly', ['lint', served.description, '--config', 'redocly.yaml'])
  })

  test('projects: all in one answer, replaced as a whole, with members and invitations', async () => {
    const { projects } = client
    const { project_id } = await projects.create({ name: 'Finance', description: 'All of it' })
    const all = await projects.list()
    expect([all.data.length, all.has_more]).toEqual([2, false])
    expect(all.data.filter((each) => each.default)).toHaveLength(1)
    expect(await projects.update(project_id, { name: 'Money' })).toMatchObject({
      project_id,
      name: 'Money',
      default: false,
      role: 'owner',
    })
    const [member] = (await projects.members(project_id)).data
    expect(member).toMatchObject({ email: user, role: 'owner', join_method: 'created' })
    const guest = { email: 'bob@example.org', role: 'reader' } as const
    const invitation = await projects.invite(project_id, guest)
    const again = await projects.invite(project_id, guest)
    expect(again, 'the same invitation, with a new link').toEqual({ ...invitation, url: again.url })
    expect(invitation).toMatchObject(guest)
    await projects.uninvite(project_id, invitation.invitation_id)
    expect(await statusOf(projects.uninvite(project_id, invitation.invitation_id))).toBe(404)
  })

  test('labels', async () => {
    const { labels } = client
    const label = await labels.create({ name: 'Contracts', color: '#2f80ed', icon: 'folder' })
    expect(await labels.create({ name: 'Contracts' })).toEqual(label)
    expect(await labels.get(label.label_id)).toEqual(label)
    expect((await labels.list()).data).toEqual([label])
    expect(await labels.update(label.label_id, { name: 'Leases' })).toEqual({
      ...label,
      name: 'Leases',
    })
    await labels.delete(label.label_id)
    expect(await statusOf(labels.get(label.label_id))).toBe(404)
  })

  test('skills', async () => {
    const { skills } = client
    const fields = {
      name: 'terms',
      content: 'Name the terms.',
      scope: 'project',
      category: 'skill',
    } as const
    const skill = await skills.create({
      ...fields,
      display_name: 'Terms',
      description: 'What is agreed',
      icon: 'star',
    })
    expect(skill).toMatchObject({ ...fields, enabled: true })
    expect((await skills.disable(skill.skill_id)).enabled).toBe(false)
    expect((await skills.enable(skill.skill_id)).enabled).toBe(true)
    expect(await skills.update(skill.skill_id, { content: 'Name the dates.' })).toMatchObject({
      name: 'terms',
    })
    expect(await skills.get(skill.skill_id)).toMatchObject({ content: 'Name the dates.' })
    expect((await skills.list()).data.map(({ name }) => name)).toContain('terms')
    await skills.delete(skill.skill_id)
  })

  test('memories: with a scope, and any integer as importance', async () => {
    const { memories } = client
    const fields = { content: 'The year ends in June.', category: 'fact' } as const
    const own = await memories.create({ ...fields, importance: 1_000 })
    expect([own.scope, own.importance]).toEqual(['user', 1_000])
    expect(await memories.create({ ...fields, importance: -1, scope: 'project' })).toMatchObject({
      scope: 'project',
    })
    expect(await memories.update(own.memory_id, { importance: 7 })).toMatchObject({
      ...fields,
      importance: 7,
    })
    expect(await memories.get(own.memory_id)).toMatchObject({ importance: 7 })
    expect((await memories.list()).data).toHaveLength(2)
    await memories.delete(own.memory_id)
  })

  test('actions: cron values, makers as a list, replaced as a whole, all in one answer', async () => {
    const { actions } = client
    const email = { to: [user], subject: 'News', include_date_in_subject: true }
    const action = await actions.create({
      name: 'Digest',
      prompt: 'What is new?',
      schedule,
      email,
      description: 'Daily',
    })
    expect(action).toMatchObject({ schedule, email, enabled: true })
    const trigger = { kind: 'asset_ready', created_by: ['user_1', 'user_2'] }
    const replaced = await actions.update(action.action_id, {
      name: 'On arrival',
      prompt: 'What came?',
      trigger,
    })
    const { action_id, created_at, modified_at } = replaced
    const whole = { name: 'On arrival', prompt: 'What came?', trigger, enabled: true }
    expect(replaced).toEqual({ action_id, ...whole, created_at, modified_at })
    expect((await actions.disable(action_id)).enabled).toBe(false)
    expect((await actions.enable(action_id)).enabled).toBe(true)
    expect(await actions.get(action_id)).toMatchObject(whole)
    for (let made = 0; made < 26; made++)
      await actions.create({ name: 'More', prompt: 'x', trigger, enabled: false })
    const { data, has_more } = await actions.list()
    expect([data.length, has_more]).toEqual([27, false])
    await actions.delete(action_id)
  })

  test('sessions: a state, speakers as integers, the transcript page by page', async () => {
    const { sessions } = client
    const session = await sessions.create({ name: 'Weekly', description: 'In the hall', turns })
    expect(session).toMatchObject({ state: 'ended', turns })
    const { session_id } = session
    const page = await sessions.transcript(session_id, { limit: 2 })
    const rest = await sessions.transcript(session_id, { limit: 2, after_id: page.last_id! })
    expect([...page.data, ...rest.data]).toMatchObject(turns)
    expect(await sessions.update(session_id, { name: 'Monthly' })).toMatchObject({
      name: 'Monthly',
      turns,
    })
    expect(await sessions.get(session_id)).toMatchObject({ name: 'Monthly' })
    expect((await sessions.list()).data).toMatchObject([{ session_id, state: 'ended' }])
    await sessions.delete(session_id)
  })

  test('assets: a slot, its bytes, and a record until it is ready', async () => {
    const { assets } = client
    const slot = await assets.create({ filename: 'lease.txt', mime_type: 'text/plain' })
    const { asset_id, upload_url = '', upload_method = '', upload_headers = {} } = slot
    const put = await fetch(upload_url, {
      method: upload_method,
      headers: upload_headers,
      body: 'The rent is due.',
    })
    expect(put.status).toBe(201)
    await assets.complete(asset_id)
    await until('the asset is ready', async () => (await assets.get(asset_id)).status === 'ready')
    expect(await assets.update(asset_id, { name: 'Lease' })).toMatchObject({
      filename: 'lease.txt',
    })
    const label = await assets.attach(asset_id, 'Leases')
    expect((await assets.list()).data).toMatchObject([{ asset_id, labels: [label] }])
    await assets.detach(asset_id, label.label_id)
    const { chat_id } = await client.chats.start({
      prompt: 'When is the rent due?',
      scope: { asset_ids: [asset_id] },
    })
    expect(await client.chats.get(chat_id)).toMatchObject({ chat_id })
    await assets.delete(asset_id)
  })

  test('chats: asked, asked again, read until each answer is written', async () => {
    const { chats } = client
    const { chat_id, message_id } = await chats.start({ prompt: 'What is new?' })
    const answered = async (id: string) => {
      // A young message can be unknown for a moment.
      const message = await chats.message(chat_id, id).catch(() => undefined)
      return message?.response !== undefined
    }
    await until('the answer is written', () => answered(message_id))
    const second = (await chats.append(chat_id, 'And now?')).message_id
    await until('the second answer is written', () => answered(second))
    const { messages } = await chats.messages(chat_id)
    expect(messages.map((message) => message.message_id ?? message.id)).toEqual([
      message_id,
      second,
    ])
    expect(await chats.update(chat_id, 'News')).toMatchObject({ title: 'News' })
    expect((await chats.list()).data).toContainEqual(await chats.get(chat_id))
    await chats.deleteMessage(chat_id, second)
    await chats.delete(chat_id)
  })

  test('every call of the description was made', async () => {
    expect(await client.description()).toContain('openapi')
    expect(watch.missing()).toEqual([])
  })

  test('each of the 64 methods of the public client has its calls, which were made, or a reason why not', async () => {
    expect(Object.keys(methods)).toHaveLength(method_count)
    const stands_for = [
      ...other_calls,
      ...Object.values(methods).flatMap((calls) => ('why' in calls ? [] : calls)),
    ]
    expect([...made].sort()).toEqual([...new Set(stands_for)].sort())
    for (const [method, unserved] of Object.entries(methods)) {
      if (!('why' in unserved)) continue
      const [verb, path = ''] = unserved.request.split(' ')
      const headers = {
        'X-API-Key': served.key,
        'X-Project-Id': project,
        'Content-Type': 'application/json',
      }
      const answer = await fetch(served.url + path.replace(/\{\w+\}/g, 'x'), {
        method: verb!,
        headers,
      })
      const { code, statusCode } = (await answer.json()) as { code: string; statusCode: number }
      expect([answer.status, code, statusCode], method).toEqual([
        404,
        'publicapi.route.not_found',
        404,
      ])
    }
  })
})
