import { expect, test } from 'vitest'
import { fullOrPart, localJourneys } from '../rig/harness.ts'
import { mayMount } from './mounted-daemon.ts'
import { canMake, runSwaps, type SwappedDisk } from './swapped-disks.ts'

const disks: readonly SwappedDisk[] = ['ext4', 'tmpfs', 'vfat', 'xfs', 'bind']
const may_bind = mayMount('tmpfs')
const may_loop = mayMount('ext4')
const isHere = (disk: SwappedDisk) =>
  disk === 'tmpfs' || disk === 'bind' ? may_bind : may_loop && canMake(disk)

localJourneys('another disk in place of the known one', (profile) => {
  for (const disk of fullOrPart(disks, disks.slice(0, 2))) {
    test.skipIf(!isHere(disk))(
      `${disk}: the known disk comes back by itself, another one waits for a user, no asset is removed`,
      { timeout: 420_000 },
      () => {
        // The other file systems are recognised as these two are: by the id, or by the files.
        const rounds = disk === 'ext4' || disk === 'tmpfs' ? fullOrPart(20, 2) : 5
        const each = (outcome: string) => Array.from({ length: rounds }, () => outcome)
        expect(runSwaps(profile, disk, rounds)).toEqual({
          known: each('back'),
          other: each('waits'),
          puts: 8,
          removals: 0,
          // These have no id of their own: two empty ones cannot be distinguished.
          ...(disk === 'vfat' || disk === 'xfs' ? {} : { emptied: 'back' }),
        })
      },
    )
  }
})
