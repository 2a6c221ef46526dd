import child_process from 'node:child_process'
import { createHash } from 'node:crypto'
import fs, { type BigIntStats, type Stats, type StatsFs } from 'node:fs'
import { basename, join } from 'node:path'
import { type Fault, folders } from '../day/day.ts'
import { real } from './real.ts'
import { world } from './world.ts'

/*
 * The disks under the watched folders. To the daemon each folder is the root of an ext4 disk; a fault of kind `mounts` takes the disk
 * away, makes it hang, or puts another one in its place.
 */

type MountFault = Extract<Fault, { kind: 'mounts' }>

const ext4_magic = 0xef53
/** Of every ext4. */
const root_inode = 2
/** When each of the disks was made. */
const made_ns = 1_700_000_000_000_000_000n
/** How often a call to a dead share is tried again. */
const hang_ms = 250

/** Whether a call that reads below this root would not come back now. */
function isHung(path: string): boolean {
  return world.inForce('mounts').some(({ how, folder }) => how === 'hung' && isBelow(path, join(world.base, folder)))
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** As a call to a dead share: it goes on when the share is back. */
export async function hungUntilFree(path: string): Promise<void> {
  const clock = world.clockOf(world.life, 'machine')
  while (isHung(path)) await clock.sleep(hang_ms)
}

/**
 * Takes the disk away, or puts another one in its place; the one that was there lies beside it
 * meanwhile.
 */
export function beginMount({ how, folder }: MountFault): void {
  const place = join(world.base, folder)
  if (how === 'hung' || real.existsSync(place) === real.existsSync(away(place))) return
  if (!real.existsSync(away(place))) real.renameSync(place, away(place))
  replaced.set(place, how)
  if (how === 'gone') return
  real.mkdirSync(place)
  if (how === 'bare') return
  real.writeFileSync(join(place, 'other.txt'), 'this lies on another disk')
  world.times.set(real.statSync(join(place, 'other.txt'), { bigint: true }).ino, { ctime_ns: 1n, mtime_ns: 1n })
}

export function endMount({ how, folder }: MountFault): void {
  const place = join(world.base, folder)
  if (how === 'hung' || !real.existsSync(away(place))) return
  real.rmSync(place, { recursive: true, force: true })
  real.renameSync(away(place), place)
  replaced.delete(place)
}

/** How the place of a folder was filled anew, by place; absent while its own disk stands there. */
const replaced = new Map<string, MountFault['how']>()

/**
 * The disk below which a path lies, as a fault has it now; undefined: the path lies below no
 * watched folder.
 */
function diskUnder(path: string): { folder: string; is_root: boolean; how: MountFault['how'] | 'own' } | undefined {
  const folder = folders.find((name) => isBelow(path, join(world.base, name)))
  if (folder === undefined) return undefined
  const place = join(world.base, folder)
  return { folder, is_root: path === place, how: replaced.get(place) ?? 'own' }
}

/**
 * Gives what `stat` answers the device, and the root of a disk what each ext4 made by one program
 * in one second shows.
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
  // disk/root/filesystems.ts asks the program `stat`.
  Object.assign(child_process, {
    spawnSync: (program: string, given: readonly string[], ...rest: unknown[]) => {
      if (program !== 'stat') return spawn(program, given, ...rest)
      const disk = diskUnder(given.at(-1)!)
      return disk ? { status: 0, stdout: `${filesystemId(disk.folder, disk.how)}\n` } : { status: 1, stdout: '' }
    },
  })
}

/** Sixteen digits, as ext4 has them: each disk has its own. */
function filesystemId(folder: string, how: MountFault['how'] | 'own'): string {
  return createHash('md5')
    .update(how === 'bare' ? 'the system' : `${folder} ${how}`)
    .digest('hex')
    .slice(0, 16)
}

/** Of two faults of one folder, the first that ends brings its disk back. */
export function isAway({ how, folder }: MountFault): boolean {
  return how === 'hung' || placeOf(folder) !== join(world.base, folder)
}

/** Where a folder lies now: acts on a disk that is away change nothing that the daemon sees. */
export function placeOf(folder: string): string {
  const place = join(world.base, folder)
  return real.existsSync(away(place)) ? away(place) : place
}

function away(place: string): string {
  return join(world.base, `away-${basename(place)}`)
}
