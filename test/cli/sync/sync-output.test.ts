import { execFile } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test as inTurn } from 'vitest'
import { isNotRoot } from '../../rig/root-only.ts'
import { Home, until } from '../sluice.ts'

/** Each test waits for processes most of its time. */
const test = inTurn.concurrent

test('--json prints how the pass ended as one object, and nothing else on standard output', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one', 'copy.txt': 'one', 'photo.png': '\u0000' })
  const { code, out } = await home.inProcess('sync', '--json')
  expect(code).toBe(3)
  expect(JSON.parse(out)).toMatchObject({
    version: 1,
    complete: false,
    new: { files: 2, uploaded: { files: 1, bytes: 3 } },
    folders: [{ name: 'docs', state: 'online', stages: { ready: { files: 2, bytes: 6 } } }],
    problems: [{ stage: 'refused', files: 1, examples: [{ folder: 'docs', path: 'photo.png' }] }],
    over_limit_places: [],
    fault: null,
  })
})

test('a file whose bytes the project has gets a line of the log; one that is only touched gets none', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one', 'b.txt': 'two' })
  expect((await home.inProcess('sync')).code).toBe(0)
  home.write({ 'sub/copy.txt': 'one' })
  utimesSync(join(home.path, 'docs/b.txt'), 1, 1)
  const { code, err } = await home.sluice('sync')
  const lines = err.split('\n').filter((line) => line.includes('docs/'))
  expect([code, lines]).toEqual([
    0,
    [expect.stringContaining('"msg":"known to the service already: docs/sub/copy.txt"')],
  ])
})

test('--json says why a pass ended early', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const { code, out } = await home.inProcess('sync', '--json')
  expect(code).toBe(77)
  expect(JSON.parse(out)).toMatchObject({ complete: false, fault: { message: expect.any(String) } })
})

test('--json of one folder has the reasons of its own files, and counts only these', async (context) => {
  const pictures = ['1', '2', '3', '4'].map((name) => [`${name}.png`, `\u0000${name}\u0000`])
  const home = await Home.of(context, Object.fromEntries(pictures))
  mkdirSync(join(home.path, 'more'))
  writeFileSync(join(home.path, 'more/5.png'), '\u00005\u0000')
  home.configure({ folders: [{ name: 'more', path: join(home.path, 'more') }] })
  expect((await home.inProcess('sync')).code).toBe(3)
  const { code, out } = await home.inProcess('sync', 'more', '--json')
  expect(code).toBe(3)
  expect(JSON.parse(out).problems).toMatchObject([
    { files: 1, examples: [{ folder: 'more', path: '5.png' }] },
  ])
})

test('a pass goes on to its end if nobody reads standard error, or if its disk is full', async (context) => {
  const home = await Home.of(context, {})
  const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  const env = { PATH: process.env.PATH, HOME: home.path }
  const lines = ['"$@" 2> /dev/full', '"$@" 2> >(exec true)']
  for (const [turn, line] of lines.entries()) {
    home.write(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [`${turn}-${n}.txt`, `text ${turn} ${n}`]),
      ),
    )
    const words = ['-c', line, 'bash', process.execPath, program, 'sync']
    const { stdout } = await promisify(execFile)('bash', words, { cwd: home.path, env })
    expect(stdout).toContain(`ready      ${20 * (turn + 1)} files`)
  }
})

test('--quiet prints nothing if all is ready, and the summary if not', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  expect(await home.sluice('sync', '--quiet')).toMatchObject({ code: 0, out: '', err: '' })
  home.write({ 'photo.png': '\u0000' })
  expect(await home.inProcess('sync', '-q')).toMatchObject({
    code: 3,
    out: expect.stringContaining('not ready  1 file'),
  })
})

test('--log-file gets the log with dates, even after a rotation; --verbose adds details', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one', 'empty.txt': '' })
  const file = join(home.path, 'sluice.log')
  const daemon = home.start('run', '-v', '--log-file', 'sluice.log')
  const log = (name = file) => (existsSync(name) ? readFileSync(name, 'utf8') : '')
  await until('the file is ready', () => home.readyAssets() === 1)
  await until('the log has it', () => log().includes('INFO: sync: ready: docs/a.txt'), log)
  expect(log()).toMatch(/^\[\d{4}-\d\d-\d\dT\S+Z\] INFO: sluice \S+ is running config=/m)
  expect(log()).toContain('skipped: docs/empty.txt')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  renameSync(file, `${file}.1`)
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0, err: '' })
  expect(log()).toMatch(/INFO: stopped\n$/)
  expect(log(`${file}.1`)).not.toContain('stopped')
})

test('--log-file is refused in a watched folder, as a symbolic link, and where it cannot be written', async (context) => {
  const home = await Home.of(context, {})
  symlinkSync('target', join(home.path, 'link'))
  const linked = await home.sluice('sync', '--log-file', 'link')
  expect(linked).toMatchObject({
    code: 64,
    err: expect.stringContaining('link cannot be written: it is a symbolic'),
  })
  expect(existsSync(join(home.path, 'target'))).toBe(false)
  for (const [text, shown] of [
    ['', "''"],
    ['-', '-'],
  ] as const) {
    const { code, err } = await home.sluice('sync', '--log-file', text)
    expect([code, err]).toEqual([
      64,
      `sluice: ${shown} names no file\n  write ./- for one called -\n`,
    ])
  }
  const ledger = await home.sluice('sync', '--log-file', 'state/ledger.db')
  expect(ledger).toMatchObject({
    code: 64,
    err: expect.stringContaining('lies in the state directory'),
  })
  const refused = await home.sluice('sync', '--log-file', 'docs/sluice.log')
  expect(refused).toMatchObject({
    code: 64,
    err: expect.stringContaining('in the watched folder docs'),
  })
  const missing = await home.sluice('sync', '--log-file', 'nowhere/sluice.log')
  expect(missing).toMatchObject({
    code: 64,
    err: expect.stringContaining('nowhere/sluice.log cannot be written'),
  })
})

inTurn.skipIf(isNotRoot('a log file of another user'))(
  '--log-file is refused where it belongs to another user, who could read it',
  async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const file = join(home.path, 'sluice.log')
    writeFileSync(file, '')
    chownSync(file, 4_321, 4_321)
    const { code, err } = await home.sluice('sync', '--log-file', file)
    expect([code, err.replaceAll(/\s+/g, ' ')]).toEqual([
      64,
      expect.stringContaining(
        'sluice.log cannot be written: it belongs to another user (uid 4321)',
      ),
    ])
    expect(readFileSync(file, 'utf8')).toBe('')
    chownSync(file, 0, 0)
    expect((await home.sluice('sync', '--log-file', file)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('ready: docs/a.txt')
  },
)

test('a reload refuses a watched folder that contains the log file', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  mkdirSync(join(home.path, 'logs'))
  const daemon = home.start('run', '--log-file', 'logs/sluice.log')
  const log = join(home.path, 'logs/sluice.log')
  await until('it runs', () => existsSync(log) && readFileSync(log, 'utf8').includes('is running'))
  home.configure({ folders: [{ name: 'logs', path: join(home.path, 'logs') }] })
  const { code, err } = await home.sluice('reload')
  expect([code, err]).toEqual([
    expect.any(Number),
    expect.stringContaining('in the watched folder logs'),
  ])
  expect(code).not.toBe(0)
  daemon.child.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})

test('-v and -q exclude each other; rebuild and prompts run have them, too', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  for (const words of [['sync'], ['run'], ['rebuild'], ['prompts', 'run', 'digest']]) {
    const { code, err } = await home.inProcess(...words, '-v', '-q')
    expect([code, err]).toEqual([64, expect.stringContaining('mutually exclusive')])
  }
  const rebuilt = await home.sluice('rebuild', '-v', '--log-file', 'rebuild.log')
  expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('the ledger is rebuilt') })
  expect(readFileSync(join(home.path, 'rebuild.log'), 'utf8')).toContain(
    'INFO: sync: ready: docs/a.txt',
  )
})

test('under journald a line is text with a priority and without a time; log.format json stays', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  // Standard error is a pipe, which JOURNAL_STREAM names as systemd does.
  const script =
    'JOURNAL_STREAM=$(stat --dereference --format=%d:%i /proc/self/fd/2) exec "$0" "$@"'
  const synced = async (env: NodeJS.ProcessEnv = {}) => {
    const options = { cwd: home.path, env: { PATH: process.env.PATH, HOME: home.path, ...env } }
    return (
      await promisify(execFile)('sh', ['-c', script, process.execPath, program, 'sync'], options)
    ).stderr
  }
  expect((await synced()).split('\n')).toContain('<6>sync: ready: docs/a.txt')
  home.write({ 'b.txt': 'two' })
  const json = (await synced({ SLUICE_LOG_FORMAT: 'json' }))
    .split('\n')
    .find((line) => line.includes('ready: docs/b.txt'))
  expect(JSON.parse(json!.replace('<6>', ''))).toMatchObject({
    module: 'sync',
    step: 'ready',
    path: 'docs/b.txt',
  })
})
