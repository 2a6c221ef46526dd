import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { ticket_migrations } from '../../../src/ledger/file/tickets.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { Bench, type LedgerFactory, no_limits, statOf } from '../fixture.ts'
import { inspectSqlite } from '../inspect-sqlite.ts'
import { childScript, startChild } from './child.ts'

const factory: LedgerFactory = {
  memory: () => join(makeStore(), 'state'),
  async open({ memory, limits, clock }) {
    const ledger = await openLedger({ state_dir: memory, limits, clock })
    return { ledger, inspector: inspectSqlite(memory) }
  },
}

function benchAt(state_dir: string): Bench {
  return new Bench({ ...factory, memory: () => state_dir })
}

const openAt = (state_dir: string) =>
  openLedger({ state_dir, limits: no_limits, clock: new FakeClock() })

test('the state directory is 0700 and every file in it 0600, including the logs, whatever the umask', async () => {
  const state_dir = join(makeTree(), 'state')
  const before = process.umask(0o000)
  const bench = await benchAt(state_dir).open('docs')
  try {
    await bench.reserve(await bench.settle('docs', 'a', 'text'))
    const modes = Object.fromEntries(
      readdirSync(state_dir).map((name) => [
        name,
        (statSync(join(state_dir, name)).mode & 0o777).toString(8),
      ]),
    )
    expect(statSync(state_dir).mode & 0o777).toBe(0o700)
    const files = [
      'ledger.db',
      'ledger.db-shm',
      'ledger.db-wal',
      'tickets.db',
      'tickets.db-shm',
      'tickets.db-wal',
    ]
    expect(modes).toEqual(
      Object.fromEntries(
        [...files, 'lock.db', 'lock.db.holder', 'lock.db-journal'].map((name) => [name, '600']),
      ),
    )
  } finally {
    process.umask(before)
    await bench.close()
  }
})

test('a directory that was open to others is closed; one that cannot be made is a clear error', async () => {
  const root = makeTree({ 'state/': '', file: 'not a directory' })
  chmodSync(join(root, 'state'), 0o755)
  await (await openAt(join(root, 'state'))).close()
  expect(statSync(join(root, 'state')).mode & 0o777).toBe(0o700)
  await expect(openAt(join(root, 'file', 'state'))).rejects.toMatchObject({
    code: 'database.unreadable',
    hint: expect.stringContaining('state_dir'),
  })
})

test('a ledger closed while a reader is open is complete in its one file', async () => {
  const state_dir = join(makeTree(), 'state')
  const ledger = await openAt(state_dir)
  const view = openLedgerView(state_dir)
  await ledger.record([
    { type: 'trouble_began', about: 'api', error: { code: 'a.b', message: 'm' } },
  ])
  expect(view.troubles()).toHaveLength(1)
  await ledger.close()
  view.close()
  const copy = makeTree()
  copyFileSync(join(state_dir, 'ledger.db'), join(copy, 'ledger.db'))
  const copied = openLedgerView(copy)
  expect(copied.troubles()).toHaveLength(1)
  copied.close()
})

test('one process opens a ledger at a time: a second one is refused until the first has closed', async () => {
  const state_dir = makeTree()
  const first = await openAt(state_dir)
  await expect(openAt(state_dir)).rejects.toMatchObject({
    code: 'ledger.locked',
    message: expect.stringContaining(state_dir),
    hint: expect.stringContaining('stop it first'),
  })
  expect(await first.folders()).toEqual([])
  await first.close()
  await (await openAt(state_dir)).close()
})

test('after kill -9 with sixteen callers the lock is free, and every answered record is there, whole', async () => {
  const state_dir = makeTree()
  const script = childScript(`
    const ledger = await open()
    await configure(ledger)
    await Promise.all(Array.from({ length: 16 }, async (_, caller) => {
      for (let call = 0; ; call++) {
        await ledger.record([settled(caller + '/' + call + '/x'), settled(caller + '/' + call + '/y')])
        say(caller + '/' + call)
      }
    }))`)
  const { child, lines } = startChild([process.execPath, script, state_dir])
  const answered: string[] = []
  lines.on('line', (line) => answered.push(line))
  while (answered.length < 300) await once(lines, 'line')
  await expect(openAt(state_dir)).rejects.toMatchObject({ code: 'ledger.locked' })
  child.kill('SIGKILL')
  await Promise.all([once(child, 'close'), once(lines, 'close')])

  const bench = await benchAt(state_dir).open()
  try {
    for (const call of answered) {
      expect(bench.see.file('docs', `${call}/x`)?.state, call).toBe('present')
      expect(bench.see.file('docs', `${call}/y`)?.state, call).toBe('present')
    }
    const { files } = bench.see.recounted('docs').wanted!
    expect(files % 2).toBe(0)
    expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
  } finally {
    await bench.close()
  }
})

test('a ledger of a newer version is refused with advice and untouched, and the lock is free again', async () => {
  const state_dir = makeTree()
  await (await openAt(state_dir)).close()
  const file = join(state_dir, 'ledger.db')
  const migrations = Array.from({ length: 99 }, (_, index) => ({
    version: index + 1,
    sql: 'SELECT 1',
  }))
  openSqlite({ file, migrations, synchronous: 'NORMAL' }).close()
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(openAt(state_dir)).rejects.toMatchObject({
      code: 'database.newer',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('newer version'),
    })
  }
  const database = openSqliteReadOnly(file, 'any format')
  expect(database.pragma('user_version', { simple: true })).toBe(99)
  database.close()
})

test('a file that is no database, or has a damaged page, gives database.damaged with advice', async () => {
  const state_dir = makeTree({
    'ledger.db': 'this is not a database, it is a letter to my aunt '.repeat(100),
  })
  await expect(openAt(state_dir)).rejects.toMatchObject({
    code: 'database.damaged',
    message: expect.stringContaining('ledger.db'),
    hint: expect.stringContaining('move the file away'),
  })

  const damaged = makeTree()
  const bench = await benchAt(damaged).open('docs')
  for (let file = 0; file < 500; file++) await bench.seen('docs', `path ${file}`)
  await bench.close()
  const file = join(damaged, 'ledger.db')
  const bytes = readFileSync(file)
  // The pages after the schema's: tables and indexes.
  bytes.fill(0xa5, 4096 * 8)
  writeFileSync(file, bytes)
  const working = openAt(damaged).then(async (ledger) => {
    try {
      await ledger.filesAt('docs', ['path 1', 'path 250', 'path 499'])
      await ledger.claimToCheck(500)
    } finally {
      await ledger.close()
    }
  })
  await expect(working).rejects.toMatchObject({
    code: 'database.damaged',
    hint: expect.stringContaining('backup'),
  })
})

test('a ledger from before the first release is refused with advice for reading and writing, and untouched', async () => {
  const state_dir = makeTree()
  const file = join(state_dir, 'ledger.db')
  const ninth = Array.from({ length: 9 }, (_, index) => ({ version: index + 1, sql: 'SELECT 1' }))
  openSqlite({ file, migrations: ninth, synchronous: 'NORMAL' }).close()
  const before = readFileSync(file)
  const refusal = {
    code: 'database.older',
    message: expect.stringContaining(file),
    hint: expect.stringContaining('rebuild'),
  }
  await expect(openAt(state_dir)).rejects.toMatchObject(refusal)
  expect(() => openLedgerView(state_dir)).toThrow(expect.objectContaining(refusal))
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('each migration first keeps a copy of the data, and a failing migration changes nothing', () => {
  const file = join(makeTree(), 'some.db')
  const first = { version: 1, sql: 'CREATE TABLE t (a TEXT) STRICT' }
  const second = { version: 2, sql: `ALTER TABLE t ADD COLUMN b TEXT; UPDATE t SET b = 'new'` }
  const third = { version: 3, sql: 'ALTER TABLE t DROP COLUMN a' }
  const one = openSqlite({ file, migrations: [first], synchronous: 'FULL' })
  one.prepare('INSERT INTO t VALUES (?)').run('precious')
  one.close()
  expect(existsSync(`${file}.before-v1`)).toBe(false)

  const broken = { version: 2, sql: `${second.sql}; SELECT no_such_function()` }
  expect(() => openSqlite({ file, migrations: [first, broken], synchronous: 'FULL' })).toThrow()
  const still = openSqliteReadOnly(file, [first])
  expect(still.prepare('SELECT * FROM t').all()).toEqual([{ a: 'precious' }])
  still.close()

  openSqlite({ file, migrations: [first, second, third], synchronous: 'FULL' }).close()
  const rows = (name: string) => {
    const database = openSqliteReadOnly(name, [first, second, third])
    try {
      return [
        database.pragma('user_version', { simple: true }),
        database.prepare('SELECT * FROM t').all(),
      ]
    } finally {
      database.close()
    }
  }
  expect(rows(`${file}.before-v2`)).toEqual([1, [{ a: 'precious' }]])
  expect(rows(`${file}.before-v3`)).toEqual([2, [{ a: 'precious', b: 'new' }]])
  expect(rows(file)).toEqual([3, [{ b: 'new' }]])
  expect(statSync(`${file}.before-v2`).mode & 0o777).toBe(0o600)
})

/** Names of the files in the directory whose bytes hold the text. */
function holding(state_dir: string, text: string): string[] {
  return readdirSync(state_dir)
    .filter((name) => readFileSync(join(state_dir, name)).includes(text))
    .sort()
}

test('signed URLs and upload headers are in tickets.db alone, and leave no trace when they are erased', async () => {
  const state_dir = makeTree()
  const bench = await benchAt(state_dir).open('docs')
  const secrets = ['sig=s3cret', 'x-secret', 'header-asset_']
  const kept = await bench.settle('docs', 'kept', 'kept')
  await bench.reserve(kept)
  for (let file = 0; file < 50; file++)
    await bench.makeReady(await bench.settle('docs', `${file}`, `text ${file}`))
  const asset_id = await bench.send(await bench.settle('docs', 'last', 'last'))
  expect(holding(state_dir, asset_id), 'a control: what may be in the ledger is found').toContain(
    'ledger.db-wal',
  )
  for (const secret of secrets) {
    const found = holding(state_dir, secret)
    expect(found.length, secret).toBeGreaterThan(0)
    expect(
      found.filter((name) => !name.startsWith('tickets.db')),
      secret,
    ).toEqual([])
  }
  const gone = `${asset_id}?sig=s3cret`
  expect(holding(state_dir, gone), 'the log keeps it until it is cut').toEqual(['tickets.db-wal'])
  await bench.ledger.tidy()
  expect(holding(state_dir, gone), 'tidy cuts the log').toEqual([])
  expect(bench.see.ticketsKept()).toBe(1)
  await bench.record({ type: 'bytes_accepted', content: kept })
  await bench.record({ type: 'ingest_started', content: kept, not_before_ms: 0 })
  await bench.close()
  for (const secret of secrets) expect(holding(state_dir, secret), secret).toEqual([])
})

test('erased tickets leave no trace after a close, even while another program has tickets.db open', async () => {
  const state_dir = makeTree()
  const bench = await benchAt(state_dir).open('docs')
  await bench.send(await bench.settle('docs', 'a', 'text'))
  expect(holding(state_dir, 'sig=s3cret')).toEqual(['tickets.db-wal'])
  const reader = openSqliteReadOnly(join(state_dir, 'tickets.db'), ticket_migrations)
  expect(reader.prepare('SELECT content FROM tickets').all()).toEqual([])
  await bench.close()
  expect(holding(state_dir, 'sig=s3cret')).toEqual([])
  reader.close()
})

test('tidy erases tickets that a crash left behind', async () => {
  const state_dir = makeTree()
  const bench = await benchAt(state_dir).open('docs')
  try {
    const ready = await bench.settle('docs', 'a', 'text')
    await bench.makeReady(ready)
    const open = await bench.settle('docs', 'b', 'open')
    await bench.reserve(open)
    const tickets = openSqlite({
      file: join(state_dir, 'tickets.db'),
      migrations: [{ version: 1, sql: '' }],
      synchronous: 'NORMAL',
    })
    const left = tickets.prepare(
      `INSERT INTO tickets VALUES (?, 'asset', 'https://left.behind', 'PUT', '{}', 1)`,
    )
    left.run(ready)
    left.run(4711)
    tickets.close()
    expect(bench.see.ticketsKept()).toBe(3)
    await bench.ledger.tidy()
    expect(bench.see.ticketsKept()).toBe(1)
    expect((await bench.sendable())[0]?.ticket).toBeDefined()
  } finally {
    await bench.close()
  }
})

test('a slot whose ticket reached the disk before a crash is known after it, even without its fact', async () => {
  const state_dir = makeTree()
  const bench = await benchAt(state_dir).open('docs')
  const content = await bench.settle('docs', 'a', 'text')
  await bench.record({ type: 'slot_intended', content })
  await bench.close()
  const tickets = openSqlite({
    file: join(state_dir, 'tickets.db'),
    migrations: [{ version: 1, sql: '' }],
    synchronous: 'NORMAL',
  })
  tickets
    .prepare(`INSERT INTO tickets VALUES (?, 'asset_x', 'https://blobs.example/x', 'PUT', '{}', 9)`)
    .run(content)
  tickets.close()
  await bench.open()
  expect(await bench.sendable()).toMatchObject([
    {
      content,
      state: 'reserving',
      asset_id: 'asset_x',
      ticket: { upload_url: 'https://blobs.example/x' },
    },
  ])
  await bench.close()
})

test('a record of twenty thousand first-seen files is one transaction', async () => {
  const bench = await benchAt(makeTree()).open('docs')
  try {
    const facts = Array.from({ length: 20_000 }, (_, file) => {
      const stat = statOf(1)
      return { type: 'file_seen' as const, folder: 'docs', path: `${file}`, stat, not_before_ms: 0 }
    })
    await bench.record(...facts)
    expect(bench.see.counts('docs')).toEqual({ seen: { files: 20_000, bytes: 20_000 } })
  } finally {
    await bench.close()
  }
})
