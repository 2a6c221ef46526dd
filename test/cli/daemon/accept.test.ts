import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test as inTurn } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { Home, until, untilAnswer } from '../sluice.ts'

const Database = sqliteDriver()

const test = inTurn.concurrent

const png = Buffer.from('\x89PNG\0\0', 'latin1')

test('retry sends a refused file again, without a daemon and through one', async (context) => {
  const home = await Home.of(context, {
    'a.txt': 'one',
    'x.png': png,
    'deep/y.png': Buffer.concat([png, png]),
  })
  const puts = () => home.service.requestLog.filter(({ place }) => place === 'put').length
  expect((await home.sluice('sync')).code).toBe(3)
  expect(puts()).toBe(3)

  expect(await home.inProcess('retry', 'docs/deep')).toMatchObject({
    code: 0,
    out: 'docs/deep: 1 file (12 B) will be tried again now (1 refused)\n',
    err: expect.stringContaining('no daemon is running'),
  })
  expect((await home.inProcess('sync')).code).toBe(3)
  expect(puts()).toBe(4)

  const daemon = await home.run()
  expect(await home.inProcess('retry')).toMatchObject({
    code: 0,
    out: 'docs: 2 files (18 B) will be tried again now (2 refused)\n',
    err: '',
  })
  await until('both were sent again', () => puts() === 6, daemon.err)
  expect(await home.inProcess('retry', 'docs/a.txt')).toMatchObject({
    out: 'docs/a.txt: no file there waits for a retry; `sluice explain` says what a file waits for\n',
  })
})

test('retry during a pause says that files are tried again after it', async (context) => {
  const home = await Home.of(context, { 'x.png': png })
  expect((await home.inProcess('sync')).code).toBe(3)
  await home.inProcess('pause')
  expect((await home.inProcess('retry')).out).toBe(
    'docs: 1 file (6 B) will be tried again after the pause (1 refused)\n',
  )
})

test('accept releases the files that the upload limit holds', async (context) => {
  const home = await Home.of(context, { 'a/1.txt': '1', 'a/2.txt': '22', 'b/3.txt': '333' })
  home.configure({ uploads: { limit: { files: 1 } } })
  const { code, out } = await home.inProcess('sync')
  expect([code, home.readyAssets()]).toEqual([3, 1])
  expect(out).toMatch(/held by the upload limit \(\d B\): sluice accept docs/)
  expect((await home.inProcess('retry')).out).toBe(
    'docs: no file there waits for a retry; still waiting: 2 held back until a user accepts them\n',
  )
  const accepted = await home.inProcess('accept', 'docs')
  expect(accepted.out).toMatch(/^docs: 2 files \(\d B\) will be uploaded now\n$/)
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: expect.stringContaining('ready      3 files'),
  })
  expect(await home.inProcess('accept', 'docs')).toMatchObject({
    out: 'docs: nothing is held back\n',
  })
})

test('a type that the service cannot read: status, ls and plan name it, accept uploads it, init and another plan know it', async (context) => {
  const pictures = (from: number, to: number) =>
    Object.fromEntries(
      Array.from({ length: to - from }, (_, index) => [
        `${from + index}.png`,
        Buffer.from(`\x89PNG\0\0${from + index}`, 'latin1'),
      ]),
    )
  const home = await Home.of(context, pictures(0, 20))
  const puts = () => home.service.requestLog.filter(({ place }) => place === 'put').length
  expect((await home.inProcess('sync')).out).toContain('the service cannot read .png files')
  home.write({ ...pictures(20, 23), 'a.txt': 'text' })
  const why = 'the service cannot read .png files'
  const synced = await home.inProcess('sync')
  expect([synced.code, puts(), home.readyAssets()]).toEqual([3, 21, 1])
  expect(synced.out).toMatch(new RegExp(`not ready +23 files.*\n +23 × ${why} \\(in docs/\\)`))
  expect((await home.inProcess('status')).out).toContain('exclude: ["*.[pP][nN][gG]"]')
  expect(
    (await home.inProcess('ls', '--state', 'blocked')).out.match(
      /blocked .*cannot read \.png files/g,
    ),
  ).toHaveLength(3)
  expect((await home.inProcess('plan')).out).toContain(
    '3 files (24 B): of a type that the service could not read',
  )
  expect((await home.inProcess('verify')).out).toContain('20 refused, 3 blocked')

  expect((await home.inProcess('retry')).out).toBe(
    'docs: 20 files (150 B) will be tried again now (20 refused); still waiting: 3 of a type that the service could not read\n',
  )
  expect((await home.inProcess('accept', 'docs/20.png')).out).toBe(
    'docs/20.png: 1 file (8 B) will be uploaded now\n',
  )
  expect((await home.inProcess('accept', '*.png', '--undo')).out).toContain(
    'the type is not accepted',
  )
  const from_now_on =
    "will be uploaded now, and all files of the type from now on; `sluice accept '*.png' --undo` ends that\n"
  expect((await home.inProcess('accept', '*.png')).out).toBe(
    `docs/*.png: 2 files (16 B) ${from_now_on}`,
  )
  expect((await home.inProcess('accept', '!*.png')).code).toBe(64)
  expect((await home.inProcess('accept', '!*')).err).toContain('!* names no file')
  expect((await home.inProcess('accept', '*.png', '--undo')).out).toBe(
    'docs/*.png: no longer accepted; while the service has read none of 20 such files, the next pass holds the others back, and Sluice then tries one a day; files that are on their way go on\n',
  )
  for (const undo of [[], ['--undo']]) {
    expect(await home.inProcess('accept', '!*.png', ...undo)).toMatchObject({
      code: 64,
      err: expect.stringMatching(
        /!\*\.png names no file.*\n.*`sluice accept '\*\.png' --undo` ends the acceptance/s,
      ),
    })
  }
  expect((await home.inProcess('sync')).out).toMatch(/^not ready +23 files/m)
  expect(puts()).toBe(21)
  expect((await home.inProcess('accept', '*.png')).out).toBe(
    `docs/*.png: 23 files (174 B) ${from_now_on}`,
  )
  expect(await home.inProcess('accept', 'docs/20.png', '--undo')).toMatchObject({
    code: 64,
    err: expect.stringContaining('--undo is about a type of files, and docs/20.png is none'),
  })
  expect(await home.inProcess('accept', 'docs/none.png')).toMatchObject({
    code: 64,
    err: expect.stringContaining('docs/none.png matches no file that Sluice knows'),
  })
  await home.inProcess('sync')
  expect([puts(), (await home.inProcess('ls', '--state', 'blocked')).out]).toEqual([21 + 23, ''])
  expect((await home.inProcess('plan')).out).not.toContain('could not read')

  // Another daemon has no ledger yet. The service lists no ready picture.
  rmSync(join(home.path, 'state'), { recursive: true })
  const planned = await home.inProcess('plan')
  expect(planned.out).toContain(
    '23 files (174 B): of a type that the service could not read so far',
  )
  expect(planned.out).toContain(
    'this setting of the folder leaves them out: exclude: ["*.[pP][nN][gG]"]',
  )
  const flags = [
    '--base-url',
    home.service.api,
    '--token-file',
    join(home.path, 'token'),
    '--project',
    home.project_id,
  ]
  const made = await home.sluice(
    'init',
    ...flags,
    '--folder',
    'docs=docs',
    '--yes',
    '--config',
    'made.yaml',
  )
  expect(made.err.replaceAll(/\s+/g, ' ')).toContain(
    `23 files: the service could read none of the first 20 .png files; to leave them out, add to the folder: exclude: ["*.[pP][nN][gG]"]`,
  )
})

test('files that wait for the first of their type: sync and status say for what; retry and accept send them all the same', async (context) => {
  const tree = Object.fromEntries(
    Array.from({ length: 25 }, (_, at) => [`${at}.gz`, `archive ${10 + at}`]),
  )
  const home = await Home.of(context, tree, { ingest: { delay_ms: 3_600_000 } })
  home.configure({ constants: { follow: { pass_wait_ms: 1_000 } } })
  const puts = () => home.service.requestLog.filter(({ place }) => place === 'put').length
  const waits =
    'it waits for the result of the first 20 .gz files: the service has not read one yet'
  const { code, out, err } = await home.sluice('sync')
  expect([code, puts()]).toEqual([3, 20])
  expect(err).toContain('the service is still reading 20 files')
  expect(out).toMatch(/^on the way 25 files/m)
  expect(out).toContain(`5 × ${waits}, next try in `)
  expect(out).not.toContain('refused')
  expect((await home.inProcess('status')).out).toMatch(`: ${waits}`)
  const [file] = JSON.parse((await home.inProcess('ls', '--json', '--state', 'waiting')).out).files
  expect((await home.inProcess('explain', `docs/${file.path}`)).out).toContain(waits)

  expect((await home.inProcess('retry', `docs/${file.path}`)).out).toContain(
    '1 file (10 B) will be tried again now (1 waiting for the first files of their type)',
  )
  expect((await home.sluice('sync')).code).toBe(3)
  expect(puts()).toBe(21)
  expect((await home.inProcess('accept', '*.gz')).out).toContain(
    '*.gz: 4 files (40 B) will be uploaded now',
  )
  expect((await home.sluice('sync')).code).toBe(3)
  expect(puts()).toBe(25)
})

test('accept confirms missing files without a daemon: the next pass records them as deleted, and files over the upload limit still wait', async (context) => {
  const lost = Object.fromEntries(
    Array.from({ length: 11 }, (_, index) => [`lost/${index}.txt`, `text ${index}`]),
  )
  const home = await Home.of(context, lost)
  home.configure({ uploads: { limit: { files: 11 } } })
  expect((await home.inProcess('sync')).code).toBe(0)
  home.write({ 'kept/a.txt': 'a', 'kept/b.txt': 'bb' })
  expect((await home.inProcess('sync')).code).toBe(3)
  // Only a few files are left, as if the disk were not mounted.
  rmSync(join(home.path, 'docs/lost'), { recursive: true })
  rmSync(join(home.path, 'docs/kept'), { recursive: true })
  expect(await home.inProcess('sync')).toMatchObject({
    out: expect.stringContaining('0 of 11 files found: waiting'),
  })
  expect((await home.inProcess('status')).out).toContain(
    '`sluice accept docs` confirms only the deletions',
  )
  // The ledger of an earlier version has no value in this column.
  const ledger = new Database(join(home.path, 'state/ledger.db'))
  ledger.prepare('UPDATE folders SET disappearance = NULL').run()
  ledger.close()
  expect((await home.inProcess('accept', 'docs')).out).toContain(
    'not checked since Sluice was upgraded',
  )
  expect(await home.inProcess('sync')).toMatchObject({
    out: expect.stringContaining('0 of 11 files found: waiting'),
  })
  expect(await home.inProcess('accept', 'docs')).toMatchObject({
    code: 0,
    out:
      'docs: the missing files count as deleted now; 2 files (3 B) are still held back: ' +
      'accept them again when the folder is online\n',
    err: expect.stringContaining('no daemon is running'),
  })
  home.write({ 'kept/a.txt': 'a', 'kept/b.txt': 'bb' })
  const { code, out } = await home.inProcess('sync')
  expect([code, home.readyAssets()]).toEqual([3, 11])
  expect(out).toMatch(/held by the upload limit \(\d B\): sluice accept docs/)
  expect(await home.inProcess('accept', 'docs')).toMatchObject({
    out: 'docs: 2 files (3 B) will be uploaded now\n',
  })
  expect((await home.inProcess('sync')).code).toBe(0)
  expect(home.readyAssets()).toBe(13)
})

test('accept --removals lets Sluice remove more assets than it removes by itself', async (context) => {
  const home = await Home.of(context, {
    'a/1.txt': 'one',
    'a/2.txt': 'one',
    'a/3.txt': 'three',
    'b/4.txt': 'four',
  })
  const removing = { on_delete: 'remove', delete_grace_ms: '1s' }
  home.configure({ folder: removing, removal: { max_files: 0, max_percent: 0 } })
  expect((await home.inProcess('sync')).code).toBe(0)
  for (const name of ['1', '2', '3']) rmSync(join(home.path, 'docs/a', `${name}.txt`))
  const daemon = await home.run()
  const rescanned = async () => {
    await home.inProcess('rescan')
    return home.inProcess('status')
  }
  await untilAnswer('status names the removals', rescanned, ({ out }) =>
    out.includes('sluice accept --removals docs'),
  )
  expect(await home.inProcess('accept', '--removals', 'docs/b')).toMatchObject({
    code: 0,
    out: 'docs/b: nothing there waits to be removed on the service\n',
  })
  expect(home.readyAssets()).toBe(3)
  expect(await home.inProcess('accept', '--removals', 'docs/a')).toMatchObject({
    code: 0,
    out: 'docs/a: 2 versions (8 B) may be removed on the service now\n',
  })
  await until('both are gone there', () => home.readyAssets() === 1, daemon.err)
})

test('accept and retry refuse a path outside all folders; retry of an empty folder says that no file is refused', async (context) => {
  const home = await Home.of(context)
  expect(await home.inProcess('accept', '*')).toMatchObject({
    code: 64,
    err: expect.stringContaining('* matches no file'),
  })
  expect(await home.inProcess('accept', '/etc')).toMatchObject({
    code: 64,
    out: '',
    err: expect.stringMatching(/\/etc is in no folder of the configuration\n.*docs \(/),
  })
  expect(await home.inProcess('retry', 'docs', '/etc')).toMatchObject({ code: 64 })
  expect(await home.inProcess('retry', 'docs')).toMatchObject({
    code: 0,
    out: 'docs: no file there waits for a retry; `sluice explain` says what a file waits for\n',
  })
})
