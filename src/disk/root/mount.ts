import { type BigIntStats, opendirSync, readFileSync, type StatsFs, statfsSync, statSync } from 'node:fs'
import { isBelow } from '../../base/files/path-below.ts'
import { codeOf, messageOf, SluiceError } from '../../base/run/errors.ts'
import type { Disappearance } from '../../domain/disappearance.ts'
import { defaultIgnore } from '../default-ignores.ts'
import { filesystemId } from './filesystem-id.ts'
import { filesystemOf, isMadeUp } from './filesystems.ts'

export type RootStatus =
  | {
      kind: 'online'
      /** `st_dev`: another one than last time means that something else is mounted here, or that nothing is. */
      device: bigint
      /** Another one than last time means that another directory stands here. */
      inode: bigint
      /** As the system gives it, which may be the time of its last change: `identity` says whether it is known. */
      born_ns: bigint
      /**
       * As they are compared below; undefined where the filesystem tells of nothing that a
       * remount keeps.
       */
      identity: string | undefined
      /** As filesystem-id.ts answers it; undefined where nobody asked, too. */
      filesystem_id: string | undefined
      /** By the magic number of statfs(2): `ext4`, `nfs`, `smb`, `fuse`, `tmpfs`, `overlay` …, or that number in hex. */
      filesystem: string
      /** Other hosts can change it without an event here, and its times are by another clock. */
      remote: boolean
      /** Nothing in it but what is ignored by default (`lost+found`, `.Trash-1000`): so looks a mount point with nothing mounted. */
      empty: boolean
    }
  | { kind: 'offline'; reason: 'missing' | 'not a directory' | 'unreadable' | 'no answer'; detail: string }

export type OnlineRoot = Extract<RootStatus, { kind: 'online' }>

export type WatchedRoot = Pick<OnlineRoot, 'inode' | 'born_ns' | 'identity'>

type AskFilesystemId = (filesystem: string, stat: BigIntStats) => string | undefined

/**
 * What stands at the root of a folder now; a symbolic link there is followed. Never throws. On a
 * share that is dead it does not come back: who cannot afford that asks through root-asker.ts. It
 * does not ask for the filesystem's id.
 */
export function rootStatus(root: string): RootStatus {
  return statusOf(root, () => undefined)
}

/**
 * As `rootStatus`, with the filesystem's id: as `before` has it where that is the same root, for
 * asking takes some milliseconds.
 */
export function identifiedRoot(root: string, before?: OnlineRoot): RootStatus {
  return statusOf(root, (filesystem, { dev, ino, birthtimeNs }) => {
    const is_known = before?.device === dev && before.inode === ino && before.born_ns === birthtimeNs
    return is_known ? before.filesystem_id : filesystemId(root, filesystem, dev)
  })
}

function statusOf(root: string, askFilesystemId: AskFilesystemId): RootStatus {
  try {
    const stat = statSync(root, { bigint: true })
    if (!stat.isDirectory()) {
      return { kind: 'offline', reason: 'not a directory', detail: `${root} is not a directory` }
    }
    const filesystem = statfsSync(root)
    const { name, remote } = filesystemOf(filesystem.type)
    const filesystem_id = remote ? undefined : askFilesystemId(name, stat)
    const identity = identityOf(stat, filesystem, remote, filesystem_id)
    const { dev: device, ino: inode, birthtimeNs: born_ns } = stat
    const known = { device, inode, born_ns, identity, filesystem_id }
    return { kind: 'online', ...known, filesystem: name, remote, empty: isEmpty(root) }
  } catch (error) {
    return offlineBy(root, error)
  }
}

/**
 * Whether another directory stands here than the one that somebody watches: stricter than `isSameRoot`, for a directory made a moment
 * ago does not show its birth yet. That a birth becomes known later is no change.
 */
export function isOtherDirectory(watched: WatchedRoot, now: WatchedRoot): boolean {
  if (watched.inode !== now.inode) return true
  return watched.identity !== now.identity && watched.born_ns !== now.born_ns
}

/** Of sticks and cards, whose inodes are made up, the size alone; of shares that make them up, nothing. */
function identityOf(
  stat: BigIntStats,
  { type, blocks, bsize }: StatsFs,
  remote: boolean,
  filesystem_id: string | undefined,
): string | undefined {
  if (isMadeUp(type))
    return remote ? undefined : rootIdentity({ what: `${blocks * bsize} bytes`, born: '', filesystem_id })
  // An old kernel without statx gives ctime for it, which moves.
  const is_known = stat.birthtimeNs > 0n && stat.birthtimeNs !== stat.ctimeNs
  return rootIdentity({ what: String(stat.ino), born: is_known ? String(stat.birthtimeNs) : '', filesystem_id })
}

/** The person's word on what stands here now; undefined: none was said, or it was said of another root. */
export function wordOn(
  now: { device: bigint | undefined; identity: string | undefined },
  said: Disappearance | undefined,
): Disappearance | undefined {
  if (!said?.is_accepted || said.device !== now.device) return undefined
  return isSameRoot(said.identity, now.identity) ? said : undefined
}

function offlineBy(root: string, error: unknown): RootStatus {
  const code = codeOf(error)
  const reason = code === 'ENOENT' ? 'missing' : code === 'ENOTDIR' ? 'not a directory' : 'unreadable'
  const detail = {
    missing: `${root} does not exist (not mounted?)`,
    'not a directory': `a part of ${root} is not a directory`,
    unreadable: `${root} cannot be read: ${messageOf(error)}`,
  }
  return { kind: 'offline', reason, detail: detail[reason] }
}

function isEmpty(root: string): boolean {
  const directory = opendirSync(root)
  try {
    for (;;) {
      const entry = directory.readSync()
      if (entry === null) return true
      // Hidden files count: they show that this is the folder and not a bare mount point.
      if (defaultIgnore(entry.name, entry.isDirectory() ? 'directory' : 'file', true) === undefined) return false
    }
  } finally {
    directory.closeSync()
  }
}

/** The root of a folder is not there or cannot be read: nothing follows from this about the files in it. */
export function offline(root: string, why: unknown): SluiceError {
  const reason = typeof why === 'string' ? why : (codeOf(why) ?? messageOf(why))
  return new SluiceError({
    code: 'disk.offline',
    message: `the folder ${root} cannot be read: ${reason}`,
    hint: 'check that it exists, that its disk or share is mounted and that this user may read it',
    cause: why,
  })
}

interface MountEntry {
  /** Its real path. */
  place: string
  /** `major:minor`, as the kernel numbers disks. */
  device: string
  /** `ext4`, `nfs4`, `fuse.sshfs` … */
  type: string
}

/** The mounts of this process, by proc_pid_mountinfo(5), in the order in which they were made: no disk or server is asked. */
export function parseMountTable(mountinfo: string): MountEntry[] {
  return mountinfo.split('\n').flatMap((line): MountEntry[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , device, , place] = before.split(' ')
    if (device === undefined || place === undefined) return []
    return [{ place: unescaped(place), device, type: after.split(' ')[0]! }]
  })
}

/** Empty on systems that have none. */
export function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}

/** The mount that holds a real path: of those on its way the nearest, of those at one place the last. */
export function mountOf(path: string, mounts: readonly MountEntry[]): MountEntry | undefined {
  let found: MountEntry | undefined
  for (const mount of mounts) {
    const is_nearer = !found || mount.place.length >= found.place.length
    if (is_nearer && isBelow(path, mount.place)) found = mount
  }
  return found
}

/** White space and backslashes stand there in octal, byte by byte. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const latin1 = Buffer.from(text).toString('latin1')
  const bytes = latin1.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
  return Buffer.from(bytes, 'latin1').toString()
}

/*
 * What tells one folder's root from another is a text, `WHAT@BORN#ID`. WHAT is the inode of the root, or the size of a filesystem
 * that makes inodes up. BORN is when the root was made; empty where the system does not say. ID is the filesystem's own id, where
 * it has one (filesystem-id.ts). The ledger keeps the text; a root that says nothing at all has none.
 */

/** `unsaid`: the two may be the same by their files, and somebody has to compare these. */
export type Likeness = 'same' | 'other' | 'unsaid'

interface RootTraits {
  what: string
  born: string
  /** With a `~` behind: another one says nothing. */
  filesystem_id: string | undefined
}

function rootIdentity({ what, born, filesystem_id }: RootTraits): string {
  return `${what}@${born}${filesystem_id === undefined ? '' : `#${filesystem_id}`}`
}

/**
 * Whether nothing speaks against the same directory of the same disk. The kernel gives a device
 * number again to the next disk, and every ext4 has the inode 2 for its root: birth and id tell two
 * of them apart. Where the answer is no, the two may still be the same by their files.
 */
export function isSameRoot(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return true
  const [known, now] = [traitsOf(a), traitsOf(b)]
  return known.what === now.what && agree(known.born, now.born) && agree(known.filesystem_id, now.filesystem_id)
}

/** Whether the known root came back, after its folder was offline or its mount changed. */
export function likeness(known: string | undefined, now: string | undefined): Likeness {
  if (known === undefined || now === undefined) return 'unsaid'
  const [id, id_now] = [traitsOf(known).filesystem_id, traitsOf(now).filesystem_id]
  if (!id || !id_now) return 'unsaid'
  if (id !== id_now) return id.endsWith('~') || id_now.endsWith('~') ? 'unsaid' : 'other'
  return isSameRoot(known, now) ? 'same' : 'unsaid'
}

/**
 * What to remember of a root: its filesystem could not be asked for the id now, and the known one
 * still agrees.
 */
export function withKnownId(known: string | undefined, now: string | undefined): string | undefined {
  if (known === undefined || now === undefined || traitsOf(now).filesystem_id !== undefined) return now
  return traitsOf(known).filesystem_id !== undefined && isSameRoot(known, now) ? known : now
}

function traitsOf(identity: string): RootTraits {
  const [what_and_born = '', filesystem_id] = identity.split('#')
  const [what = '', born = ''] = what_and_born.split('@')
  return { what, born, filesystem_id }
}

/** One that is not known agrees with all. */
function agree(a: string | undefined, b: string | undefined): boolean {
  return !a || !b || a === b
}
