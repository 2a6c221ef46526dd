import { isSameRoot, type RootStatus } from '../disk/mount.ts'
import type { FolderState } from '../ledger/ledger.ts'

export type OnlineRoot = Extract<RootStatus, { kind: 'online' }>

/** What stands at a folder's root, against what is known of it. `other_root`: by the same device number. */
export type RootChange = 'none' | 'other_disk' | 'other_root'

export function rootChange(
  { device, identity }: Pick<FolderState, 'device' | 'identity'>,
  now: Pick<OnlineRoot, 'device' | 'identity'>,
): RootChange {
  if (device === undefined) return 'none'
  if (device !== now.device) return 'other_disk'
  return isSameRoot(identity, now.identity) ? 'none' : 'other_root'
}

const other_disk = {
  comparing: 'another disk is mounted here; it is compared with what is known',
  doubted: 'another disk is mounted here, or none',
}

/** For people. `comparing`: while the two are compared, also when all looks the same again; `doubted`: what came of it. */
export const change_texts: Record<RootChange, { comparing: string; doubted: string }> = {
  none: { ...other_disk, doubted: 'most of it is gone, or another disk is mounted here' },
  other_disk,
  other_root: {
    comparing: 'another directory stands here, or another disk; it is compared with what is known',
    doubted: 'another directory stands here, or another disk',
  },
}

export function isComparing(reason: string): boolean {
  return Object.values(change_texts).some(({ comparing }) => reason === comparing)
}
