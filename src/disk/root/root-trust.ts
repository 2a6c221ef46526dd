import { isSameRoot, likeness, type OnlineRoot } from './mount.ts'

/** What is known of a root since it was last believed; undefined: nothing. */
interface KnownRoot {
  device: bigint | undefined
  identity: string | undefined
}

type RootNow = Pick<OnlineRoot, 'device' | 'identity'>

/**
 * What stands at a folder's root, against what is known of it. `other_root`: by the same device
 * number.
 */
export type RootChange = 'none' | 'other_disk' | 'other_root'

export function rootChange({ device, identity }: KnownRoot, now: RootNow): RootChange {
  if (device === undefined) return 'none'
  if (device !== now.device) return 'other_disk'
  return isSameRoot(identity, now.identity) ? 'none' : 'other_root'
}

/**
 * Whether the root that stands here now is the known one. `check_loss`: it is, and a walk must tell
 * whether too much of it is gone. `compare`: its files must tell. `other_disk`: its filesystem says
 * that it is another one, and a person must confirm it.
 */
export type RootTrust = 'trusted' | 'check_loss' | 'compare' | 'other_disk'

export interface KnownFolder extends KnownRoot {
  /**
   * False once it was offline: the kernel gives the device number of a disk that went away to the
   * next one.
   */
  online: boolean
  /** This process has not believed it yet: the disk may have been changed before it began. */
  is_first_check: boolean
  /** The configuration names another place for it: another root is what the user wants. */
  is_moved: boolean
  known_files: number
}

/** `held_many`: so many files are known that they cannot have been cleared away by hand. */
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
