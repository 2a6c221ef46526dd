import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { system_clock } from '../../../src/base/time/time.ts'
import { readingAgain } from '../../../src/service/reading/read-again.ts'
import { backUpService } from '../../../src/service/store/backup.ts'
import { passage_migrations } from '../../../src/service/store/passages/index-format.ts'
import { PassageIndex } from '../../../src/service/store/passages/passage-index.ts'
import { service_migrations } from '../../../src/service/store/schema.ts'
import { openAdministration } from '../../../src/service/store/stores.ts'
import { type Client, md5Of, start, temporaryFolder, until } from '../fixture.ts'
import { wordDocument } from '../ingest/zip.ts'
import { call, startInProcess } from '../service-process.ts'
import { earlier_project, earlierData, earlierId } from './earlier-data.ts'
import { hostile_program } from './hostile-program.ts'

const picture = wordDocument('<w:p><w:r><w:drawing/></w:r></w:p>')
const files = [
  { filename: 'notes.txt', bytes: 'The heron waits.' },
  { filename: 'rule.txt', bytes: '-----' },
  {
    filename: 'letter.docx',
    bytes: wordDocument('<w:t>The ferry leaves.</w:t>'),
    needs_child: true,
  },
  { filename: 'photo.docx', bytes: picture, needs_child: true },
  { filename: 'broken.docx', bytes: picture.subarray(0, 40), needs_child: true },
] as const

// biome-ignore lint/suspicious/noExplicitAny: a record of any shape
async function records(client: Client): Promise<any[]> {
  return (await client.get('/v1/assets')).body.data.toReversed()
}

const isRead = ({ reading }: { reading?: object }) => reading !== undefined

async function allRead(client: Client): Promise<void> {
  await until(async () => (await records(client)).every(isRead), 'all earlier files are read')
}

/** The numbers of assets of which the index has passages. */
function indexed(data_dir: string): number[] {
  const index = openSqliteReadOnly(join(data_dir, 'passages.db'), 'any format')
  const rows = index
    .prepare('SELECT asset FROM files WHERE last >= first ORDER BY asset')
    .pluck()
    .all()
  index.close()
  return rows as number[]
}

/** Changes the database of a service that does not run. */
function change(data_dir: string, sql: string): void {
  const database = new (sqliteDriver())(join(data_dir, 'service.db'))
  database.exec(sql)
  database.close()
}

test('B-38 files of an earlier version are read again; one that proves empty stays ready, and is not in', async () => {
  const lines: string[] = []
  const data_dir = earlierData(files)
  const client = await start({ data_dir, log: (line) => lines.push(line) })
  await allRead(client)
  const found = await records(client)
  expect(found.map(({ status }) => status)).toEqual(files.map(() => 'ready'))
  const part = { of: 1, unit: 'part' }
  expect(found.map(({ reading: { text_md5: _, ...reading } }) => reading)).toEqual([
    { ...part, seen: 1 },
    { ...part, seen: 0, why: 'it has no text' },
    { ...part, seen: 1 },
    { ...part, seen: 0, why: expect.stringMatching(/^it has no text/) },
    { ...part, seen: 0, why: expect.stringMatching(/^broken: /) },
  ])
  await until(() => lines.length === 2)
  expect(lines).toEqual([
    '5 files of an earlier version will be read again, behind all new files',
    '5 files of an earlier version read again; answers leave out 3 of them, and their records say why',
  ])
  expect(indexed(data_dir)).toEqual([1, 3])

  // The content counts as missing: a client can send it once more.
  const again = (at: number) => ({
    filename: 'again',
    mime_type: 'text/plain',
    md5: md5Of(files[at]!.bytes as Buffer),
  })
  expect((await client.post('/v1/assets', again(0))).status).toBe(200)
  for (const at of [1, 3, 4]) expect((await client.post('/v1/assets', again(at))).status).toBe(201)
  const scope = { asset_ids: files.map((_, at) => earlierId(at)) }
  expect((await client.ask('earlier words of the ferry', { scope })).response).toContain('leaves')
  expect((await client.ask('earlier words')).response).not.toContain('earlier words of')
})

test('B-38 what proved empty stands in no label, concept or view of a question', async () => {
  const data_dir = earlierData(files)
  const client = await start({ data_dir })
  await allRead(client)
  const [kept, empty] = [earlierId(0), earlierId(1)]
  for (const id of [kept, empty]) {
    const labelled = await client.post(`/v1/assets/${id}/labels`, { label_name: 'harbour' })
    expect(labelled.status).toBe(201)
  }
  const project_id = client.project_id
  const { concepts, views } = client.service
  const { concept_id } = concepts.create('birds', { project_id, asset_ids: [kept, empty] })
  const { view_id } = views.create('texts', { project_id, name_pattern: '*.txt' })
  const { label_id } = (await client.get('/v1/labels')).body.data[0]
  // As if the passages of the empty one were still there.
  const index = openSqlite({
    file: join(data_dir, 'passages.db'),
    migrations: passage_migrations,
    synchronous: 'NORMAL',
  })
  const place = { headings: [], unit: '', rows: [] }
  const rule = { asset: 2, project: 1, name: 'rule.txt' }
  new PassageIndex(index).replace(rule, [{ text: 'the heron is a rule', ...place }], null)
  index.close()
  const scopes = [
    { label_ids: [label_id] },
    { concept_ids: [concept_id] },
    { view_ids: [view_id] },
    { asset_ids: [kept, empty] },
    undefined,
  ]
  for (const scope of scopes) {
    const { response } = await client.ask('What of the heron?', { scope })
    expect(response).toContain('The heron waits.')
    expect(response).not.toContain('rule')
  }
})

test('what an earlier version of the reader read is read again, and may be in again', async () => {
  const client = await start()
  const asset_id = await client.upload('The heron waits.', 'heron.txt')
  await client.service.close()
  const { data_dir } = client.service
  const lost = JSON.stringify({ of: 1, seen: 0, unit: 'part', why: 'it has no text' })
  change(data_dir, `UPDATE assets SET read_by = 0, reading = '${lost}'`)
  const lines: string[] = []
  const second = (await start({ data_dir, log: (line) => lines.push(line) })).as({
    token: client.token,
    project_id: client.project_id,
  })
  const reading = async () => (await second.get(`/v1/assets/${asset_id}`)).body.reading
  await until(async () => (await reading()).seen === 1)
  expect(await reading()).not.toHaveProperty('why')
  await until(() => lines.length === 2)
  await second.service.close()
  // Nothing is left for the next start.
  lines.length = 0
  await start({ data_dir, log: (line) => lines.push(line) })
  expect(lines).toEqual([])
})

const many = (names: string, needs_child: boolean, count = 8) =>
  Array.from({ length: count }, (_, at) => ({
    filename: `takes a while, ${names} ${at}`,
    bytes: `${names} ${at}`,
    needs_child,
  }))

test.each([
  ['texts', false],
  ['documents', true],
])('new %s come before earlier ones, also with one process', async (_what, needs_child) => {
  const both = [...many('earlier', needs_child), ...many('new', needs_child)]
  const data_dir = earlierData(both)
  change(
    data_dir,
    `UPDATE assets SET status = 'ingesting', ingest_due_ms = 0 WHERE filename LIKE '%new%'`,
  )
  const ingest = { reading_program: hostile_program, processes: 1, concurrency: 1 }
  const client = await start({ data_dir, ingest })
  const isNew = ({ filename }: { filename: string }) => filename.includes('new')
  await until(async () => {
    const found = await records(client)
    const first = found.find((record) => !isNew(record) && isRead(record))
    if (first) expect(found.filter(isNew).every(isRead)).toBe(true)
    return first !== undefined
  }, 'an earlier one is read again')
  await allRead(client)
})

test('after kill -9 in the middle, the rest is read again, and nothing leaves ready', async () => {
  const names = ['first', 'second', 'waits for ever', 'fourth']
  const both = names.map((filename) => ({ filename, bytes: `The ${filename} heron.` }))
  const data_dir = earlierData(both.map((file) => ({ ...file, needs_child: true })))
  // Only documents go to the program that waits.
  change(data_dir, `UPDATE assets SET mime_type = 'application/pdf'`)
  const administration = openAdministration(data_dir, system_clock, false)
  const { token } = administration.tokens.create('killed')
  administration.close()
  const headers = { 'x-api-key': token, 'x-project-id': earlier_project }
  const first = await startInProcess(data_dir, { ingest: { reading_program: hostile_program } })
  await until(async () => {
    const { body } = await call(`${first.api}/v1/assets`, { data_dir, headers })
    return body.data.filter(isRead).length === 2
  }, 'two are read again')
  first.child.kill('SIGKILL')
  await once(first.child, 'close')

  change(data_dir, `UPDATE assets SET mime_type = 'text/plain'`)
  const lines: string[] = []
  const client = await start({ data_dir, log: (line) => lines.push(line) })
  await allRead(client)
  expect(lines[0]).toBe('2 files of an earlier version will be read again, behind all new files')
  const found = await records(client)
  expect(found.map(({ status, reading }) => [status, reading.seen])).toEqual(
    names.map(() => ['ready', 1]),
  )
})

test('B-38 a lost index, and a restored backup, give the same records', async () => {
  const data_dir = earlierData(files)
  const client = await start({ data_dir })
  await allRead(client)
  const before = await records(client)
  const copy = join(temporaryFolder(), 'copy')
  backUpService(data_dir, copy)
  await client.service.close()
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(data_dir, `passages.db${end}`), { force: true })
  expect(existsSync(join(copy, 'passages.db'))).toBe(false)
  for (const folder of [data_dir, copy]) {
    const lines: string[] = []
    const again = await start({ data_dir: folder, log: (line) => lines.push(line) })
    expect(await records(again)).toEqual(before)
    expect(lines).toEqual([
      `the file rule.txt (${earlierId(1)}) cannot be read again, and answers leave it out: it has no text`,
      expect.stringContaining(`the file photo.docx (${earlierId(3)}) cannot be read again`),
      expect.stringContaining(`the file broken.docx (${earlierId(4)}) cannot be read again`),
      'the index of passages was incomplete: 2 assets were read again',
    ])
    await again.service.close()
    lines.length = 0
    await start({ data_dir: folder, log: (line) => lines.push(line) })
    expect(lines).toEqual([])
  }
})

test('a document that no process can read keeps its passages where they are, and its place in the queue', async () => {
  const lines: string[] = []
  const data_dir = earlierData(files.slice(2, 3))
  const ingest = { reading_program: '/nowhere/at/all.mjs' }
  const first = await start({ data_dir, ingest, log: (line) => lines.push(line) })
  await until(() => lines.some((line) => line.includes('no process reads documents now')))
  expect((await records(first)).filter(isRead)).toEqual([])
  expect(indexed(data_dir)).toEqual([1])
  await first.service.close()
  await allRead(await start({ data_dir }))
})

test('files of an earlier version whose index is lost are read once', async () => {
  const lines: string[] = []
  const data_dir = earlierData(files)
  rmSync(join(data_dir, 'passages.db'))
  const client = await start({ data_dir, log: (line) => lines.push(line) })
  expect((await records(client)).every(isRead)).toBe(true)
  expect(lines.filter((line) => line.includes('earlier version'))).toEqual([])
})

test('the next readings are found without a scan', () => {
  const database = openSqlite({
    file: ':memory:',
    migrations: service_migrations,
    synchronous: 'NORMAL',
  })
  const plan = database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT * FROM assets WHERE status = 'ready' AND read_by < 1 ORDER BY read_by, seq LIMIT 64`,
    )
    .all() as { detail: string }[]
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH assets USING INDEX assets_by_reader (read_by<?)',
  ])
  database.close()
})

const pages = { of: 10, seen: 4, unit: 'page', why: 'pages 5–10 are pictures' } as const

test.each([
  ['found', null, { reading: pages }, pages],
  [
    'nothing known before',
    null,
    { unreadable: 'encrypted' },
    { of: 1, seen: 0, unit: 'part', why: 'encrypted' },
  ],
  [
    'the pages known before',
    JSON.stringify(pages),
    { unreadable: 'it has no text' },
    { of: 10, seen: 0, unit: 'page', why: 'it has no text' },
  ],
  [
    'nothing new where this machine lacks a package',
    JSON.stringify(pages),
    { unreadable: 'it needs a package', is_local: true as const },
    undefined,
  ],
])('a further reading says what was read now: %s', (_what, before, outcome, reading) =>
  expect(readingAgain(before, outcome)).toEqual(reading),
)
