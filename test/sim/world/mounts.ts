import child_process from 'node:child_process'
import { createHash } from 'node:crypto'
import fs, { type BigIntStats, type Stats, type StatsFs } from 'node:fs'
import { basename, join } from 'node:path'
import { type Fault, folders } from '../day/day.ts'
import { real } from './real.ts'
import { world } from './world.ts'

/*
 * The disks under the watched folders. To the daemon each folder is the root of an ext4 disk. A
 * fault of kind `mounts` takes the disk offline, makes it unresponsive, or replaces it by another
 * one.
 */

type MountFault = Extract<Fault, { kind: 'mounts' }>

const ext4_magic = 0xef53
/** Inode of the root of every ext4. */
const root_inode = 2
/** Birth time of each disk. */
const made_ns = 1_700_000_000_000_000_000n
/** Interval at which a call to an unresponsive share is retried. */
const hang_ms = 250

/** True if a call that reads below this root would not return now. */
function isHung(path: string): boolean {
  return world
    .inForce('mounts')
    .some(({ how, folder }) => how === 'hung' && isBelow(path, join(world.base, folder)))
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A call to an unresponsive share: it continues when the share is back. */
export async function hungUntilFree(path: string): Promise<void> {
  const clock = world.clockOf(world.life, 'machine')
  while (isHung(path)) await clock.sleep(hang_ms)
}

/** Takes the disk offline, or replaces it by another one; the original lies beside it meanwhile. */
export function beginMount({ how, folder }: MountFault): void {
  const place = join(world.base, folder)
  if (how === 'hung' || real.existsSync(place) === real.existsSync(away(place))) return
  if (!real.existsSync(away(place))) real.renameSync(place, away(place))
  replaced.set(place, how)
  if (how === 'gone') return
  real.mkdirSync(place)
  if (how === 'bare') return
  real.writeFileSync(join(place, 'other.txt'), 'this lies on another disk')
  world.times.set(real.statSync(join(place, 'other.txt'), { bigint: true }).ino, {
    ctime_ns: 1n,
    mtime_ns: 1n,
  })
}

export function endMount({ how, folder }: MountFault): void {
  const place = join(world.base, folder)
  if (how === 'hung' || !real.existsSync(away(place))) return
  real.rmSync(place, { recursive: true, force: true })
  real.renameSync(away(place), place)
  replaced.delete(place)
}

/** The replacement at the place of a folder; absent while its own disk is there. */
const replaced = new Map<string, MountFault['how']>()

/**
 * The disk of a path under the present faults; undefined if the path is below no watched folder.
 */
function diskUnder(
  path: string,
): { folder: string; is_root: boolean; how: MountFault['how'] | 'own' } | undefined {
  const folder = folders.find((name) => isBelow(path, join(world.base, name)))
  if (folder === undefined) return undefined
  const place = join(world.base, folder)
  return { folder, is_root: path === place, how: replaced.get(place) ?? 'own' }
}

/**
 * Gives the answer of `stat` the device, and gives the root of a disk the values of an ext4 that
 * one program makes within one second.
 */
export function asOnDisk(stat: Stats | BigIntStats, path: string): void {
  const disk = path === '' ? undefined : diskUnder(path)
  if (!disk) return
  const is_other_number = disk.how === 'other disk' || disk.how === 'bare'
  if (typeof stat.dev === 'bigint') {
    const big = stat as BigIntStats
    if (is_other_number) big.dev += 1_000n
    if (!disk.is_root || disk.how === 'bare') return
    big.ino = BigInt(root_inode)
    big.birthtimeNs = made_ns
  } else {
    const small = stat as Stats
    if (is_other_number) small.dev += 1_000
    if (disk.is_root && disk.how !== 'bare') small.ino = root_inode
  }
}

export function replaceFilesystems(): void {
  const statfs = real.statfsSync as (path: string) => StatsFs
  const spawn = child_process.spawnSync as (...args: unknown[]) => unknown
  Object.assign(fs, {
    statfsSync: (path: string) => {
      const answer = statfs(path)
      if (diskUnder(path)) answer.type = ext4_magic
      return answer
    },
  })
  // disk/root/filesystems.ts calls the program `stat`.
  Object.assign(child_process, {
    spawnSync: (program: string, given: readonly string[], ...rest: unknown[]) => {
      if (program !== 'stat') return spawn(program, given, ...rest)
      const disk = diskUnder(given.at(-1)!)
      return disk
        ? { status: 0, stdout: `${filesystemId(disk.folder, disk.how)}\n` }
        : { status: 1, stdout: '' }
    },
  })
}

/** Sixteen digits as in ext4: each disk has its own. */
function filesystemId(folder: string, how: MountFault['how'] | 'own'): string {
  return createHash('md5')
    .update(how === 'bare' ? 'the system' : `${folder} ${how}`)
    .digest('hex')
    .slice(0, 16)
}

/** True if the disk of a folder is offline. The first of two faults that ends brings it back. */
export function isAway({ how, folder }: MountFault): boolean {
  return how === 'hung' || placeOf(folder) !== join(world.base, folder)
}

/** The present path of a folder: acts on an offline disk change nothing that the daemon sees. */
export function placeOf(folder: string): string {
  const place = join(world.base, folder)
  return real.existsSync(away(place)) ? away(place) : place
}

function away(place: string): string {
  return join(world.base, `away-${basename(place)}`)
}
