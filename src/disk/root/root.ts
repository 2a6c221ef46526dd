import { type BigIntStats, opendirSync, type StatsFs, statfsSync, statSync } from 'node:fs'
import { isBelow } from '../../base/files/path-below.ts'
import { causeOf, codeOf, SluiceError } from '../../base/run/errors.ts'
import type { Disappearance } from '../../domain/disappearance.ts'
import { isSameRoot, likeness } from '../../domain/root-identity.ts'
import { defaultIgnore } from '../default-ignores.ts'
import { filesystemId, filesystemOf, isMadeUp } from './filesystems.ts'

export type RootStatus =
  | {
      kind: 'online'
      /** `st_dev`. A change means that something else is mounted here, or nothing. */
      device: bigint
      /** A change means another directory, except where a remount changes it (filesystems.ts). */
      inode: bigint
      /** Birth time. 0 if unknown; old kernels give the time of the last change (`identityOf`). */
      born_ns: bigint
      /** Text of root-identity.ts; undefined if the filesystem keeps nothing over a remount. */
      identity: string | undefined
      /** Id of a local filesystem (`filesystemId`); undefined: it has none, or was not asked. */
      filesystem_id: string | undefined
      /** By the magic number of statfs(2): `ext4`, `nfs`, `smb`, `fuse` …, or that number, hex. */
      filesystem: string
      /** Other hosts can change it without an event here, and its times are from another clock. */
      remote: boolean
      /** Holds only default-ignored names (`lost+found` …), as an unused mount point does. */
      empty: boolean
    }
  | {
      kind: 'offline'
      reason: 'missing' | 'not a directory' | 'unreadable' | 'no answer'
      detail: string
    }

export type OnlineRoot = Extract<RootStatus, { kind: 'online' }>

export type WatchedRoot = Pick<OnlineRoot, 'inode' | 'born_ns' | 'identity'>

type AskFilesystemId = (filesystem: string, stat: BigIntStats) => string | undefined

/**
 * State of a folder's root, through a symbolic link too. Never throws. It never returns on an
 * unresponsive mount: use root-asker.ts there. Does not read the filesystem's id.
 */
export function rootStatus(root: string): RootStatus {
  return statusOf(root, () => undefined)
}

/** As `rootStatus`, with the filesystem's id: from `before` for the same root, to save time. */
export function identifiedRoot(root: string, before?: OnlineRoot): RootStatus {
  return statusOf(root, (filesystem, { dev, ino, birthtimeNs }) => {
    const is_known =
      before?.device === dev && before.inode === ino && before.born_ns === birthtimeNs
    return is_known ? before.filesystem_id : filesystemId(root, filesystem, dev)
  })
}

function statusOf(root: string, askFilesystemId: AskFilesystemId): RootStatus {
  try {
    const stat = statSync(root, { bigint: true })
    if (!stat.isDirectory())
      return { kind: 'offline', reason: 'not a directory', detail: `${root} is not a directory` }
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
 * True if another directory than the watched one is here. Stricter than `isSameRoot`, because a new
 * directory does not show its birth yet. A birth that becomes known later is no change.
 */
export function isOtherDirectory(watched: WatchedRoot, now: WatchedRoot): boolean {
  if (watched.inode !== now.inode) return true
  return watched.identity !== now.identity && watched.born_ns !== now.born_ns
}

/** Format: root-identity.ts. A remote root has no identity where a remount changes inodes. */
function identityOf(
  stat: BigIntStats,
  { type, blocks, bsize }: StatsFs,
  remote: boolean,
  filesystem_id: string | undefined,
): string | undefined {
  const id = filesystem_id === undefined ? '' : `#${filesystem_id}`
  if (isMadeUp(type)) return remote ? undefined : `${blocks * bsize} bytes@${id}`
  // Old kernels without statx give ctime instead, which changes.
  const is_known = stat.birthtimeNs > 0n && stat.birthtimeNs !== stat.ctimeNs
  return `${stat.ino}@${is_known ? stat.birthtimeNs : ''}${id}`
}

/** The user's acknowledgement that files of this very root are gone; else undefined. */
export function acknowledgementOn(
  now: KnownRoot,
  said: Disappearance | undefined,
): Disappearance | undefined {
  if (!said?.is_accepted || said.device !== now.device) return undefined
  return isSameRoot(said.identity, now.identity) ? said : undefined
}

function offlineBy(root: string, error: unknown): Extract<RootStatus, { kind: 'offline' }> {
  const code = codeOf(error)
  const reason =
    code === 'ENOENT' ? 'missing' : code === 'ENOTDIR' ? 'not a directory' : 'unreadable'
  const detail = {
    missing: `${root} does not exist (not mounted?)`,
    'not a directory': `a part of ${root} is not a directory`,
    unreadable: `${root} cannot be read: ${causeOf(error)}`,
  }
  return { kind: 'offline', reason, detail: detail[reason] }
}

function isEmpty(root: string): boolean {
  const directory = opendirSync(root)
  try {
    for (;;) {
      const entry = directory.readSync()
      if (entry === null) return true
      // Hidden files count: they show that this is the folder, not a bare mount point.
      if (defaultIgnore(entry.name, entry.isDirectory() ? 'directory' : 'file', true) === undefined)
        return false
    }
  } finally {
    directory.closeSync()
  }
}

/** The root is missing or unreadable. This says nothing about the files in it. */
export function offline(root: string, why: unknown): SluiceError {
  return new SluiceError({
    code: 'disk.offline',
    message: typeof why === 'string' ? why : offlineBy(root, why).detail,
    hint: 'check that it exists, that its disk or share is mounted and that this user may read it',
    cause: why,
  })
}

/** Error `disk.offline`: the root lies at or below one of these, which have not answered. */
export function refuseSilent(root: string, silent: readonly string[]): void {
  const place = silent.find((place) => isBelow(root, place))
  if (place !== undefined) throw noAnswer(root, place)
}

/** The error `disk.offline` of a root at or below a place that does not answer. */
export function noAnswer(root: string, place = root): SluiceError {
  return offline(root, `${place} does not answer`)
}

/** A root, now or when it was last trusted. Fields are undefined if unknown. */
interface KnownRoot {
  device: bigint | undefined
  identity: string | undefined
}

type RootNow = Pick<OnlineRoot, 'device' | 'identity'>

/** A folder's root compared with the known one. `other_root`: with the same device number. */
export type RootChange = 'none' | 'other_disk' | 'other_root'

export function rootChange({ device, identity }: KnownRoot, now: RootNow): RootChange {
  if (device === undefined) return 'none'
  if (device !== now.device) return 'other_disk'
  return isSameRoot(identity, now.identity) ? 'none' : 'other_root'
}

/**
 * Whether this is the known root. `check_loss`: yes, but a scan must check whether too many files
 * are gone. `compare`: its files must decide. `other_disk`: no, unless a user confirms it.
 */
export type RootTrust = 'trusted' | 'check_loss' | 'compare' | 'other_disk'

export interface KnownFolder extends KnownRoot {
  /** False after it was offline: the kernel may reuse the device number of a removed disk. */
  online: boolean
  /** This process has not trusted it yet: the disk may have changed before the start. */
  is_first_check: boolean
  /** The configuration has another path for it: the user wants another root. */
  is_moved: boolean
  /** Number of its known files that show a loss if they are missing. */
  evidence: number
}

/** `held_many`: more files are known than a user would delete by hand. */
export function trustInRoot(known: KnownFolder, now: RootNow, held_many: boolean): RootTrust {
  const by_identity = likeness(known.identity, now.identity)
  const has_changed = !known.online || rootChange(known, now) !== 'none'
  const may_have_changed = known.is_first_check && by_identity === 'unsaid'
  if (known.device === undefined || !(has_changed || may_have_changed)) return 'trusted'
  if (known.is_moved) return held_many ? 'compare' : 'trusted'
  if (known.evidence === 0) return 'trusted'
  if (by_identity === 'same') return held_many ? 'check_loss' : 'trusted'
  return by_identity === 'other' ? 'other_disk' : 'compare'
}
