import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { makeStore } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { makeDirectory, SluiceHome } from './sluice-home.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ data_dir: makeStore() })
})

afterAll(() => service.close())

const puts = () => service.requestLog.filter(({ place }) => place === 'put').length
const sync = (home: SluiceHome) => home.inProcess(['sync', '--config', home.at('sluice.yaml')])

function withLedger(file: string, pragma: string): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  database.pragma(pragma)
  database.close()
}

test('a ledger that is damaged, of a newer version, or no ledger: exit code 1, file unchanged; without it nothing is sent twice', async () => {
  const home = new SluiceHome({ 'a.txt': 'a', 'b.txt': 'b' })
  home.use(service)
  expect((await sync(home)).code).toBe(0)
  const ledger = home.at('state/ledger.db')
  // The ledger must be one file, so that no copy survives the damage below.
  withLedger(ledger, 'wal_checkpoint(TRUNCATE)')
  const good = readFileSync(ledger)

  const damages: Record<string, () => void> = {
    'is not a database': () => writeFileSync(ledger, Buffer.alloc(8_192, 'no database ')),
    malformed: () => truncateSync(ledger, good.length / 2),
    'malformed (': () =>
      writeFileSync(
        ledger,
        Buffer.concat([good.subarray(0, 4_096), Buffer.alloc(good.length - 4_096, 7)]),
      ),
    'written by a newer version': () => withLedger(ledger, 'user_version = 99'),
  }
  for (const [words, damage] of Object.entries(damages)) {
    writeFileSync(ledger, good)
    for (const rest of ['-wal', '-shm']) rmSync(ledger + rest, { force: true })
    damage()
    const before = readFileSync(ledger)
    for (const command of ['sync', 'status']) {
      const { code, err } = await home.inProcess([command, '--config', home.at('sluice.yaml')])
      expect(code, `${words}, ${command}: ${err}`).toBe(1)
      expect(err).toContain(words.replace(' (', ''))
      expect(err).toContain(ledger)
      expect(err.trimEnd().split('\n').at(-1), 'a hint').toMatch(/^ {2}\S/)
      expect(err).not.toContain('fault of Sluice itself')
    }
    // The first 100 bytes are SQLite's own header, which has a counter that changes when the file
    // is opened.
    expect(
      readFileSync(ledger).subarray(100).equals(before.subarray(100)),
      `${words}: it is left as it is`,
    ).toBe(true)
  }

  rmSync(ledger)
  const sent = puts()
  const again = await sync(home)
  expect(again.code, again.err).toBe(0)
  expect(home.stages()).toEqual({ 'a.txt': 'ready', 'b.txt': 'ready' })
  expect(puts()).toBe(sent)
}, 60_000)

const newest = ledger_migrations.at(-1)!.version

/** A daemon of an earlier version may hold the ledger until its restart. */
test.each([14, 15])(
  'a ledger of format %i is named by each reading command, until a pass',
  async (format) => {
    const home = new SluiceHome({ 'a.txt': 'from before the upgrade' })
    home.use(service)
    const file = home.at('state/ledger.db')
    const migrations = ledger_migrations.filter(({ version }) => version <= format)
    mkdirSync(home.at('state'), { mode: 0o700 })
    openSqlite({ file, migrations, synchronous: 'FULL' }).close()
    const config = ['--config', home.at('sluice.yaml')]
    const reading = [
      ['status'],
      ['ls'],
      ['prompts', 'list'],
      ['plan'],
      ['verify'],
      ['explain', home.at('docs/a.txt')],
    ]
    for (const command of reading) {
      const { code, err } = await home.inProcess([...command, ...config])
      expect(code, `${command[0]}: ${err}`).toBe(1)
      expect(err).toBe(
        `sluice: ${file} was written by an earlier version of Sluice (format ${format}, this program reads ${newest})\n` +
          '  restart the daemon, or run `sluice sync` if none is running: it brings the ledger to the new format\n',
      )
    }
    const doctor = await home.inProcess(['doctor', ...config])
    expect(doctor.out + doctor.err).not.toMatch(/SQLITE_|no such (table|column)/)
    const backup = await home.inProcess(['backup', home.at('before.db'), ...config])
    expect(backup.code, backup.err).toBe(0)
    const old = openSqlite({ file, migrations, synchronous: 'FULL' })
    onTestFinished(() => void old.close())
    old.exec(`INSERT INTO pause (id, since_ms, by_whom) VALUES (1, 0, 'ada')`)
    expect((await sync(home)).err).toContain('`sluice resume` ends the pause')
    old.exec('DELETE FROM pause')
    const pass = await sync(home)
    expect(pass.code, pass.err).toBe(0)
    for (const command of reading) {
      const { code, err } = await home.inProcess([...command, ...config])
      expect(code, `${command[0]}: ${err}`).toBe(0)
    }
  },
)

test('a second daemon on the same state directory is refused; the first continues', async () => {
  const home = new SluiceHome({ 'a.txt': 'two daemons' })
  const project_id = home.use(service)
  const first = home.start(['run'])
  await until('the first runs', () => first.err().includes('is running'), first.err)
  const second = await home.sluice(['run'])
  expect(second.code).toBe(1)
  expect(second.err).toMatch(
    /another Sluice process is at work on .*state: sluice run \(process \d+ on .+\)\n {2}stop it first/,
  )
  home.write({ 'b.txt': 'after the second had gone' })
  await until(
    'both are ready',
    () => service.assets(project_id).filter(({ status }) => status === 'ready').length === 2,
    first.err,
  )
  first.child.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)
}, 60_000)

test('a state directory that is not writable, or is a file, is reported with what to do', async () => {
  const home = new SluiceHome({ 'a.txt': 'no place to remember it' })
  home.use(service)
  chmodSync(home.at('token'), 0o644)
  makeDirectory(home.at('state'), 0o555)
  const closed = await home.sluice(['sync'], { unprivileged: true })
  expect(closed.code, closed.err).toBe(77)
  expect(closed.err).toMatch(
    /this user may not write what Sluice keeps in .*state\n {2}run this as the user that/,
  )
  rmSync(home.at('state'), { recursive: true })
  writeFileSync(home.at('state'), 'a file')
  const file = await sync(home)
  expect(file.code, file.err).not.toBe(0)
  expect(file.err).toMatch(/state.*\n {2}\S/)
}, 60_000)

/**
 * Fills the small disk with a first pass, then with many files, adds space, and prints the result
 * of each pass.
 */
const disk_full_script = `
set -u
mount -t tmpfs -o size=850k,mode=0700 tmpfs "$STATE" || exit 9
"$@" sync > "$OUT/1.out" 2> "$OUT/1.err"; echo "first $?"
for i in $(seq 1 400); do echo "file $i" > "$DOCS/a-rather-long-name-to-fill-the-ledger-$i.txt"; done
timeout -k 1 40 "$@" sync > "$OUT/2.out" 2> "$OUT/2.err"; echo "full $?"
mount -o remount,size=64m "$STATE"
"$@" sync > "$OUT/3.out" 2> "$OUT/3.err"; echo "room $?"
`

test('a full disk under the ledger ends a pass with exit code 1; with space again every file is uploaded once', async (context) => {
  if (isNotRoot('a small disk')) return context.skip()
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) {
    console.warn('skipped: a small disk needs mount namespaces')
    return context.skip()
  }
  const home = new SluiceHome({ 'first.txt': 'the first' })
  const project_id = home.use(service)
  mkdirSync(home.at('state'), { mode: 0o700 })
  mkdirSync(home.at('out'))
  const script = home.at('fill.sh')
  writeFileSync(script, disk_full_script)
  const env = { STATE: home.at('state'), DOCS: home.at('docs'), OUT: home.at('out') }
  const run = home.start(['--config', home.at('sluice.yaml')], {
    env,
    command: ['unshare', '-m', 'sh', script],
  })
  const { out } = await run.ended
  const outputOf = (name: string) => readFileSync(home.at(`out/${name}`), 'utf8')
  expect(out, outputOf('1.err') + outputOf('2.err').slice(-2_000)).toBe('first 0\nfull 1\nroom 0\n')
  expect(outputOf('2.err')).toMatch(
    /sluice: .*(ledger|tickets)\.db: .*(database or disk is full|disk I\/O error)$/m,
  )
  expect(outputOf('2.err').trimEnd().split('\n').at(-1)).toMatch(/^ {2}\S/)
  const ready = service.assets(project_id).filter(({ status }) => status === 'ready')
  expect(ready).toHaveLength(401)
  expect(new Set(ready.map(({ md5 }) => md5)).size).toBe(401)
}, 90_000)
