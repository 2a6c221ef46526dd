import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, until } from '../fixture.ts'
import {
  call,
  makeAccount,
  makeSlot,
  type ServiceProcess,
  serve,
  startInProcess,
  statusIs,
  uploadHalf,
} from '../service-process.ts'

/** Too much for the database: it goes into a file. */
const bytes = Buffer.from('The heron waits in the reeds.\n'.repeat(10_000))
const objectsIn = (data_dir: string) => readdirSync(join(data_dir, 'objects'))
const complete = (
  service: ServiceProcess,
  account: ReturnType<typeof makeAccount>,
  asset_id: string,
) => call(`${service.api}/v1/assets/${asset_id}/complete`, account, {})

test('after a kill during an upload nothing of it is left, and the slot takes the bytes on the same ticket', async () => {
  const account = makeAccount()
  const first = await serve(account.data_dir)
  const slot = await makeSlot(first, account)
  const upload = uploadHalf(slot, bytes)
  await until(() => objectsIn(account.data_dir).length === 1, 'the upload is on its way')
  expect(await first.end('SIGKILL')).toBe('SIGKILL')
  await upload.closed
  expect(objectsIn(account.data_dir)).toHaveLength(1)

  const second = await serve(account.data_dir, ['--blob-port', new URL(first.blob).port])
  expect(objectsIn(account.data_dir)).toEqual([])
  const early = await complete(second, account, slot.asset_id)
  expect([early.status, early.body.code]).toEqual([400, 'publicapi.asset.complete.bytes_missing'])
  expect((await put(slot, bytes)).status).toBe(201)
  expect((await complete(second, account, slot.asset_id)).status).toBe(200)
  await statusIs(second, account, slot.asset_id, 'ready')
})

test('after a kill between the object and its row the object is removed at the start; others stay', async () => {
  const account = makeAccount()
  const first = await serve(account.data_dir)
  const slot = await makeSlot(first, account)
  expect((await put(slot, bytes)).status).toBe(201)
  await first.end('SIGKILL')
  const [kept] = objectsIn(account.data_dir)
  writeFileSync(join(account.data_dir, 'objects', '00000000-0000-4000-8000-000000000000'), bytes)

  const second = await serve(account.data_dir)
  expect(objectsIn(account.data_dir)).toEqual([kept])
  expect((await complete(second, account, slot.asset_id)).status).toBe(200)
  await statusIs(second, account, slot.asset_id, 'ready')
})

test('a row whose object is lost ends failed, before complete and after it, and delays no others', async () => {
  const account = makeAccount()
  const first = await serve(account.data_dir, ['--ingest-delay', '1500'])
  const accepted = await makeSlot(first, account, 'accepted.txt')
  const stored = await makeSlot(first, account, 'stored.txt')
  for (const slot of [accepted, stored]) expect((await put(slot, bytes)).status).toBe(201)
  expect((await complete(first, account, accepted.asset_id)).status).toBe(200)
  await first.end('SIGKILL')
  for (const file of objectsIn(account.data_dir)) rmSync(join(account.data_dir, 'objects', file))

  const second = await serve(account.data_dir)
  expect((await complete(second, account, stored.asset_id)).status).toBe(200)
  await statusIs(second, account, accepted.asset_id, 'failed')
  await statusIs(second, account, stored.asset_id, 'failed')
  const next = await makeSlot(second, account)
  await put(next, bytes)
  await complete(second, account, next.asset_id)
  await statusIs(second, account, next.asset_id, 'ready')
  expect(second.err()).toContain(
    `the file accepted.txt (${accepted.asset_id}) failed, it cannot be read: `,
  )
})

test('after a kill during reading each file is read once after the restart, and found', async () => {
  const account = makeAccount()
  const first = await serve(account.data_dir)
  const ids: string[] = []
  for (let file = 0; file < 12; file++) {
    const slot = await makeSlot(first, account, `${file}.txt`)
    const text = Array.from(
      { length: 40_000 },
      (_, line) => `file ${file} has heron${file} in line ${line}`,
    ).join('\n')
    await put(slot, Buffer.from(text))
    await complete(first, account, slot.asset_id)
    ids.push(slot.asset_id)
  }
  const statuses = async (service: ServiceProcess) => {
    const { body } = await call(`${service.api}/v1/assets?limit=100`, account)
    return (body.data as { status: string }[]).map(({ status }) => status)
  }
  expect(await statuses(first)).toContain('ingesting')
  await first.end('SIGKILL')
  const second = await serve(account.data_dir)
  await until(
    async () => (await statuses(second)).every((status) => status === 'ready'),
    'every file is ready',
  )
  const started = await call(`${second.api}/v1/chats`, account, { prompt: 'heron11' })
  const path = `${second.api}/v1/chats/${started.body.chat_id}/messages/${started.body.message_id}`
  let answer = ''
  await until(async () => {
    const { body } = await call(path, account)
    answer = body.response ?? ''
    return body.status === 'done'
  }, 'the answer is written')
  expect(answer).toContain('file 11 has heron11')
  expect(await second.end('SIGTERM')).toBe(0)
})

test('slots that expired while the service was down are gone after the start; one with bytes stays for a day', async () => {
  const account = makeAccount()
  const first = await startInProcess(account.data_dir, { ticket_lifetime_ms: 2_000 })
  const bare = await makeSlot(first, account)
  const filled = await makeSlot(first, account)
  expect((await put(filled, bytes)).status).toBe(201)
  await first.end('SIGKILL')
  await until(
    () => Date.now() > Date.parse(bare.expires_at) && Date.now() > Date.parse(filled.expires_at),
    'both expire',
  )

  const second = await serve(account.data_dir)
  await until(
    async () => (await call(`${second.api}/v1/assets/${bare.asset_id}`, account)).status === 404,
    'it is gone',
  )
  expect((await complete(second, account, filled.asset_id)).status).toBe(200)
  await statusIs(second, account, filled.asset_id, 'ready')
})
