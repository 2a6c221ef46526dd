import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { service_migrations } from '../../../src/service/store/schema.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { startService } from '../../rig/local-service.ts'
import { Client, start, temporaryFolder, until } from '../fixture.ts'
import { modelFile } from './assistant-file.ts'
import { completion, type OutsideServer, outsideServer, silence } from './outside-server.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Starts `sluice serve` in a process of its own and returns its address. */
async function serve(
  data_dir: string,
  config: string,
): Promise<{ child: ChildProcess; api: string }> {
  const words = ['serve', '--data-dir', data_dir, '--assistant-config', config]
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return { child, api: (JSON.parse(line) as { api: string }).api }
}

/** The data of a project, and a user with a skill and a memory of their own. */
async function dataWithProject(): Promise<{ data_dir: string; headers: Record<string, string> }> {
  const data_dir = temporaryFolder()
  const service = await startService({ data_dir })
  const { project_id } = service.projects.create('killed')
  const email = 'ada@example.org'
  service.users.create(email)
  const { token } = service.tokens.create('test', { user: email })
  const owner = new Client(service, project_id, service.tokens.create('owner').token)
  service.members.add(email, project_id, 'collaborator')
  const ada = owner.as({ token })
  await ada.post('/v1/skills', {
    name: 'terse',
    content: 'One sentence only.',
    scope: 'user',
    category: 'skill',
  })
  await ada.post('/v1/memories', {
    content: 'I am the harbour master.',
    category: 'identity',
    importance: 5,
  })
  await service.close()
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  return { data_dir, headers }
}

const asked = (server: OutsideServer, count: number) =>
  until(() => server.received.length === count, `${count} calls`)

test('C-17 a turn whose service is killed twice is asked again with all its options and ends done', async () => {
  const model = await outsideServer(silence)
  const config = modelFile(model.origin)
  const { data_dir, headers } = await dataWithProject()
  const first = await serve(data_dir, config)
  const turn = {
    prompt: 'When does the harbour close?',
    intelligence: 'expert',
    provider: 'openai',
    skills: ['terse'],
  }
  const started = await fetch(`${first.api}/v1/chats`, {
    method: 'POST',
    headers,
    body: JSON.stringify(turn),
  })
  const { chat_id, message_id } = (await started.json()) as Record<string, string>
  await asked(model, 1)
  first.child.kill('SIGKILL')
  const second = await serve(data_dir, config)
  await asked(model, 2)
  second.child.kill('SIGKILL')
  model.reply(completion('Nine.'))
  const third = await serve(data_dir, config)
  let message: Record<string, string> = {}
  await until(async () => {
    const answer = await fetch(`${third.api}/v1/chats/${chat_id}/messages/${message_id}`, {
      headers,
    })
    message = (await answer.json()) as Record<string, string>
    return message.status !== 'running'
  })
  expect([message.status, message.response]).toEqual(['done', 'Nine.'])
  expect(model.received.map(({ body }) => body)).toEqual(Array(3).fill(model.received[0]!.body))
  expect(model.received[0]!.body).toMatchObject({ model: 'large-o', reasoning_effort: 'medium' })
  const [{ content }] = model.received[0]!.body.messages
  expect([content.includes('One sentence only.'), content.includes('harbour master')]).toEqual([
    true,
    true,
  ])
})

test('C-17 a stop does not wait for a model; a turn older than its deadline is still asked at the next start', async () => {
  const model = await outsideServer(silence)
  const data_dir = temporaryFolder()
  const assistant_config = modelFile(model.origin)
  const first = await start({ data_dir, assistant_config })
  const { chat_id, message_id } = (await first.post('/v1/chats', { prompt: 'x' })).body
  await asked(model, 1)
  const begun = performance.now()
  await first.service.close()
  expect(performance.now() - begun).toBeLessThan(5_000)
  model.reply(completion('Late, but here.'))
  const second = await start({
    data_dir,
    assistant_config,
    clock: new FakeClock(Date.now() + 3_600_000),
  })
  expect(await second.answer(chat_id, message_id)).toBe('Late, but here.')
})

test('C-17 a turn from before options were kept is answered as one without any', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir, answer_delay_ms: 60_000 })
  const { chat_id, message_id } = (
    await first.post('/v1/chats', { prompt: 'x', intelligence: 'research' })
  ).body
  await first.service.close()
  const database = openSqlite({
    file: join(data_dir, 'service.db'),
    migrations: service_migrations,
    synchronous: 'FULL',
  })
  database.exec('UPDATE messages SET options = NULL')
  database.close()
  const second = await start({ data_dir, clock: new FakeClock(Date.now() + 61_000) })
  expect(await second.answer(chat_id, message_id)).toContain('No language model wrote this answer')
})

test('C-08 turns of a chat are answered one after the other, and other chats meanwhile; a removed turn delays none', async () => {
  const model = await outsideServer(silence)
  // The timeout is longer than the test: only a removal ends the first turn.
  const client = await start({
    assistant_config: modelFile(model.origin, { model: { timeout_ms: 100_000 } }),
  })
  const first = (await client.post('/v1/chats', { prompt: 'first' })).body
  await asked(model, 1)
  const append = async (prompt: string) =>
    (await client.post(`/v1/chats/${first.chat_id}/messages`, { prompt })).body.message_id as string
  const second = await append('second')
  const third = await append('third')
  model.reply(completion('Here.'))
  expect((await client.ask('elsewhere')).response).toBe('Here.')
  const statusOf = async (id: string) =>
    (await client.get(`/v1/chats/${first.chat_id}/messages/${id}`)).body.status as string
  expect([await statusOf(second), await statusOf(third)]).toEqual(['running', 'running'])
  await client.delete(`/v1/chats/${first.chat_id}/messages/${first.message_id}`)
  await client.answer(first.chat_id, third)
  expect(await statusOf(second)).toBe('done')
  const prompts = model.received.map(({ body }) => body.messages.at(-1).content.split('\n')[0])
  expect(prompts).toEqual(['first', 'elsewhere', 'second', 'third'])
})

test('the service writes no more answers at once than configured, and all of them in the end', async () => {
  const model = await outsideServer(silence)
  const client = await start({ assistant_config: modelFile(model.origin, { answers_at_once: 3 }) })
  const turns = await Promise.all(
    Array.from(
      { length: 10 },
      async (_, at) => (await client.post('/v1/chats', { prompt: `turn ${at}` })).body,
    ),
  )
  await asked(model, 3)
  let [under_way, max] = [0, 0]
  const three = new EventEmitter().setMaxListeners(0)
  model.reply((response, received) => {
    max = Math.max(max, ++under_way)
    const answer = () => {
      under_way--
      completion('Here.')(response, received)
    }
    // The first answers wait until there are three, which shows that three at once are allowed.
    if (max < 3) three.once('there', answer)
    else {
      three.emit('there')
      setTimeout(answer, 20)
    }
  })
  // The first three are cut off, and asked again.
  await client.service.close()
  expect(model.received).toHaveLength(3)
  const again = await start({
    data_dir: client.service.data_dir,
    assistant_config: modelFile(model.origin, { answers_at_once: 3 }),
  })
  await Promise.all(turns.map(({ chat_id, message_id }) => again.answer(chat_id, message_id)))
  expect([max, model.received.length]).toEqual([3, 13])
})
