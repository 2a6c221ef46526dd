import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtModule } from '../disk/as-nobody.ts'
import { makeTree } from '../tree.ts'
import { localJourneys } from './harness.ts'

const may_mount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
if (!may_mount)
  console.log('skipped: disks that come and go under a running daemon, for this is not root, or may not mount')

const files = 20

/**
 * A daemon over a folder that is a disk of its own (a tmpfs), in a mount namespace: the disk goes and comes while it runs. Each
 * scenario prints, as JSON, what the ledger says at each stop.
 */
const script = `
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createLog } from '${builtModule('base/log')}'
import { openSqliteReadOnly } from '${builtModule('base/sqlite')}'
import { ledger_version } from '${builtModule('ledger/migrations')}'
import { system_clock } from '${builtModule('base/time')}'
import { configFromObject } from '${builtModule('config/load')}'
import { openSecrets } from '${builtModule('config/secrets')}'
import { startDaemon } from '${builtModule('daemon/daemon')}'
import { startService } from '${builtModule('service/service')}'
const [place, profile, scenario] = process.argv.slice(2)
const root = place + '/docs'
const sh = (...words) => { const { status, stderr } = spawnSync(words[0], words.slice(1)); if (status !== 0) throw new Error(words.join(' ') + ': ' + stderr) }
const mount = (size = '16m') => sh('mount', '-t', 'tmpfs', '-o', 'size=' + size, 'none', root)
const fill = (from = 0, to = ${files}) => { for (let n = from; n < to; n++) writeFileSync(root + '/' + n + '.txt', 'text ' + n) }
const service = await startService({ data_dir: place + '/service', profile })
const { project_id } = service.projects.create('mounts')
writeFileSync(place + '/token', service.tokens.create('mounts').token, { mode: 0o600 })
const config = configFromObject({
  service: { base_url: service.api, project_id, token_file: place + '/token' },
  state_dir: place + '/state',
  folders: [{ name: 'docs', path: root, settle_ms: '100ms', on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }],
  scan: { missing_files: 5 }, removal: { most_files: 1000 }, uploads: { retry_first_ms: 20, retry_most_ms: 200, min_resend_s: 0 },
}, {})
const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
mkdirSync(root, { recursive: true })
mount()
fill()
const daemon = await startDaemon({ config, secrets: openSecrets(config, {}).secrets, clock: system_clock, log, mode: 'run' })
const view = openSqliteReadOnly(place + '/state/ledger.db', ledger_version)
const read = (sql) => view.prepare(sql).pluck()
const ready = read("SELECT count(*) FROM files JOIN contents ON contents.id = content WHERE files.state = 'present' AND contents.state = 'ready'")
const gone = read("SELECT count(*) FROM files WHERE state = 'gone'")
const failed = read("SELECT count(*) FROM contents WHERE state = 'refused'")
const reason = read('SELECT offline_reason FROM folders')
const deletes = () => service.requestLog.filter(({ place }) => place === 'assets.delete').length
const puts = () => service.requestLog.filter(({ place }) => place === 'put').length
const state = () => ({ why: reason.get(), ready: ready.get(), gone: gone.get(), failed: failed.get(), deletes: deletes() })
const until = async (fact) => { for (;;) { if (fact()) return; daemon.rescan('docs'); await system_clock.sleep(100) } }
const offline = async () => { await until(() => reason.get() !== null && !/compared/.test(reason.get())); await system_clock.sleep(1500); return state() }
const back = async (all = ${files}) => { await until(() => reason.get() === null && ready.get() >= all); await daemon.idle(); return { ...state(), puts: puts() } }
await until(() => ready.get() === ${files})
const stops = []
const scenarios = {
  async 'away and back'() {
    cpSync(root, place + '/copy', { recursive: true, preserveTimestamps: true })
    sh('umount', root)
    stops.push(await offline())
    mount()
    cpSync(place + '/copy', root, { recursive: true, preserveTimestamps: true })
    stops.push(await back())
  },
  async 'another disk'() {
    sh('umount', root)
    stops.push(await offline())
    // The kernel gives it the number that the first one had.
    mount('8m')
    writeFileSync(root + '/stray.txt', 'another disk')
    await until(() => /another disk/.test(reason.get()))
    stops.push(state())
    sh('umount', root)
    mount()
    fill()
    stops.push(await back())
  },
  async 'a file in its place'() {
    sh('umount', root)
    rmdirSync(root)
    writeFileSync(root, 'a file')
    stops.push(await offline())
    rmSync(root)
    mkdirSync(root)
    mount()
    fill()
    stops.push(await back())
  },
  async 'away while its files are sent'() {
    service.setBadDays({ failures: [{ route: 'assets.create', status: 503 }] })
    fill(${files}, ${files} + 10)
    await system_clock.sleep(500)
    sh('umount', '-l', root)
    service.setBadDays({ failures: [] })
    stops.push(await offline())
    mount()
    fill(0, ${files} + 10)
    stops.push(await back(${files} + 10))
  },
}
await scenarios[scenario]()
console.log(JSON.stringify(stops))
await daemon.stop()
view.close()
await service.close()
`

localJourneys('a disk of its own', (profile) => {
  function run(scenario: string): unknown {
    const place = makeTree({ 'service/': '' })
    const file = join(place, 'mounts.mjs')
    writeFileSync(file, script)
    const args = ['-m', '--propagation', 'private', process.execPath, file, place, profile, scenario]
    const child = spawnSync('unshare', args, { encoding: 'utf8', timeout: 58_000 })
    return JSON.parse(child.stdout || JSON.stringify(child.stderr))
  }

  const nothing_lost = { ready: files, gone: 0, failed: 0, deletes: 0 }

  test.skipIf(!may_mount)('unmounted while it runs, and mounted anew: nothing is gone, nothing is sent', () => {
    expect(run('away and back')).toEqual([
      { ...nothing_lost, why: 'it is empty, 0 of 20 files found: waiting; if that is right: sluice accept docs' },
      { ...nothing_lost, why: null, puts: files },
    ])
  })

  test.skipIf(!may_mount)('unmounted, then another disk at its place, of the same number, then the known one', () => {
    const other =
      'another disk is mounted here, or none: 0 of 20 files found: waiting; if that is right: sluice accept docs'
    expect(run('another disk')).toEqual([
      { ...nothing_lost, why: expect.stringContaining('it is empty, 0 of 20 files found: waiting') },
      { ...nothing_lost, why: other },
      { ...nothing_lost, why: null, puts: files },
    ])
  })

  test.skipIf(!may_mount)('a file at its place', () => {
    expect(run('a file in its place')).toEqual([
      { ...nothing_lost, why: expect.stringContaining('not a directory') },
      { ...nothing_lost, why: null, puts: files },
    ])
  })

  test.skipIf(!may_mount)('unmounted while its files are sent: later, and no failure', () => {
    expect(run('away while its files are sent')).toEqual([
      { ...nothing_lost, why: expect.stringContaining('0 of 30 files found') },
      { ...nothing_lost, ready: files + 10, why: null, puts: files + 10 },
    ])
  })
})
