import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProfileName } from '../../../src/service/options.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'

export const files = 20

/**
 * A tmpfs is new each time. ext4 is a file with an image, one for each name, on a loop device with
 * the same number each time.
 */
export type Disk = 'tmpfs' | 'ext4'

/**
 * Prefix for the command of a script that uses a loop device. Only one script runs at a time: it
 * releases its device between two images, and needs the same one again.
 */
export const loop_lock = ['flock', join(tmpdir(), 'sluice-loop-devices.lock')]

/** True if this machine allows its tests to mount; if not, it prints that they are skipped. */
export function mayMount(disk: Disk): boolean {
  if (isNotRoot(`${disk} that is mounted and unmounted under a running daemon`)) return false
  const root = makeTree()
  const image = join(root, 'image')
  const command =
    disk === 'tmpfs'
      ? 'mount -t tmpfs none /mnt'
      : `truncate -s 8M ${image} && mkfs.ext4 -q ${image} && mount -o loop ${image} /mnt`
  const [first = '', ...words] = [
    ...(disk === 'ext4' ? loop_lock : []),
    'unshare',
    '-m',
    '--propagation',
    'private',
  ]
  const { status, stderr, error } = spawnSync(first, [...words, 'sh', '-c', command])
  if (status !== 0)
    console.log(
      `skipped: ${disk} cannot be mounted here: ${error?.message ?? String(stderr).trim()}`,
    )
  return status === 0
}

/**
 * A daemon over a folder on its own disk, in a mount namespace: the disk goes offline and online
 * while it runs. Each scenario prints the state of the ledger at each step as JSON.
 */
const script = `
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createLog } from '${builtModule('base/text/log')}'
import { openSqliteReadOnly } from '${builtModule('base/files/sqlite')}'
import { ledger_migrations } from '${builtModule('ledger/file/ledger-file')}'
import { system_clock } from '${builtModule('base/time/time')}'
import { constants } from '${builtModule('config/schema/constants')}'
import { configFromObject } from '${builtModule('config/load')}'
import { openSecrets } from '${builtModule('config/secrets')}'
import { startDaemon } from '${builtModule('daemon/daemon')}'
import { startService } from '${builtModule('service/service')}'
const [place, profile, scenario, disk] = process.argv.slice(2)
const root = place + '/docs'
const sh = (...words) => { const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' }); if (status !== 0) throw new Error(words.join(' ') + ': ' + stderr); return stdout }
// A disk is busy while a scan reads it.
const umount = (target) => { for (let tries = 0; ; tries++) try { return sh('umount', target) } catch (error) { if (tries > 100 || !/busy/.test(error.message)) throw error; sh('sleep', '0.05') } }
let loop
// Each image is born at a time of its own, as any two disks are.
const image = (name) => {
  const file = place + '/' + name + '.img'
  if (existsSync(file)) return file
  sh('truncate', '-s', '16M', file)
  sh('env', 'E2FSPROGS_FAKE_TIME=' + (1_700_000_000 + name.charCodeAt(0)), 'mkfs.ext4', '-q', file)
  return file
}
const mount = (name = 'a') => {
  if (disk === 'tmpfs') return sh('mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', root)
  if (loop === undefined) loop = sh('losetup', '-f', '--show', image(name)).trim()
  else sh('losetup', loop, image(name))
  sh('mount', loop, root)
  // The device releases the image by itself when the mount ends, even with this process.
  sh('losetup', '-d', loop)
}
// Restored files have their former times.
const fill = (from = 0, to = ${files}) => { for (let n = from; n < to; n++) { writeFileSync(root + '/' + n + '.txt', 'text ' + n); utimesSync(root + '/' + n + '.txt', 1_700_000_000, 1_700_000_000) } }
const service = await startService({ data_dir: place + '/service', profile })
const { project_id } = service.projects.create('mounts')
writeFileSync(place + '/token', service.tokens.create('mounts').token, { mode: 0o600 })
Object.assign(constants.scan, { missing_files: 5 })
Object.assign(constants.watching, { root_check_ms: 500, scan_rest_ms: 200 })
Object.assign(constants.uploads, { retry_first_ms: 20, max_retry_ms: 200 })
const config = configFromObject({
  service: { base_url: service.api, project_id, token_file: place + '/token' },
  state_dir: place + '/state',
  folders: [{ name: 'docs', path: root, settle_ms: '100ms', on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }],
  removal: { max_files: 1000 }, uploads: { min_resend_s: 0 },
}, {})
const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
mkdirSync(root, { recursive: true })
mount()
fill()
let ahead_ms = 0
const clock = { ...system_clock, now_ms: () => system_clock.now_ms() + ahead_ms }
const start = () => startDaemon({ config, secrets: openSecrets(config, {}).secrets, clock, log, mode: 'run' })
let daemon = await start()
const view = openSqliteReadOnly(place + '/state/ledger.db', ledger_migrations)
const read = (sql) => view.prepare(sql).pluck()
const ready = read("SELECT count(*) FROM files JOIN contents ON contents.id = content WHERE files.state = 'present' AND contents.state = 'ready'")
const gone = read("SELECT count(*) FROM files WHERE state = 'gone'")
const failed = read("SELECT count(*) FROM contents WHERE state = 'refused'")
// Files that the last complete scan found. A loss is measured against this number.
const known = read("SELECT json_extract(scan_summary, '$.files') FROM folders")
const present = read("SELECT count(*) FROM files WHERE state = 'present'")
const blocked = read("SELECT count(*) FROM files WHERE state = 'blocked' AND detail LIKE 'another disk%'")
const strays = read("SELECT count(*) FROM files WHERE path LIKE '%stray%'")
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
    umount(root)
    stops.push(await offline())
    mount()
    cpSync(place + '/copy', root, { recursive: true, preserveTimestamps: true })
    stops.push(await back())
  },
  async 'the same disk, away and back'() {
    umount(root)
    stops.push(await offline())
    mount()
    stops.push(await back())
  },
  async 'swapped at once'() {
    umount(root)
    mount('b')
    for (let n = 0; n < 2 * ${files}; n++) writeFileSync(root + '/stray ' + n + '.txt', 'another disk ' + n)
    await until(() => /another d/.test(reason.get()) && !/compared/.test(reason.get()))
    await system_clock.sleep(1500)
    stops.push(state())
    umount(root)
    mount()
    stops.push({ ...(await back()), strays: strays.get() })
  },
  async 'swapped while it is stopped'() {
    await daemon.stop()
    umount(root)
    mount('b')
    for (let n = 0; n < 2 * ${files}; n++) writeFileSync(root + '/stray ' + n + '.txt', 'another disk ' + n)
    daemon = await start()
    stops.push(await offline())
    umount(root)
    mount()
    stops.push({ ...(await back()), strays: strays.get() })
  },
  async 'another disk inside'() {
    mkdirSync(root + '/sub/deep', { recursive: true })
    for (const name of ['1.txt', '2.txt', 'deep/3.txt']) writeFileSync(root + '/sub/' + name, 'below ' + name)
    await until(() => ready.get() === ${files} + 3)
    sh('mount', '-t', 'tmpfs', 'none', root + '/sub')
    writeFileSync(root + '/sub/1.txt', 'a file of another disk, by the same name')
    writeFileSync(root + '/sub/stray.txt', 'another disk')
    await until(() => blocked.get() === 3 || gone.get() > 0)
    await system_clock.sleep(1500)
    for (let scan = 0; scan < 3; scan++) { daemon.rescan('docs'); await daemon.idle() }
    stops.push({ ...state(), blocked: blocked.get(), strays: strays.get() })
    umount(root + '/sub')
    await daemon.ledger.record([{ type: 'retried', folder: 'docs', path: '' }])
    stops.push({ ...(await back(${files} + 3)), blocked: blocked.get() })
  },
  async 'most of it covered while it runs'() {
    mkdirSync(root + '/sub')
    for (let n = 0; n < ${files} + 5; n++) writeFileSync(root + '/sub/' + n + '.txt', 'below ' + n)
    await until(() => ready.get() === 2 * ${files} + 5)
    sh('mount', '-t', 'tmpfs', 'none', root + '/sub')
    // Events block the files one by one, or a scan finds that most of them are missing.
    await until(() => blocked.get() === ${files} + 5 || /waiting/.test(reason.get() ?? ''))
    await system_clock.sleep(1500)
    stops.push({ gone: gone.get(), deletes: deletes() })
    umount(root + '/sub')
    await daemon.ledger.record([{ type: 'retried', folder: 'docs', path: '' }])
    stops.push({ ...(await back(2 * ${files} + 5)), blocked: blocked.get() })
  },
  async 'most of it covered'() {
    mkdirSync(root + '/sub')
    for (let n = 0; n < ${files} + 5; n++) writeFileSync(root + '/sub/' + n + '.txt', 'below ' + n)
    await until(() => ready.get() === 2 * ${files} + 5 && known.get() === 2 * ${files} + 5)
    // Checks that events asked for could come between the mount and the scan. They block the files
    // one by one, and then a scan misses nothing.
    await daemon.stop()
    sh('mount', '-t', 'tmpfs', 'none', root + '/sub')
    // A loss of files that came minutes ago asks nothing.
    ahead_ms = 10 * 60_000
    daemon = await start()
    await until(() => /waiting/.test(reason.get() ?? ''))
    await daemon.ledger.record([{ type: 'accepted', folder: 'docs', path: '' }])
    await until(() => reason.get() === null && blocked.get() === ${files} + 5)
    for (let scan = 0; scan < 4; scan++) { daemon.rescan('docs'); await system_clock.sleep(300); await daemon.idle() }
    stops.push({ ...state(), blocked: blocked.get() })
    await daemon.stop()
    daemon = await start()
    await daemon.idle()
    stops.push({ ...state(), blocked: blocked.get() })
    umount(root + '/sub')
    sh('umount', '-l', root)
    stops.push(await offline())
  },
  async 'another disk'() {
    umount(root)
    stops.push(await offline())
    // The kernel gives it the number that the first one had.
    mount()
    writeFileSync(root + '/stray.txt', 'another disk')
    await until(() => /another disk/.test(reason.get()) && !/compared/.test(reason.get()))
    stops.push(state())
    umount(root)
    mount()
    fill()
    stops.push(await back())
  },
  async 'a file in its place'() {
    umount(root)
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
    service.injectFaults({ failures: [{ route: 'assets.create', status: 503 }] })
    fill(${files}, ${files} + 10)
    await until(() => present.get() === known.get() && known.get() === ${files} + 10)
    sh('umount', '-l', root)
    service.injectFaults({ failures: [] })
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

/** The printed result of the scenario; if it failed, its standard error. */
export function runMounted(profile: ProfileName, scenario: string, disk: Disk): unknown {
  const place = makeTree({ 'service/': '' })
  const file = join(place, 'mounts.mjs')
  writeFileSync(file, script)
  const args = [
    '-m',
    '--propagation',
    'private',
    process.execPath,
    file,
    place,
    profile,
    scenario,
    disk,
  ]
  const [command = '', ...words] = [...(disk === 'ext4' ? loop_lock : []), 'unshare', ...args]
  const child = spawnSync(command, words, { encoding: 'utf8', timeout: 58_000 })
  return JSON.parse(child.stdout || JSON.stringify(child.stderr))
}
