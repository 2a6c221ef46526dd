import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, put, start, temporaryFolder, until } from '../fixture.ts'

async function sent(
  client: Client,
  bytes: string | Buffer,
  filename = 'a.txt',
  mime_type = 'text/plain',
): Promise<string> {
  const slot = await client.slot({ filename, mime_type })
  await put(slot, bytes)
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  return slot.asset_id
}

test('B-20 an asset is uploaded, then ingesting until it has been read, then ready', async () => {
  const clock = new FakeClock()
  const client = await start({ clock, ingest: { delay_ms: 5_000 } })
  const slot = await client.slot()
  const status = async () => (await client.get(`/v1/assets/${slot.asset_id}`)).body.status
  expect(await status()).toBe('uploaded')
  await put(slot, 'text')
  expect(await status()).toBe('uploaded')
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  expect(await status()).toBe('ingesting')
  await clock.advance(4_999)
  expect(await status()).toBe('ingesting')
  await clock.advance(1)
  await until(async () => (await status()) === 'ready')
})

test('B-20 reading continues after a restart', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir, ingest: { delay_ms: 60_000 } })
  const asset_id = await sent(first, 'The lighthouse keeper is called Runa.')
  await first.service.close()
  const clock = new FakeClock(Date.now() + 61_000)
  const second = await start({ data_dir, clock })
  await until(() => second.statusOf(asset_id) === 'ready')
  const { response } = await second.ask('Who keeps the lighthouse?')
  expect(response).toContain('The lighthouse keeper is called Runa.')
})

test('B-20 many assets are read at once, each one once', async () => {
  const client = await start({ ingest: { concurrency: 3 } })
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, at) => sent(client, `file number ${at}`)),
  )
  await until(() => ids.every((id) => client.statusOf(id) === 'ready'))
})

test.each<[string, Buffer | string, string, string, string]>([
  ['plain text', 'text', 'a.txt', 'text/plain', 'ready'],
  ['Markdown', '# text', 'a.md', 'text/markdown', 'ready'],
  ['HTML', '<p>text</p>', 'a.html', 'text/html', 'ready'],
  ['CSV', 'a,b\n1,2\n', 'a.csv', 'text/csv', 'ready'],
  ['JSON', '{"a":1}', 'a.json', 'application/json', 'ready'],
  ['text of an unknown type', 'text', 'README', 'application/octet-stream', 'ready'],
  ['an empty file', '', 'a.txt', 'text/plain', 'failed'],
  ['a rule without a word', '-----', 'a.txt', 'text/plain', 'failed'],
  ['NUL bytes', Buffer.from('a\0b'), 'a.txt', 'text/plain', 'failed'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a.txt', 'text/plain', 'failed'],
  ['text under the name of a PDF', 'text', 'a.pdf', 'application/octet-stream', 'ready'],
  ['text under the type of an image', 'text', 'a', 'image/png', 'ready'],
])(
  'B-24 a readable file becomes ready, any other one failed: %s',
  async (_what, bytes, filename, mime_type, status) => {
    const client = await start()
    expect(client.statusOf(await client.upload(bytes, filename, mime_type))).toBe(status)
  },
)

test('B-24 a file above the limit fails, without being read', async () => {
  const client = await start({ ingest: { max_bytes: 1_000 } })
  expect(client.statusOf(await client.upload('x '.repeat(501)))).toBe('failed')
  expect(client.statusOf(await client.upload('x '.repeat(500)))).toBe('ready')
})

test('a file that is lost on the disk fails alone', async () => {
  const lines: string[] = []
  const clock = new FakeClock()
  const client = await start({
    clock,
    ingest: { delay_ms: 5_000 },
    log: (line) => lines.push(line),
  })
  const lost = await sent(client, 'x\n'.repeat(50_000))
  const folder = join(client.service.data_dir, 'objects')
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  const kept = await sent(client, 'small')
  await clock.advance(5_000)
  await until(() => client.statusOf(kept) === 'ready')
  expect(client.statusOf(lost)).toBe('failed')
  expect(lines.join()).toContain(
    `the file a.txt (${lost}) failed, it cannot be read: its bytes cannot be read from the disk`,
  )
})

test('passages of a removed asset leave the index', async () => {
  const client = await start()
  const asset_id = await client.upload('The secret of the orchard is quince.')
  expect((await client.ask('What is the secret of the orchard?')).response).toContain('quince')
  await client.delete(`/v1/assets/${asset_id}`)
  expect((await client.ask('What is the secret of the orchard?')).response).not.toContain('quince')
})

test('B-20 ready stays true when the index was removed: it is rebuilt before any question', async () => {
  const data_dir = temporaryFolder()
  const lines: string[] = []
  const first = await start({ data_dir })
  await first.upload('The keeper of the northern lock is called Sunniva.')
  await first.upload('It stands at the quay.')
  await first.service.close()
  for (const file of ['passages.db', 'passages.db-wal', 'passages.db-shm'])
    rmSync(join(data_dir, file), { force: true })
  const second = await start({ data_dir, log: (line) => lines.push(line) })
  expect(lines).toEqual(['the index of passages was incomplete: 2 assets were read again'])
  expect((await second.ask('Who keeps the northern lock?')).response).toContain('Sunniva')
})

test('a damaged index is reported at the start, with what to do', async () => {
  const data_dir = temporaryFolder()
  writeFileSync(join(data_dir, 'passages.db'), 'this is no database'.repeat(100))
  await expect(start({ data_dir })).rejects.toThrow(/passages\.db/)
  rmSync(join(data_dir, 'passages.db'))
  await start({ data_dir })
})
