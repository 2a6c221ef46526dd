import type { RootChange } from '../disk/root-trust.ts'

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
