import { lstatSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { patienceWith } from '../../base/files/paths.ts'
import { formatBytes, formatDuration, shellWord } from '../../base/text/format.ts'
import { reportDirs } from '../../config/resolve/targets.ts'
import { rootStatus } from '../../disk/root/root.ts'
import { attempt } from '../plan/check-path.ts'
import { type Check, type DoctorTools, type Findings, findings, named } from './check.ts'

/**
 * Checks that this user owns the state directory, as the daemon does: the other checks tried the
 * rights of this user. Root gets a warning only, since root can see everything.
 */
export function checkUser({ config, uid, isUnresponsive }: DoctorTools): Check[] {
  const { state_dir } = config
  if (isUnresponsive(state_dir) || uid === undefined) return []
  const find = findings('user', `uid ${uid}`)
  if (isClosed(state_dir)) {
    const text = `this is uid ${uid}, which may not pass to ${state_dir}: nothing of the state was checked`
    return [find.fault(text, 'run this as the user that the daemon runs as, or as root')]
  }
  const stat = statOf(state_dir)
  if (stat === undefined) return []
  if (stat.uid === uid) return [find.ok('the state belongs to this user')]
  const text = `this is uid ${uid}, and the state belongs to uid ${stat.uid}: rights were tried as the wrong user`
  return [find[uid === 0 ? 'warning' : 'fault'](text, `sudo -u '#${stat.uid}' sluice doctor`)]
}

export function checkStateDir({ config, uid, isUnresponsive }: DoctorTools): Check[] {
  const { state_dir } = config
  const find = findings('state_dir', state_dir)
  const { ok, warning, fault } = find
  if (isUnresponsive(state_dir))
    return [
      fault(
        `no answer in ${formatDuration(patienceWith(state_dir))}`,
        'it must lie on a local disk',
      ),
    ]
  if (isClosed(state_dir)) return [warning('not checked: this user may not pass to it')]
  const stat = statOf(state_dir)
  if (stat === undefined) return [ok('does not exist yet: the first start makes it')]
  const checks = [
    ...checkModes(find, state_dir, stat),
    ...checkShare(find, state_dir),
    ...checkOwners(find, state_dir, stat, uid),
  ]
  return checks.length > 0 ? checks : [ok('closed to others, on a local disk')]
}

function checkModes({ warning, fault }: Findings, state_dir: string, stat: Stats): Check[] {
  if (!stat.isDirectory()) return [fault('it is not a directory', 'set state_dir to another place')]
  const word = shellWord(state_dir)
  const open = (stat.mode & 0o077) !== 0
  const checks: Check[] = []
  if (open) {
    const text = `it is open to group or others (mode ${(stat.mode & 0o7777).toString(8)})`
    checks.push(warning(text, `chmod 700 ${word}`))
  }
  const files = ownFiles(state_dir).filter(({ stat }) => (stat.mode & 0o077) !== 0)
  if (files.length > 0) {
    // In a closed directory, open files are only a warning. They still matter: one holds secret
    // tickets.
    const names = files.map(({ name }) => name)
    const text = `open to group or others: ${named(names)}`
    const hint = `chmod 600 ${names.map((name) => shellWord(join(state_dir, name))).join(' ')}`
    checks.push((open ? fault : warning)(text, hint))
  }
  return checks
}

function checkShare({ fault }: Findings, state_dir: string): Check[] {
  const status = rootStatus(state_dir)
  if (status.kind !== 'online' || !status.remote) return []
  const hint =
    'set state_dir to a local disk: SQLite’s locks and memory do not work over a share, and damage is a matter of time'
  return [fault(`it lies on a share (${status.filesystem})`, hint)]
}

/** Finds files of other owners: the daemon cannot write what a command of root has left. */
function checkOwners(
  { fault }: Findings,
  state_dir: string,
  stat: Stats,
  uid: number | undefined,
): Check[] {
  if (uid === undefined) return []
  const foreign = ownFiles(state_dir).filter((file) => file.stat.uid !== stat.uid)
  if (foreign.length === 0) return []
  const text = `files of another user than the directory’s (uid ${stat.uid}): ${named(foreign.map(({ name }) => name))}`
  return [fault(text, `chown -R --reference=${shellWord(state_dir)} ${shellWord(state_dir)}`)]
}

function ownFiles(state_dir: string): { name: string; stat: Stats }[] {
  const names = attempt(
    () => readdirSync(state_dir),
    () => [],
  )
  return names.flatMap((name) => {
    if (!/\.db(-|$|\.)/.test(name) && name !== 'control.sock') return []
    const stat = statOf(join(state_dir, name), lstatSync)
    return stat ? [{ name, stat }] : []
  })
}

const few_inodes_part = 0.05
/** Below this share of health.disk_free_bytes, a fault is reported: the next large scan fails. */
const fault_part = 0.2

/** Checks the disks of the ledger and the reports. */
export function checkSpace({ config, isUnresponsive }: DoctorTools): Check[] {
  const places = [config.state_dir, ...reportDirs(config)].filter((place) => !isUnresponsive(place))
  const by_device = new Map<number, string>()
  for (const place of places) {
    const there = nearest(place)
    const device = statOf(there)?.dev
    if (device !== undefined && !by_device.has(device)) by_device.set(device, there)
  }
  return [...by_device.values()].flatMap((place) =>
    judgeSpace(place, config.health.disk_free_bytes),
  )
}

function judgeSpace(place: string, wanted_bytes: number): Check[] {
  const { bavail, bsize, ffree, files } = statfsSync(place)
  const free_bytes = bavail * bsize
  const hint = 'free some space: without it nothing can be recorded, and then nothing is uploaded'
  const find = findings('space', place)
  const checks: Check[] = []
  if (free_bytes < wanted_bytes * fault_part) {
    checks.push(find.fault(`${formatBytes(free_bytes)} free`, hint))
  } else if (free_bytes < wanted_bytes) {
    const text = `${formatBytes(free_bytes)} free, less than health.disk_free_bytes (${formatBytes(wanted_bytes)})`
    checks.push(find.warning(text, hint))
  }
  // Some file systems create inodes on demand and report 0 of 0.
  if (files > 0 && ffree < files * few_inodes_part) {
    const text = `${ffree} of ${files} inodes free: no new file can be made when they are used up`
    checks.push(find[ffree === 0 ? 'fault' : 'warning'](text, 'remove small files (df -i)'))
  }
  return checks.length > 0 ? checks : [find.ok(`${formatBytes(free_bytes)} free`)]
}

/** The path itself, or its nearest existing parent. */
function nearest(place: string): string {
  return statOf(place) !== undefined || place === '/' ? place : nearest(dirname(place))
}

/** True if this user cannot find out whether the path exists. */
function isClosed(path: string): boolean {
  return attempt(
    () => statSync(path) === undefined,
    (code) => code === 'EACCES',
  )
}

function statOf(path: string, read: (path: string) => Stats = statSync): Stats | undefined {
  return attempt(
    () => read(path),
    () => undefined,
  )
}
