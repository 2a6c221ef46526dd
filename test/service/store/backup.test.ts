import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpService } from '../../../src/service/store/backup.ts'
import { md5Of, put, start, temporaryFolder } from '../fixture.ts'

const large = 'The heron waits in the reeds.\n'.repeat(10_000)

test('a copy beside the running service is a complete data folder: files, chats, tokens and all', async () => {
  const client = await start()
  const small_id = await client.upload('The ferry leaves at noon.', 'small.txt')
  const large_id = await client.upload(large, 'large.txt')
  const removed_id = await client.upload(`${large}once`, 'removed.txt')
  const { chat_id, message_id } = await client.ask('ferry')
  // An upload in progress: half of it may be there, but no row names it.
  const open = await client.slot()
  await client.delete(`/v1/assets/${removed_id}`)

  const folder = join(temporaryFolder(), 'copy')
  const made = backUpService(client.service.data_dir, folder)
  expect(made).toEqual({ assets: 3, objects: 1, removed: 0 })
  expect(readdirSync(folder).sort()).toEqual(['objects', 'service.db'])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'service.db')).mode & 0o777).toBe(0o600)
  for (const file of readdirSync(join(folder, 'objects'))) {
    expect(statSync(join(folder, 'objects', file)).mode & 0o777).toBe(0o600)
  }
  expect((await put(open, 'late')).status).toBe(201)
  await client.service.close()

  const again = await start({ data_dir: folder })
  const owner = again.as({ token: client.token })
  expect(owner.statusOf(small_id)).toBe('ready')
  expect(md5Of(again.service.readBlob(large_id))).toBe(md5Of(large))
  expect((await owner.get(`/v1/chats/${chat_id}/messages/${message_id}`)).body.response).toContain(
    'noon',
  )
  const asked = await owner.ask('heron')
  const answer = await owner.get(`/v1/chats/${asked.chat_id}/messages/${asked.message_id}`)
  expect(answer.body.response).toContain('waits in the reeds')
  const next_id = await owner.upload('New after the copy.')
  expect(next_id > large_id).toBe(true)
})

test('a copy overwrites nothing, and fails without a service', async () => {
  const client = await start()
  const folder = join(temporaryFolder(), 'copy')
  backUpService(client.service.data_dir, folder)
  expect(() => backUpService(client.service.data_dir, folder)).toThrow('already exists')
  const nowhere = join(temporaryFolder(), 'other')
  expect(() => backUpService(temporaryFolder(), nowhere)).toThrow('there is no database')
  expect(() => statSync(nowhere)).toThrow('ENOENT')
})
