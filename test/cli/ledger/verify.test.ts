import { lstatSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { recount } from '../../ledger/broken-rules.ts'
import { type Ended, Home, settle_ms, until } from '../sluice.ts'

const tree = { 'a.txt': 'one', 'b/c.txt': 'two' }

async function synced(): Promise<Home> {
  const home = await Home.make(tree)
  expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
  return home
}

type Answer = Omit<Ended, 'signal'>

/** A pause of the audit between two turns has about five calls. */
const max_calls = 200

/**
 * Repeats verify until nothing is on the way, or until ledger, disk and service agree. Without the
 * rest of `untilAnswer`, which is four times as long as the call: on a busy machine that is all the
 * time of the test.
 */
async function verified(
  home: Home,
  enough = ({ out }: Answer) => !out.includes('on the way'),
): Promise<Answer> {
  for (let calls = 1; ; calls++) {
    const answer = await home.inProcess('verify')
    if (enough(answer)) return answer
    expect(calls, answer.out).toBeLessThan(max_calls)
  }
}

/** Waits until the file has settled. Before, it counts as on the way, which is no difference. */
function settled(home: Home, path: string): Promise<void> {
  const { ctimeMs } = statSync(join(home.path, 'docs', path))
  return until(`${path} has settled`, () => Date.now() - ctimeMs > settle_ms)
}

function assetOf(home: Home, size: number): string {
  return home.service.assets(home.project_id).find(({ size_in_bytes }) => size_in_bytes === size)!
    .asset_id
}

test('ledger, disk and service agree: exit code 0 and one line', async () => {
  const home = await synced()
  expect(await home.inProcess('verify')).toEqual({
    code: 0,
    out: '2 files ready, 2 of 2 assets usable; no differences\n',
    err: '',
  })
  const { code, out } = await home.inProcess('verify', '--full', '--json', 'docs')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      version: 1,
      full: true,
      complete: true,
      folders: [{ name: 'docs', files: 2, read: 2 }],
      found: [],
      taken_up: [],
    },
  ])
})

test('lists differences by kind with the command that repairs each: exit code 3; a pass uploads new files', async () => {
  const home = await synced()
  home.write({ 'new.txt': 'three', 'b/c.txt': 'other' })
  const { code, out, err } = await verified(home)
  expect([code, out]).toEqual([
    3,
    [
      '1 × on disk, not known yet',
      '  docs/new.txt: not known yet',
      '  the next pass checks it, and uploads it if it is new',
      '1 × changed on disk since the last check',
      '  docs/b/c.txt: 5 bytes, known with 3',
      '  the next pass checks it, and uploads it if it is new',
      '2 files ready, 2 of 2 assets usable; 2 differences',
      '',
    ].join('\n'),
  ])
  expect(err).toBe('no daemon is running: `sluice sync` takes up what is on disk\n')
  expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
  expect(await home.inProcess('verify')).toMatchObject({
    code: 0,
    out: '3 files ready, 4 of 4 assets usable (1 of deleted files or old versions); no differences\n',
  })
})

test('--record without a daemon: the ledger records missing assets; retry and a pass upload them again', async () => {
  const home = await synced()
  await home.service.removeAsset(assetOf(home, 3))
  const seen = await home.inProcess('verify')
  expect(seen).toMatchObject({
    code: 3,
    out: expect.stringContaining('2 files ready, 1 of 2 assets usable; 1 difference'),
  })
  expect(seen.err).toContain('sluice verify --record')
  expect((await home.inProcess('verify', '--record')).err).toContain(
    'recorded: what the service lost',
  )
  const answer = await home.inProcess('verify')
  expect(answer).toMatchObject({
    code: 0,
    out: expect.stringContaining('not ready for a known reason: 1 removed on the service'),
  })
  expect((await home.inProcess('retry')).out).toContain('docs: 1 file')
  expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
  expect(await home.inProcess('verify')).toMatchObject({
    code: 0,
    out: '2 files ready, 2 of 2 assets usable; no differences\n',
  })
})

test('--record: an asset that is ready again on the service is no loss', async () => {
  const home = await synced()
  const database = new (sqliteDriver())(join(home.path, 'state/ledger.db'))
  database
    .prepare("UPDATE contents SET state = 'removed_on_service' WHERE asset_id = ?")
    .run(assetOf(home, 3))
  recount(database)
  database.close()
  const { out, err } = await home.inProcess('verify', '--record')
  expect(out).toContain('given up here (removed_on_service), ready there')
  expect(err).toBe('recorded: the service has 1 asset again\n')
  expect(await home.inProcess('verify')).toMatchObject({ code: 0 })
})

/** Changes the bytes and keeps all other metadata, as a failing disk does. */
function rot(home: Home, path: string, text: string): void {
  const file = join(home.path, 'docs', path)
  writeFileSync(file, text)
  const { ctimeNs, mtimeNs } = lstatSync(file, { bigint: true })
  const database = new (sqliteDriver())(join(home.path, 'state/ledger.db'))
  try {
    database
      .prepare('UPDATE files SET ctime_ns = ?, mtime_ns = ? WHERE path = ?')
      .run(ctimeNs, mtimeNs, path)
  } finally {
    database.close()
  }
}

test('--full --record without a daemon: the next pass sends files whose bytes changed under the same metadata', async () => {
  const home = await synced()
  rot(home, 'a.txt', 'ONE')
  expect(await home.inProcess('verify')).toMatchObject({
    code: 0,
    out: '2 files ready, 2 of 2 assets usable; no differences\n',
  })
  const seen = await home.inProcess('verify', '--full')
  expect([seen.code, seen.out]).toEqual([3, expect.stringContaining('docs/a.txt')])
  expect(seen.err).toBe(
    '`sluice verify --record`, or a running daemon, also repairs what a scan cannot see\n',
  )
  // The ledger has recorded nothing yet, so a pass does not see the change.
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing new'),
  })
  expect((await home.inProcess('verify', '--full', '--record')).err).toBe(
    'to be read again: 1 file; recorded for the next pass\nno daemon is running: `sluice sync` takes up what is on disk\n',
  )
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 uploaded (3 B)'),
  })
  expect(await home.inProcess('verify', '--full')).toMatchObject({
    code: 0,
    out: '2 files ready, 3 of 3 assets usable (1 of deleted files or old versions); no differences\n',
  })
})

test('repeated verify calls beside a daemon do not keep the audit from ending', async () => {
  const home = await Home.make(tree)
  const daemon = await home.run()
  await until('all is ready', () => home.readyAssets() === 2, daemon.err)
  await verified(home, ({ out }) => out === '2 files ready, 2 of 2 assets usable; no differences\n')
  await home.service.removeAsset(assetOf(home, 3))
  const healed = ({ code, out }: Answer) => code === 0 && out.includes('1 removed on the service')
  const [first] = await Promise.all([
    verified(home, healed),
    verified(home, healed),
    verified(home, healed),
  ])
  expect(first).toMatchObject({ out: expect.stringContaining('no differences') })
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})

test('beside a daemon: verify asks it to scan and to audit', async () => {
  const home = await Home.make(tree)
  // Without a watcher, only the requested scan finds new files.
  home.configure({ folder: { watch: 'scan' } })
  const daemon = await home.run()
  await until('all is ready', () => home.readyAssets() === 2, daemon.err)
  await verified(home, ({ out }) => out === '2 files ready, 2 of 2 assets usable; no differences\n')
  await home.service.removeAsset(assetOf(home, 3))
  home.write({ 'new.txt': 'three' })
  await settled(home, 'new.txt')
  // Call verify once only: its audit may have ended before a second call, which would find nothing
  // to do.
  const { code, err } = await home.inProcess('verify')
  expect(code).toBe(3)
  expect(err.split('\n')).toEqual([
    `the running daemon (process ${daemon.child.pid}) scans now: docs`,
    `the running daemon (process ${daemon.child.pid}) audits now, and records what the service lost`,
    '',
  ])
  const healed =
    'not ready for a known reason: 1 removed on the service (sluice status)\n2 files ready, 2 of 2 assets usable; no differences\n'
  await verified(home, ({ code, out }) => code === 0 && out === healed)
  daemon.child.kill('SIGTERM')
  await daemon.ended
})

test('a refused token: 77; an offline folder: 3; no ledger yet: a message', async () => {
  const home = await synced()
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const refused = await home.inProcess('verify')
  expect([refused.code, refused.out]).toEqual([
    77,
    'service not compared; no differences in what could be compared\n',
  ])
  home.giveToken()
  rmSync(join(home.path, 'docs'), { recursive: true })
  const away = await home.inProcess('verify')
  expect([away.code, away.out]).toEqual([
    3,
    expect.stringContaining('docs is offline, and was not compared'),
  ])
  rmSync(join(home.path, 'state'), { recursive: true })
  expect(await home.inProcess('verify')).toMatchObject({
    err: expect.stringContaining('Sluice has not run'),
  })
})
