import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { Home, until } from '../sluice.ts'

const tree = { 'a.txt': 'one', 'b/c.txt': 'two' }

function sent(home: Home): number {
  return home.service.requestLog.filter(({ place }) => place === 'put').length
}

function kept(file: string): string[] {
  const database = openSqliteReadOnly(file, ledger_migrations)
  try {
    return database.prepare('SELECT path FROM files ORDER BY path').pluck().all() as string[]
  } finally {
    database.close()
  }
}

test('beside a working daemon: the backup is complete, readable by its owner only, and without secrets; the daemon continues', async () => {
  const home = await Home.make(tree)
  const daemon = await home.run()
  await until('both are in', () => home.readyAssets() === 2)
  const file = join(home.path, 'ledger.backup')
  const ended = await home.inProcess('backup', file)
  expect(ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ledger\.backup: .*, the ledger of 2 files/),
  })
  expect(ended.err).toContain(`sluice restore ${file}`)
  expect(kept(file)).toEqual(['a.txt', 'b/c.txt'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(home.path).filter((name) => name.startsWith('ledger.backup'))).toEqual([
    'ledger.backup',
  ])
  for (const secret of ['upload_url', 'sig=', 'pat_'])
    expect(readFileSync(file, 'latin1')).not.toContain(secret)
  home.write({ 'd.txt': 'three' })
  await until('the daemon goes on', () => home.readyAssets() === 3)
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
})

test('backup refuses a destination in a watched folder or the state directory, and a file that is no backup', async () => {
  const home = await Home.make(tree)
  expect(await home.inProcess('backup', join(home.path, 'x'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('sluice run'),
  })
  await home.inProcess('sync')
  const file = join(home.path, 'ledger.backup')
  await home.inProcess('backup', file)
  const before = readFileSync(file)
  expect(await home.inProcess('backup', file)).toMatchObject({
    code: 64,
    err: expect.stringContaining('--force'),
  })
  expect(readFileSync(file)).toEqual(before)
  expect(await home.inProcess('backup', file, '--force')).toMatchObject({ code: 0 })
  expect(kept(file)).toHaveLength(2)
  mkdirSync(join(home.path, 'elsewhere'))
  const others = ['token', 'empty', 'other.db'].map((name) => join(home.path, name))
  writeFileSync(others[1]!, '')
  openSqlite({
    file: others[2]!,
    migrations: [{ version: 1, sql: 'CREATE TABLE mine (x)' }],
    synchronous: 'FULL',
  }).close()
  const kept_others = others.map((other) => readFileSync(other))
  symlinkSync(join(home.path, 'docs'), join(home.path, 'link'))
  for (const [target, why] of [
    ['docs/x', 'lies in the watched folder docs'],
    ['link/x', 'lies in the watched folder docs'],
    ['state/x', 'lies in the state directory'],
    ['state/ledger.db', 'lies in the state directory'],
    ['elsewhere', 'is no file'],
    ['token', 'is no backup of a ledger'],
    ['empty', 'is no backup of a ledger'],
    ['other.db', 'is no backup of a ledger'],
    ['none/x', 'the directory must be there'],
  ] as const) {
    const ended = await home.inProcess('backup', join(home.path, target), '--force')
    expect(ended.err, target).toContain(why)
    expect(ended.code).not.toBe(0)
  }
  expect(kept(join(home.path, 'state/ledger.db'))).toHaveLength(2)
  expect(others.map((other) => readFileSync(other))).toEqual(kept_others)
})

test('restore refuses the ledger itself as the backup, by any of its names', async () => {
  const home = await Home.make(tree)
  await home.inProcess('sync')
  symlinkSync(join(home.path, 'state/ledger.db'), join(home.path, 'link'))
  for (const name of ['state/ledger.db', 'link']) {
    const ended = await home.inProcess('restore', join(home.path, name))
    expect(ended, name).toMatchObject({
      code: 64,
      err: expect.stringContaining('is the ledger itself'),
    })
  }
  expect(readdirSync(join(home.path, 'state')).filter((name) => name.includes('replaced'))).toEqual(
    [],
  )
  expect(kept(join(home.path, 'state/ledger.db'))).toHaveLength(2)
})

test.skipIf(process.getuid?.() === 0)(
  'without the right to read the ledger: exit code 77',
  async () => {
    const home = await Home.make(tree)
    await home.inProcess('sync')
    chmodSync(join(home.path, 'state/ledger.db'), 0)
    expect(await home.inProcess('backup', join(home.path, 'x'))).toMatchObject({ code: 77 })
  },
)

test('after a restore, a pass sends 0 bytes, even for files newer than the backup; the old ledger is kept', async () => {
  const home = await Home.make(tree)
  await home.inProcess('sync')
  const file = join(home.path, 'ledger.backup')
  await home.inProcess('backup', file)
  home.write({ 'later.txt': 'three' })
  await home.inProcess('sync')
  expect(sent(home)).toBe(3)
  const restored = await home.inProcess('restore', file)
  expect(restored, restored.err).toMatchObject({
    code: 0,
    out: expect.stringContaining('ledger.db.replaced-'),
  })
  expect(kept(join(home.path, 'state/ledger.db'))).toEqual(['a.txt', 'b/c.txt'])
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: expect.stringContaining('ready      3 files'),
  })
  expect([sent(home), home.readyAssets()]).toEqual([3, 3])
})

test.skipIf(isNotRoot('a ledger that root restores'))(
  'a ledger restored or rebuilt by root still belongs to the daemon’s user',
  async () => {
    const home = await Home.make(tree)
    await home.inProcess('sync')
    const file = join(home.path, 'ledger.backup')
    await home.inProcess('backup', file)
    const state = join(home.path, 'state')
    chownSync(state, 65_534, 65_534)
    const owners = () => readdirSync(state).map((name) => lstatSync(join(state, name)).uid)
    expect(await home.inProcess('restore', file)).toMatchObject({ code: 0 })
    expect(new Set(owners())).toEqual(new Set([65_534]))
    rmSync(join(state, 'ledger.db'))
    expect(await home.inProcess('rebuild')).toMatchObject({ code: 0 })
    expect(new Set(owners())).toEqual(new Set([65_534]))
  },
)

test('restore refuses a file that is no backup, and refuses while a daemon runs', async () => {
  const home = await Home.make(tree)
  await home.inProcess('sync')
  const file = join(home.path, 'ledger.backup')
  await home.inProcess('backup', file)
  writeFileSync(join(home.path, 'odd'), 'not a database')
  const bytes = readFileSync(file)
  writeFileSync(join(home.path, 'torn'), bytes.subarray(0, bytes.length / 2))
  for (const name of ['odd', 'torn', 'none']) {
    const ended = await home.inProcess('restore', join(home.path, name))
    expect(ended, name).toMatchObject({ code: 64, err: expect.stringContaining('no sound backup') })
  }
  const daemon = await home.run()
  expect(await home.inProcess('restore', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('stop it first'),
  })
  daemon.child.kill('SIGTERM')
  await daemon.ended
  expect(readdirSync(join(home.path, 'state')).filter((name) => name.includes('replaced'))).toEqual(
    [],
  )
  expect(existsSync(join(home.path, 'state/ledger.db'))).toBe(true)
})
