import { isSameRoot, likeness, type OnlineRoot } from './mount.ts'

/** The last trusted state of a root; undefined: unknown. */
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
 * Decides whether this is the known root. `check_loss`: yes, and a scan must check whether too much
 * is gone. `compare`: its files must decide. `other_disk`: its filesystem is another one, and a
 * user must confirm it.
 */
export type RootTrust = 'trusted' | 'check_loss' | 'compare' | 'other_disk'

export interface KnownFolder extends KnownRoot {
  /** False once it was offline: the kernel may reuse the device number of a removed disk. */
  online: boolean
  /** This process has not trusted it yet: the disk may have changed before the start. */
  is_first_check: boolean
  /** The configuration has another path for it: the user wants another root. */
  is_moved: boolean
  known_files: number
}

/** `held_many`: more files are known than a user would delete by hand. */
export function trustInRoot(known: KnownFolder, now: RootNow, held_many: boolean): RootTrust {
  const by_identity = likeness(known.identity, now.identity)
  const has_changed = !known.online || rootChange(known, now) !== 'none'
  const may_have_changed = known.is_first_check && by_identity === 'unsaid'
  if (known.device === undefined || !(has_changed || may_have_changed)) return 'trusted'
  if (known.is_moved) return held_many ? 'compare' : 'trusted'
  if (known.known_files === 0) return 'trusted'
  if (by_identity === 'same') return held_many ? 'check_loss' : 'trusted'
  return by_identity === 'other' ? 'other_disk' : 'compare'
}
