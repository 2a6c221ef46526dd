import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, until, untilAnswer } from '../sluice.ts'

const digest = {
  name: 'digest',
  // This date does not come while a test runs.
  cron: '0 0 29 2 *',
  timezone: 'UTC',
  prompt: 'What is new? {{files}}',
  intelligence: 'fast',
  scope: { folders: ['docs'] },
}

async function homeWith(tree: Record<string, string>, folder: object = {}) {
  const home = await Home.make(tree)
  const deliver = [{ file: { dir: join(home.path, 'reports'), name: '{{due}}.md' } }]
  home.configure({
    folder: { labels: ['team'], label_from: 'first_folder', ...folder },
    prompts: [{ ...digest, deliver }],
  })
  return home
}

function puts(home: Home): number {
  return home.service.requestLog.filter(({ place }) => place === 'put').length
}

/** The assets that each report covered, the oldest report first. */
function covered(home: Home): string[][] {
  const dir = join(home.path, 'reports')
  const manifests = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.json')) : []
  return manifests.sort().map((name) => {
    const { assets } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as {
      assets: { name: string }[]
    }
    return assets.map((asset) => asset.name).sort()
  })
}

function labels(home: Home): unknown {
  return home.service
    .assets(home.project_id)
    .map(({ asset_id, labels }) => ({ asset_id, labels: [...labels].sort() }))
}

function state(home: Home): string[] {
  return readdirSync(join(home.path, 'state')).sort()
}

/** The status while a rebuild waits for the service. */
function waiting(home: Home): ReturnType<Home['inProcess']> {
  const ask = () => home.inProcess('status')
  return untilAnswer('the rebuild waits for the service', ask, ({ out }) =>
    out.includes('the service: '),
  )
}

/** Overwrites pages in the middle of the file, so that SQLite cannot read it. */
function spoil(file: string): void {
  const { size } = statSync(file)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192)
  closeSync(descriptor)
}

test.each([
  ['deleted', (home: Home) => rmSync(join(home.path, 'state/ledger.db'))],
  ['damaged', (home: Home) => spoil(join(home.path, 'state/ledger.db'))],
])(
  'a ledger that was %s: the rebuild sends 0 bytes, keeps the labels, and the next report covers only new files',
  async (how, lose) => {
    const home = await homeWith({ 'old.txt': 'There before the prompt.\n' })
    await home.inProcess('sync')
    // The prompt starts here: older files are not new to it.
    expect(await home.inProcess('prompts', 'run', 'digest')).toMatchObject({ code: 3 })
    home.write({ 'sub/covered.txt': 'The lease ends in May.\n' })
    expect(await home.inProcess('prompts', 'run', 'digest')).toMatchObject({ code: 0 })
    home.write({
      'uncovered.txt': 'The boat is red.\n',
      'sub/copy.txt': 'The lease ends in May.\n',
    })
    expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
    expect(covered(home)).toEqual([['docs/sub/covered.txt']])
    const before = { puts: puts(home), labels: labels(home), ready: home.readyAssets() }
    expect(before).toMatchObject({ puts: 3, ready: 3 })
    lose(home)

    const dry = await home.inProcess('rebuild', '--dry-run')
    expect(dry.out).toContain(how === 'damaged' ? 'the ledger is damaged' : 'there is no ledger')
    expect(dry.out).toContain('4 files (')
    expect(dry.out).toMatch(/digest: 1 report in .* cover 1 content/)
    const rebuilt = await home.inProcess('rebuild')
    expect(rebuilt, rebuilt.err).toMatchObject({
      code: 0,
      out: expect.stringContaining('uploaded   0 files, 0 B'),
    })
    expect({ puts: puts(home), labels: labels(home), ready: home.readyAssets() }).toEqual(before)
    expect(
      state(home).filter(
        (name) => name.startsWith('ledger.db.damaged-') && !/-(wal|shm)$/.test(name),
      ),
    ).toHaveLength(how === 'damaged' ? 1 : 0)
    expect(state(home)).not.toContain('rebuild')
    expect((await home.inProcess('status')).out).toContain('all ready: 4 files')

    expect(await home.inProcess('prompts', 'run', 'digest')).toMatchObject({ code: 0 })
    expect(covered(home)).toEqual([['docs/sub/covered.txt'], ['docs/uncovered.txt']])
    expect(await home.inProcess('prompts', 'run', 'digest')).toMatchObject({ code: 3 })
    // The rebuilt ledger works like any other.
    home.write({ 'next.txt': 'The cat sleeps.\n' })
    expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
    expect(puts(home)).toBe(before.puts + 1)
  },
)

test('rebuild refuses a sound ledger, and one that a daemon has open', async () => {
  const home = await homeWith({ 'a.txt': 'one' })
  const daemon = await home.run()
  await until('it is in', () => home.readyAssets() === 1)
  expect(await home.inProcess('rebuild')).toMatchObject({
    code: 1,
    err: expect.stringContaining('stop it first'),
  })
  daemon.child.kill('SIGTERM')
  await daemon.ended
  expect(await home.inProcess('rebuild')).toMatchObject({
    code: 64,
    err: expect.stringContaining('is sound'),
  })
  expect(await home.inProcess('rebuild', '--dry-run')).toMatchObject({ code: 3 })
})

test('a pause requested after the loss works, and does not stand in the way of the rebuild', async () => {
  const home = await homeWith({ 'a.txt': 'one', 'b.txt': 'two' })
  await home.inProcess('sync')
  rmSync(join(home.path, 'state'), { recursive: true })
  expect(await home.inProcess('pause')).toMatchObject({ code: 0 })
  expect(await home.inProcess('rebuild')).toMatchObject({
    code: 3,
    err: expect.stringContaining('`sluice resume`'),
  })
  expect(await home.inProcess('resume')).toMatchObject({ code: 0 })
  home.giveToken(`pat_${'x'.repeat(32)}`)
  expect(await home.inProcess('rebuild')).toMatchObject({ code: 77 })
  home.giveToken()
  expect(await home.inProcess('sync')).toMatchObject({ code: 78 })
  expect(state(home)).toContain('rebuild')
  const rebuilt = await home.inProcess('rebuild')
  expect(rebuilt, rebuilt.err).toMatchObject({
    code: 0,
    out: expect.stringContaining('uploaded   0 files, 0 B'),
  })
  expect(rebuilt.out).not.toContain('damaged')
  expect(state(home).filter((name) => name.includes('damaged'))).toEqual([])
  expect([puts(home), home.readyAssets()]).toEqual([2, 2])
})

test('files that the project does not have are sent, and no slot stays empty', async () => {
  const home = await homeWith({ 'a.txt': 'one' })
  await home.inProcess('sync')
  rmSync(join(home.path, 'state'), { recursive: true })
  home.write({ 'b.txt': 'two' })
  const rebuilt = await home.inProcess('rebuild')
  expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('uploaded   1 file, 3 B') })
  expect(home.service.assets(home.project_id).filter(({ bare }) => bare)).toEqual([])
  expect([puts(home), home.readyAssets()]).toEqual([2, 2])
})

test('a rebuild that lost its service leaves no finished ledger; the next try completes it', async () => {
  const home = await homeWith({ 'a.txt': 'one', 'b.txt': 'two' })
  await home.inProcess('sync')
  rmSync(join(home.path, 'state'), { recursive: true })
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const refused = await home.inProcess('rebuild')
  expect(refused).toMatchObject({
    code: 77,
    err: expect.stringContaining('`sluice rebuild` goes on'),
  })
  expect(state(home)).not.toContain('ledger.db')
  const status = await home.inProcess('status')
  expect(status).toMatchObject({
    code: 3,
    out: expect.stringMatching(/^a rebuild has not ended, .*`sluice rebuild`/),
  })
  expect(status.out).not.toMatch(/no folder was scanned yet|sluice run/)
  const { checks } = JSON.parse((await home.inProcess('doctor', '--json')).out) as {
    checks: { id: string }[]
  }
  expect(checks.find(({ id }) => id === 'ledger')).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('a rebuild has not ended'),
  })
  home.giveToken()
  const found = readFileSync(join(home.path, 'state/rebuild/ledger.db'))
  for (const words of [['sync'], ['pause'], ['run']]) {
    const ended = words[0] === 'run' ? await home.sluice('run') : await home.inProcess(...words)
    // The code of a wrong configuration keeps a service manager from restarting it.
    expect(ended, words[0]).toMatchObject({
      code: 78,
      err: expect.stringContaining('`sluice rebuild` goes on'),
    })
  }
  expect(state(home)).not.toContain('ledger.db')
  expect(readFileSync(join(home.path, 'state/rebuild/ledger.db'))).toEqual(found)
  expect(await home.inProcess('rebuild')).toMatchObject({ code: 0 })
  expect([puts(home), home.readyAssets()]).toEqual([2, 2])
})

test('a folder with `start: from_now`: the rebuild finds its uploaded files again, and leaves out what was left out', async () => {
  const home = await homeWith({ 'left out.txt': 'never sent' }, { start: 'from_now' })
  await home.inProcess('sync')
  home.write({ 'came.txt': 'sent', 'old.txt': 'moved later' })
  await home.inProcess('sync')
  // A moved file has another name on the service from then on.
  renameSync(join(home.path, 'docs/old.txt'), join(home.path, 'docs/moved.txt'))
  await home.inProcess('sync')
  expect(home.readyAssets()).toBe(2)
  rmSync(join(home.path, 'state'), { recursive: true })
  for (const name of ['came', 'moved']) utimesSync(join(home.path, `docs/${name}.txt`), 1, 1)
  const rebuilt = await home.inProcess('rebuild')
  expect(rebuilt, rebuilt.out).toMatchObject({ code: 0 })
  expect([puts(home), home.readyAssets()]).toEqual([2, 2])
  const { files } = JSON.parse((await home.inProcess('ls', '--json')).out) as {
    files: { path: string; state: string }[]
  }
  expect(files.map(({ path, state }) => [path, state])).toEqual([
    ['came.txt', 'ready'],
    ['left out.txt', 'skipped'],
    ['moved.txt', 'ready'],
  ])
})

test('a file that the service could not read is sent once more after each loss, and only once', async () => {
  const home = await Home.make(
    { 'a.txt': 'one', 'bad.txt': 'more than it reads' },
    { ingest: { max_bytes: 10 } },
  )
  expect(await home.inProcess('sync')).toMatchObject({ code: 3 })
  for (const losses of [1, 2]) {
    rmSync(join(home.path, 'state'), { recursive: true })
    const rebuilt = await home.inProcess('rebuild')
    expect(rebuilt).toMatchObject({
      code: 3,
      out: expect.stringContaining('uploaded   1 file, 18 B'),
    })
    expect(await home.inProcess('sync')).toMatchObject({ code: 3 })
    expect([puts(home), home.readyAssets()]).toEqual([2 + losses, 1])
  }
  expect((await home.inProcess('ls', '--state', 'refused')).out).toContain('docs/bad.txt')
})

test('while a rebuild waits, status and ls say so, and a second rebuild is refused', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  await home.inProcess('sync')
  rmSync(join(home.path, 'state'), { recursive: true })
  await home.service.close()
  const rebuilding = home.start('rebuild')
  const status = await waiting(home)
  expect(status).toMatchObject({
    code: 3,
    out: expect.stringContaining(
      `a rebuild is running (process ${rebuilding.child.pid}), and there is no ledger`,
    ),
  })
  expect(status.out).not.toMatch(/sluice (run|rebuild)/)
  const no_ledger =
    'there is no ledger until the rebuild has ended: `sluice status` says whether one is running\n'
  expect(await home.inProcess('ls')).toMatchObject({ code: 3, out: '', err: no_ledger })
  expect(await home.inProcess('rebuild')).toMatchObject({
    code: 1,
    err: expect.stringContaining('another rebuild'),
  })
  rebuilding.child.kill('SIGTERM')
  await rebuilding.ended
  expect((await home.inProcess('status')).out).toMatch(/^a rebuild has not ended/)
  expect((await home.inProcess('verify')).err).toContain('run `sluice rebuild` again')
})
