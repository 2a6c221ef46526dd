import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProfileName } from '../../../src/service/options.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { loop_lock } from './mounted-daemon.ts'

export type SwappedDisk = 'ext4' | 'tmpfs' | 'vfat' | 'xfs' | 'bind'

/**
 * Whether this machine can make and mount such a file system; if not, it prints that its test is
 * skipped.
 */
export function canMake(disk: SwappedDisk): boolean {
  const is_known = readFileSync('/proc/filesystems', 'utf8').includes(`\t${disk}\n`)
  const can = is_known && spawnSync(`mkfs.${disk}`, ['-V']).error === undefined
  if (!can)
    console.log(
      `skipped: ${disk} disks that are swapped, because ${is_known ? `mkfs.${disk}` : 'its driver'} is missing`,
    )
  return can
}

/**
 * A daemon that may remove assets, over eight files on a disk of its own in a mount namespace. In
 * each round the disk goes offline and online, and another one takes its place. The two have no
 * file in common and are made within the same second.
 */
const script = `
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createLog } from '${builtModule('base/text/log')}'
import { openSqliteReadOnly } from '${builtModule('base/files/sqlite')}'
import { ledger_migrations } from '${builtModule('ledger/file/ledger-file')}'
import { system_clock } from '${builtModule('base/time/time')}'
import { constants } from '${builtModule('config/schema/constants')}'
import { configFromObject } from '${builtModule('config/load')}'
import { openSecrets } from '${builtModule('config/secrets')}'
import { startDaemon } from '${builtModule('daemon/daemon')}'
import { startService } from '${builtModule('service/service')}'
const [place, profile, disk, rounds] = process.argv.slice(2)
const root = place + '/docs'
const sh = (...words) => { const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' }); if (status !== 0) throw new Error(words.join(' ') + ': ' + stderr); return stdout.trim() }
// A disk is busy while a scan reads it.
const umount = (target) => { for (let tries = 0; ; tries++) try { return sh('umount', target) } catch (error) { if (tries > 100 || !/busy/.test(error.message)) throw error; sh('sleep', '0.05') } }
const names = ['known', 'other']
const fill = (directory, name) => { for (let n = 0; n < 8; n++) { const file = directory + '/' + name + ' ' + n + '.txt'; writeFileSync(file, name + ' ' + n); utimesSync(file, 1_700_000_000, 1_700_000_000) } }
for (const name of names) { mkdirSync(place + '/' + name); fill(place + '/' + name, name) }
mkdirSync(root)
// tmpfs disks that stay while they are away: mounted elsewhere, and bound to the place.
const kept = (name) => place + '/kept ' + name
if (disk === 'tmpfs' || disk === 'bind') for (const name of names) { mkdirSync(kept(name)); if (disk === 'tmpfs') sh('mount', '-t', 'tmpfs', 'none', kept(name)); fill(kept(name), name) }
if (disk === 'ext4') for (const name of names) { sh('truncate', '-s', '8M', place + '/' + name + '.img'); sh('env', 'E2FSPROGS_FAKE_TIME=1700000000', 'mkfs.ext4', '-q', '-d', place + '/' + name, place + '/' + name + '.img') }
if (disk === 'vfat' || disk === 'xfs') for (const name of names) { const image = place + '/' + name + '.img'; sh('truncate', '-s', '300M', image); sh('mkfs.' + disk, image); sh('mount', '-o', 'loop', image, root); fill(root, name); umount(root) }
let loop
const mount = (name) => {
  if (disk === 'tmpfs' || disk === 'bind') return sh('mount', '--bind', kept(name), root)
  const image = place + '/' + name + '.img'
  if (loop === undefined) loop = sh('losetup', '-f', '--show', image)
  else sh('losetup', loop, image)
  sh('mount', loop, root)
  // The loop device lets go of the image when the mount ends, so that the next image gets the same
  // number.
  sh('losetup', '-d', loop)
}
mount('known')
const service = await startService({ data_dir: place + '/service', profile })
const { project_id } = service.projects.create('swaps')
writeFileSync(place + '/token', service.tokens.create('swaps').token, { mode: 0o600 })
Object.assign(constants.follow, { first_ms: 20, max_ms: 200 })
Object.assign(constants.uploads, { retry_first_ms: 20, max_retry_ms: 200 })
const config = configFromObject({
  service: { base_url: service.api, project_id, token_file: place + '/token' },
  state_dir: place + '/state',
  folders: [{ name: 'docs', path: root, settle_ms: '100ms', on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }],
  removal: { max_files: 1000 }, uploads: { min_resend_s: 0 },
}, {})
const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => {} } })
const daemon = await startDaemon({ config, secrets: openSecrets(config, {}).secrets, clock: system_clock, log, mode: 'run' })
const view = openSqliteReadOnly(place + '/state/ledger.db', ledger_migrations)
const read = (sql) => view.prepare(sql).pluck()
const ready = read("SELECT count(*) FROM files JOIN contents ON contents.id = content WHERE files.state = 'present' AND contents.state = 'ready' AND path LIKE 'known%'")
const strays = read("SELECT count(*) FROM files WHERE path LIKE 'other%' AND state <> 'gone'")
const reason = read('SELECT offline_reason FROM folders')
const scans = read('SELECT scan_ended_ms FROM folders')
const until = async (fact) => { for (let tries = 0; !fact(); tries++) { if (tries > 600) return false; daemon.rescan('docs'); await system_clock.sleep(50) } return true }
const waits = () => /waiting/.test(reason.get() ?? '')
const what = () => (reason.get() ?? 'online') + ', ready ' + ready.get() + ', strays ' + strays.get()
const someScans = async () => { for (let scan = 0; scan < 5; scan++) { daemon.rescan('docs'); await system_clock.sleep(100) } }
const other = async () => {
  // A waiting folder may still be the one without any disk.
  await someScans()
  await until(waits)
  // Before the folder waits, events may record names of the other disk. None of them is sent.
  return waits() && ready.get() === 8 ? 'waits' : what()
}
const known = async (files) => {
  const before = scans.get()
  await until(() => reason.get() === null && scans.get() !== before && ready.get() === files && strays.get() === 0)
  return reason.get() === null && ready.get() === files && strays.get() === 0 ? 'back' : what()
}
/** Waits until the daemon knows that the disk is offline. */
const away = async () => {
  await until(() => reason.get() !== null)
  await someScans()
}
await until(() => ready.get() === 8)
const swaps = { known: [], other: [] }
for (let round = 0; round < Number(rounds); round++) {
  umount(root)
  // Every other time the daemon does not notice that nothing is mounted for a moment.
  if (round % 2 === 0) await away()
  mount('other')
  swaps.other.push(await other())
  umount(root)
  if (round % 2 === 0) await away()
  mount('known')
  swaps.known.push(await known(8))
}
// All removals that the grace allows happen within this time.
await system_clock.sleep(1_500)
await someScans()
const removals = service.requestLog.filter(({ place }) => place === 'assets.delete').length
// An inbox that was emptied while the disk was away.
umount(root)
await away()
if (disk === 'ext4') { mount('known'); for (let n = 0; n < 8; n++) rmSync(root + '/known ' + n + '.txt'); umount(root) }
if (disk === 'tmpfs' || disk === 'bind') for (let n = 0; n < 8; n++) rmSync(kept('known') + '/known ' + n + '.txt')
let emptied
if (disk !== 'vfat' && disk !== 'xfs') {
  mount('known')
  emptied = await known(0)
}
const puts = service.requestLog.filter(({ place }) => place === 'put').length
console.log(JSON.stringify({ ...swaps, puts, removals, emptied }))
await daemon.stop()
view.close()
await service.close()
`

/** The result of the rounds; if the program failed, its standard error. */
export function runSwaps(profile: ProfileName, disk: SwappedDisk, rounds: number): unknown {
  const place = makeTree({ 'service/': '' })
  const file = join(place, 'swaps.mjs')
  writeFileSync(file, script)
  const args = [
    '-m',
    '--propagation',
    'private',
    process.execPath,
    file,
    place,
    profile,
    disk,
    String(rounds),
  ]
  const uses_loop = disk !== 'tmpfs' && disk !== 'bind'
  const [command = '', ...words] = [...(uses_loop ? loop_lock : []), 'unshare', ...args]
  const child = spawnSync(command, words, { encoding: 'utf8', timeout: 400_000 })
  return JSON.parse(child.stdout || JSON.stringify(child.stderr))
}
