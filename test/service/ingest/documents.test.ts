import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { put, type Slot, start, temporaryFolder, until } from '../fixture.ts'
import { hostile_program } from '../reading/hostile-program.ts'
import { wordDocument } from './zip.ts'

const folder = join(import.meta.dirname, 'documents')
const fixture = (name: string) => readFileSync(join(folder, name))
const unknown_type = 'application/octet-stream'
const office = 'application/vnd.openxmlformats-officedocument'
const open_document = 'application/vnd.oasis.opendocument'

/** File, media type, and the word that stands in its middle and in no other. */
const kinds: readonly [string, string, string][] = [
  ['harbour.txt', 'text/plain', 'txt'],
  ['harbour.md', 'text/markdown', 'md'],
  ['harbour.html', 'text/html', 'html'],
  ['harbour.csv', 'text/csv', 'csv'],
  ['harbour.json', 'application/json', 'json'],
  ['harbour.pdf', 'application/pdf', 'pdf'],
  ['harbour.docx', `${office}.wordprocessingml.document`, 'docx'],
  ['harbour.xlsx', `${office}.spreadsheetml.sheet`, 'xlsx'],
  ['harbour.pptx', `${office}.presentationml.presentation`, 'pptx'],
  ['harbour.odt', `${open_document}.text`, 'odt'],
  ['harbour.ods', `${open_document}.spreadsheet`, 'ods'],
  ['harbour.odp', `${open_document}.presentation`, 'odp'],
  ['harbour.rtf', 'application/rtf', 'rtf'],
  ['harbour.epub', 'application/epub+zip', 'epub'],
  ['windows-1252.txt', 'text/plain', 'windows-1252'],
  ['office.docx', unknown_type, 'office-docx'],
  ['office.rtf', unknown_type, 'office-rtf'],
]

test('B-24 a scoped chat finds a sentence from the middle of every kind of document', async () => {
  const lines: string[] = []
  const client = await start({ log: (line) => lines.push(line) })
  const uploaded = await Promise.all(
    kinds.map(async ([name, mime_type, word]) => ({
      name,
      word,
      id: await client.upload(fixture(name), name, mime_type),
    })),
  )
  expect(uploaded.filter(({ id }) => client.statusOf(id) !== 'ready')).toEqual([])
  for (const { name, word, id } of uploaded) {
    const prompt = 'Who trims the lamp of the pier, and when?'
    const { response } = await client.ask(prompt, { scope: { asset_ids: [id] } })
    const text = response.replace(/[\s>]+/g, ' ')
    expect(text, name).toContain(
      `The lamp of the ${word} pier is trimmed by Yrsa Holm at a quarter past four.`,
    )
  }
  expect(lines).toEqual([])
  console.log(
    `peak memory of the children: ${Math.round(client.service.readingPeak_bytes / 2 ** 20)} MB`,
  )
})

test.each<[string, Buffer, string, string]>([
  [
    'bytes that are no text under the name of a PDF',
    Buffer.from('a\0b\x01'),
    'a.pdf',
    'it is not text in a known character set',
  ],
  ['an encrypted PDF', fixture('encrypted.pdf'), 'a.pdf', 'encrypted'],
  ['half a document', fixture('harbour.docx').subarray(0, 5_000), 'a.docx', 'broken: '],
  ['a bomb', wordDocument('<w:p/>'.padEnd(3_000_000)), 'a.docx', 'it unpacks to more than 1.0 MB'],
  [
    'an old office file',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'a.bin',
    'broken: a compound file without its header',
  ],
])(
  'B-24 an unreadable file ends failed, with the reason in the log: %s',
  async (_what, bytes, name, reason) => {
    const lines: string[] = []
    const client = await start({
      log: (line) => lines.push(line),
      ingest: { unpacked_bytes: 1_000_000 },
    })
    const asset_id = await client.upload(bytes, name, unknown_type)
    expect(client.statusOf(asset_id)).toBe('failed')
    await until(() => lines.length > 0)
    expect(lines).toEqual([
      expect.stringContaining(
        `the file ${name} (${asset_id}) failed, it cannot be read: ${reason}`,
      ),
    ])
    const next = await client.upload(wordDocument('<w:t>next</w:t>'), 'next.docx', unknown_type)
    expect(client.statusOf(next)).toBe('ready')
  },
)

test('B-24 a document in a file of its own is read, also when the data folder has a relative path', async () => {
  const client = await start({ data_dir: relative(process.cwd(), temporaryFolder()) })
  const large = wordDocument(
    `<w:t>The crane is oiled on Mondays.</w:t><!-- ${randomBytes(100_000).toString('hex')} -->`,
  )
  const asset_id = await client.upload(large, 'large.docx', unknown_type)
  expect([
    client.statusOf(asset_id),
    readdirSync(join(client.service.data_dir, 'objects')).length,
  ]).toEqual(['ready', 1])
})

test('B-24 a file that hangs, eats memory or kills its process fails alone: the others are read, and the service lives', async () => {
  const ingest = { reading_program: hostile_program, time_ms: 3_000, memory_bytes: 192 * 2 ** 20 }
  const client = await start({ ingest })
  const bad = [
    'spins.pdf',
    'waits.pdf',
    'eats buffers.pdf',
    'eats the heap.pdf',
    'dies.pdf',
    'exits.pdf',
  ]
  const good = Array.from({ length: 6 }, (_, at) => `good ${at}.pdf`)
  // Equal bytes would be one asset.
  const send = (name: string) => client.upload(name, name, 'application/pdf')
  const statuses = Promise.all(
    [...bad, ...good].map(async (name) => [name, client.statusOf(await send(name))]),
  )
  // A file that needs no process does not wait for any of them.
  expect(client.statusOf(await client.upload('plain text'))).toBe('ready')
  expect(await statuses).toEqual([
    ...bad.map((name) => [name, 'failed']),
    ...good.map((name) => [name, 'ready']),
  ])
  const { response } = await client.ask('What was read of good 3?')
  expect(response).toContain('read good 3.pdf')
})

test('B-24 where no process can be started, documents wait and everything else continues', async () => {
  const lines: string[] = []
  const ingest = { reading_program: '/nowhere/at/all.mjs' }
  const client = await start({ ingest, log: (line) => lines.push(line) })
  const slot = await client.slot({ filename: 'a.pdf', mime_type: 'application/pdf' })
  await put(slot, fixture('harbour.pdf'))
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  await until(() => lines.some((line) => line.includes('no process reads documents now')))
  expect(client.statusOf(slot.asset_id)).toBe('ingesting')
  expect(client.statusOf(await client.upload('plain text'))).toBe('ready')
})

test('B-20 documents, too, are read again when the index was removed', async () => {
  const data_dir = temporaryFolder()
  const first = await start({ data_dir })
  const asset_id = await first.upload(fixture('harbour.odt'), 'harbour.odt', unknown_type)
  await first.service.close()
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(data_dir, `passages.db${end}`), { force: true })
  const lines: string[] = []
  const second = await start({ data_dir, log: (line) => lines.push(line) })
  expect(lines).toEqual(['the index of passages was incomplete: 1 assets were read again'])
  const { response } = await second.ask('Who trims the lamp?', { scope: { asset_ids: [asset_id] } })
  expect(response).toContain('Yrsa Holm')
})

test('a document that is removed while it is read leaves nothing in the index', async () => {
  const client = await start({
    ingest: { reading_program: hostile_program, processes: 1, time_ms: 2_000 },
  })
  const send = async (filename: string) => {
    const slot = await client.slot({ filename, mime_type: 'application/pdf' })
    await put(slot, filename)
    await client.post(`/v1/assets/${slot.asset_id}/complete`)
    return slot.asset_id
  }
  await send('waits.pdf')
  const removed = await send('quinces.pdf')
  await client.delete(`/v1/assets/${removed}`)
  expect(client.statusOf(await client.upload('last', 'last.pdf', 'application/pdf'))).toBe('ready')
  expect((await client.ask('What was read of quinces?')).response).not.toContain('read quinces.pdf')
})

test('B-20 a service that is killed while it reads documents has no stuck ones after the restart', async () => {
  const data_dir = temporaryFolder()
  const script = join(temporaryFolder(), 'service.mjs')
  writeFileSync(
    script,
    `import { startService } from ${JSON.stringify(new URL('../../../dist/service/service.js', import.meta.url).href)}
     const ingest = { reading_program: ${JSON.stringify(hostile_program)} }
     const service = await startService({ data_dir: ${JSON.stringify(data_dir)}, ingest })
     const { project_id } = service.projects.create('killed')
     const { token } = service.tokens.create('killed')
     console.log(JSON.stringify({ api: service.api, token, project_id }))`,
  )
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const { api, token, project_id } = JSON.parse(line)
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  for (const name of ['waits.docx', 'waits too.docx', 'text.docx']) {
    const body = JSON.stringify({ filename: name, mime_type: unknown_type })
    const slot = (await (
      await fetch(`${api}/v1/assets`, { method: 'POST', headers, body })
    ).json()) as Slot
    await put(slot, wordDocument(`<w:t>Of ${name}: the crane is oiled on Mondays.</w:t>`))
    await fetch(`${api}/v1/assets/${slot.asset_id}/complete`, {
      method: 'POST',
      headers,
      body: '{}',
    })
  }
  child.kill('SIGKILL')
  await once(child, 'exit')

  const client = await start({ data_dir })
  await until(() => client.service.assets(project_id).every(({ status }) => status === 'ready'))
  const { response } = await client.as({ project_id }).ask('When is the crane oiled?')
  for (const name of ['waits.docx', 'waits too.docx', 'text.docx'])
    expect(response).toContain(`Of ${name}: the crane`)
})
