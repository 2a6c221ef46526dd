import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test as inTurn } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { setStatusThere } from '../../service/set-status.ts'
import { Home, until } from '../sluice.ts'

/** Each test waits for processes most of its time. */
const test = inTurn.concurrent

const project_of_nobody = 'project_00000000000000000000'

test('one pass sends new files, sends no known one, and ends with 0', async (context) => {
  const home = await Home.of(context, {
    'a.txt': 'one',
    'b/c.txt': 'two',
    'copy.txt': 'one',
    '~$lock.docx': 'x',
  })
  const { code, out, err } = await home.sluice('sync')
  expect([code, home.readyAssets()], err).toEqual([0, 2])
  expect(out.split('\n').slice(0, 2)).toEqual([
    'ready      3 files, 9 B',
    '           new: 2 uploaded (6 B), 1 with bytes already known',
  ])
  const creates = () =>
    home.service.requestLog.filter(({ place }) => place === 'assets.create').length
  expect(creates()).toBe(2)
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: 'ready      3 files, 9 B\n           nothing new\n',
  })
  expect(creates()).toBe(2)
})

test('reports refused and skipped files with their reason: exit code 3', async (context) => {
  const home = await Home.of(context, {
    'a.txt': 'one',
    'photo.png': Buffer.from('\x89PNG\0\0', 'latin1'),
    'empty.txt': '',
  })
  const { code, out } = await home.inProcess('sync')
  expect(code).toBe(3)
  expect(out).toMatch(
    /^not ready {2}1 file, .*\n {11}1 × the service cannot read \.png files \(docs\/photo\.png\)$/m,
  )
  expect(out).toMatch(
    /^skipped {4}1 file, 0 B\n {11}1 × it has no bytes, .* \(docs\/empty\.txt\)$/m,
  )
})

test('syncs one folder by its name or path, and does not scan the others', async (context) => {
  const other = makeTree({ 'x.txt': 'other' })
  const home = await Home.of(context, { 'a.txt': 'one' })
  home.configure({ folders: [{ name: 'other', path: other, settle_ms: '50ms' }] })
  expect(await home.inProcess('sync', 'docs')).toMatchObject({
    code: 0,
    out: expect.stringContaining('ready      1 file, 3 B'),
  })
  expect(home.readyAssets()).toBe(1)
  expect(await home.inProcess('sync', other)).toMatchObject({
    code: 0,
    out: expect.stringContaining('ready      1 file, 5 B'),
  })
  expect(home.readyAssets()).toBe(2)
  expect((await home.inProcess('sync', 'docs/a.txt')).err).toContain(
    'a scan is about whole folders',
  )
  expect((await home.inProcess('sync', 'nothing')).code).toBe(64)
})

test('an offline folder: exit code 3, and the summary does not say that all files are ready', async (context) => {
  const home = await Home.of(context)
  rmSync(join(home.path, 'docs'), { recursive: true })
  expect(await home.inProcess('sync')).toMatchObject({
    code: 3,
    out: expect.stringContaining('offline    docs: '),
  })
})

test('a file that the scan could not read: sync and status exit with 3', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  writeFileSync(
    Buffer.concat([Buffer.from(join(home.path, 'docs/')), Buffer.from([0x78, 0xff])]),
    'hidden',
  )
  expect(await home.inProcess('sync')).toMatchObject({
    code: 3,
    out: expect.stringContaining('incomplete docs: 1 ×'),
  })
  const status = await home.inProcess('status')
  expect(status).toMatchObject({
    code: 3,
    out: expect.stringMatching(/^.*1 needs? attention: .*in docs with a name that is not UTF-8/),
  })
})

test.for([
  ['no token', (home: Home) => rmSync(join(home.path, 'token')), /cannot read the token file/],
  [
    'a token that the service refuses',
    (home: Home) => home.giveToken(`pat_${'x'.repeat(32)}`),
    /account|token|401/i,
  ],
  [
    'an unreachable project',
    (home: Home) => home.configure({ service: { project_id: project_of_nobody } }),
    /project/,
  ],
] as const)(
  '%s: exit code 77, and no file changes its state',
  async ([_what, spoil, err], context) => {
    const home = await Home.of(context, { 'a.txt': 'one' })
    spoil(home)
    const ended = await home.inProcess('sync')
    expect([ended.code, ended.err]).toEqual([77, expect.stringMatching(err)])
    home.giveToken()
    home.configure()
    expect(await home.inProcess('sync')).toMatchObject({ code: 0 })
  },
)

test('beside a running daemon: the daemon scans, and sync waits for it', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  // Without a watcher, only the requested scan finds the second file.
  home.configure({ folder: { watch: 'scan' } })
  const daemon = await home.run()
  await until('the first is ready', () => home.readyAssets() === 1, daemon.err)
  home.write({ 'b.txt': 'two' })
  const { code, out, err } = await home.inProcess('sync')
  expect([code, home.readyAssets()]).toEqual([0, 2])
  expect(err).toContain(`a daemon is running (process ${daemon.child.pid})`)
  expect(out).toContain('ready      2 files, 6 B')
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})

test('two passes at once: the second asks the first, both end with 0, and nothing is sent twice', async (context) => {
  const home = await Home.of(context, {}, { injected_faults: { latency_ms: 50 } })
  home.write(
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.txt`, `text ${at}`])),
  )
  const first = home.start('sync')
  await until(
    'the first is at work',
    () => home.service.requestLog.some(({ place }) => place === 'put'),
    first.err,
  )
  const second = await home.inProcess('sync')
  expect([second.code, (await first.ended).code], second.err).toEqual([0, 0])
  expect(second.out).toContain('ready      40 files')
  expect(home.service.requestLog.filter(({ place }) => place === 'put')).toHaveLength(40)
})

test('beside a daemon with a refused token: exit code 77, at once', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const daemon = await home.run()
  await until('it is ready', () => home.readyAssets() === 1, daemon.err)
  home.service.tokens.revoke('cli 1')
  home.write({ 'b.txt': 'two' })
  expect((await home.inProcess('sync')).code).toBe(77)
  // The daemon continues, and loads the new token by itself.
  home.giveToken()
  await until('both are ready', () => home.readyAssets() === 2, daemon.err)
})

test('Ctrl-C: running uploads finish, the others are reported as waiting: exit code 3', async (context) => {
  const home = await Home.of(context, {}, { injected_faults: { latency_ms: 100 } })
  home.write(
    Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.txt`, `text ${at}`])),
  )
  const sync = home.start('sync')
  await until(
    'something is sent',
    () => home.service.requestLog.some(({ place }) => place === 'put'),
    sync.err,
  )
  sync.child.kill('SIGINT')
  const { code, signal, out, err } = await sync.ended
  expect([code, signal]).toEqual([3, null])
  expect(err).toContain('stopping: transfers in progress are finished')
  expect(out).toMatch(/^on the way \d+ files/m)
  // No slot is left without bytes.
  expect(home.service.assets(home.project_id).filter(({ bare }) => bare)).toEqual([])
  expect((await home.inProcess('sync')).code).toBe(0)
  expect(home.readyAssets()).toBe(60)
})

test('a file that the service reads for long is left to the next pass, with a daemon and without: exit code 3, and it is not sent again', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' }, { ingest: { delay_ms: 3_600_000 } })
  home.configure({ constants: { follow: { pass_wait_ms: 1_000 } } })
  const first = await home.sluice('sync')
  expect([first.code, first.err]).toEqual([
    3,
    expect.stringMatching(
      /^sluice: the service is still reading 1 file, and nothing has changed for 1 s$/m,
    ),
  ])
  expect(first.err).toContain('the next `sluice sync`, or a running daemon, waits for them')
  expect(first.out).toMatch(
    /^on the way 1 file, 3 B\n {11}1 × uploaded, and still read by the service$/m,
  )

  const daemon = await home.run()
  const beside = await home.sluice('sync')
  expect([beside.code, beside.err]).toEqual([3, expect.stringContaining('still reading 1 file')])
  daemon.child.kill('SIGTERM')
  await daemon.ended

  setStatusThere(home.service, home.service.assets(home.project_id)[0]!.asset_id, 'ready')
  expect(await home.inProcess('sync')).toMatchObject({
    code: 0,
    out: expect.stringContaining('ready      1 file'),
  })
  expect(home.service.requestLog.filter(({ place }) => place === 'put')).toHaveLength(1)
})
