import { expect, test } from 'vitest'
import { diskJourneys } from '../rig/harness.ts'
import { files, mayMount, runMounted } from './mounted-daemon.ts'

const has_tmpfs = mayMount('tmpfs')
const has_ext4 = mayMount('ext4')

const nothing_lost = { ready: files, gone: 0, failed: 0, deletes: 0 }

diskJourneys('a disk of its own', (profile) => {
  const run = (scenario: string) => runMounted(profile, scenario, 'tmpfs')
  test.skipIf(!has_tmpfs)(
    'unmounted while the daemon runs, and mounted again: no file counts as deleted, nothing is sent',
    () => {
      expect(run('away and back')).toEqual([
        {
          ...nothing_lost,
          why: 'it is empty, 0 of 20 files found: waiting; if that is right: sluice accept docs',
        },
        { ...nothing_lost, why: null, puts: files },
      ])
    },
  )

  test.skipIf(!has_tmpfs)(
    'unmounted, then another disk with the same device number, then the known one',
    () => {
      // The number is the same; the birth time of the root differs, unless both were made at the
      // same moment.
      const other = expect.stringMatching(
        /another disk.*: 0 of 20 files found: waiting; if that is right: sluice accept docs$/,
      )
      expect(run('another disk')).toEqual([
        {
          ...nothing_lost,
          why: expect.stringContaining('it is empty, 0 of 20 files found: waiting'),
        },
        { ...nothing_lost, why: other },
        { ...nothing_lost, why: null, puts: files },
      ])
    },
  )

  test.skipIf(!has_tmpfs)('a file stands in place of the folder', () => {
    expect(run('a file in its place')).toEqual([
      { ...nothing_lost, why: expect.stringContaining('not a directory') },
      { ...nothing_lost, why: null, puts: files },
    ])
  })

  test.skipIf(!has_tmpfs)(
    'another disk is mounted inside it and unmounted: the covered files do not count as deleted',
    () => {
      expect(run('another disk inside')).toEqual([
        { ...nothing_lost, why: null, blocked: 3, strays: 0 },
        { ...nothing_lost, ready: files + 3, why: null, blocked: 0, puts: files + 3 },
      ])
    },
  )

  test.skipIf(!has_tmpfs)(
    'another disk covers most of it, and a user accepts: it asks only once, and asks again when the whole disk is missing',
    () => {
      const covered = { ...nothing_lost, why: null, blocked: files + 5 }
      expect(run('most of it covered')).toEqual([
        covered,
        covered,
        { ...nothing_lost, why: expect.stringContaining('0 of 45 files found: waiting') },
      ])
    },
  )

  test.skipIf(!has_tmpfs)(
    'another disk covers most of it while the daemon runs: no file counts as deleted, and nothing is sent again',
    () => {
      expect(run('most of it covered while it runs')).toEqual([
        { gone: 0, deletes: 0 },
        { ...nothing_lost, ready: 2 * files + 5, why: null, blocked: 0, puts: 2 * files + 5 },
      ])
    },
  )

  test.skipIf(!has_tmpfs)(
    'unmounted while its files are sent: they are sent later, and none fails',
    () => {
      // Files that were open when the disk was detached are read to their end and uploaded.
      const some = expect.toSatisfy((ready: number) => ready >= files && ready <= files + 10)
      expect(run('away while its files are sent')).toEqual([
        { ...nothing_lost, ready: some, why: expect.stringContaining('0 of 30 files found') },
        { ...nothing_lost, ready: files + 10, why: null, puts: files + 10 },
      ])
    },
  )
})

diskJourneys('an image of ext4, over a loop device', (profile) => {
  const run = (scenario: string) => runMounted(profile, scenario, 'ext4')
  const known_again = { ...nothing_lost, why: null, puts: files }

  test.skipIf(!has_ext4)(
    'unmounted while the daemon runs: the empty mount point says nothing about its files',
    () => {
      expect(run('the same disk, away and back')).toEqual([
        {
          ...nothing_lost,
          why: expect.stringContaining('it is empty, 0 of 20 files found: waiting'),
        },
        known_again,
      ])
    },
  )

  const other =
    'this is another directory, or another disk: 0 of 20 files found: waiting; if that is right: sluice accept docs'
  for (const scenario of ['swapped at once', 'swapped while it is stopped']) {
    test.skipIf(!has_ext4)(
      `${scenario} for another disk with the same device number: no file counts as deleted`,
      () => {
        expect(run(scenario)).toEqual([
          { ...nothing_lost, why: other },
          { ...known_again, strays: 0 },
        ])
      },
    )
  }
})
