import {
  cpSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { ProfileName } from '../../../src/service/options.ts'
import { begin, diskJourneys, type Journey } from '../rig/harness.ts'

const names = Array.from({ length: 15 }, (_, index) => `docs/${index % 3}/${index}.txt`)
const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
const all_ready = Object.fromEntries(names.map((name) => [name, 'ready']))

const made: string[] = []
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true })
})

/** A directory on another device than the temporary files of the tests. */
function otherDisk(): string {
  const directory = mkdtempSync('/dev/shm/sluice-')
  made.push(directory)
  return directory
}

/** Replaces the folder by a link to this disk in one step. */
function mount(journey: Journey, disk: string): void {
  symlinkSync(disk, journey.at('link'))
  renameSync(journey.at('link'), journey.at('docs'))
  journey.daemon.rescan('docs')
}

async function unmounted(profile: ProfileName): Promise<Journey> {
  const journey = await begin({ profile, tree })
  await journey.allReady()
  journey.move('docs', 'disk')
  const point = otherDisk()
  writeFileSync(join(point, 'NOT MOUNTED.txt'), 'this is the mount point')
  mount(journey, point)
  await journey.until('it is in doubt', () =>
    /another disk .*: 0 of 15 files found: waiting/.test(journey.folder()?.offline_reason ?? ''),
  )
  expect(journey.folder()?.offline_reason).toContain('sluice accept docs')
  expect(journey.stages()).toEqual(all_ready)
  return journey
}

const has_other_disk = (() => {
  try {
    return statSync('/dev/shm').dev !== statSync('/tmp').dev
  } catch {
    return false
  }
})()
if (!has_other_disk)
  console.log('skipped: another disk at the same place, because /dev/shm is none')

diskJourneys('another disk at the same place', (profile) => {
  test.skipIf(!has_other_disk)(
    'the doubt survives a restart; the known disk comes back by itself',
    async () => {
      const journey = await unmounted(profile)
      const before = journey.cost()
      await journey.restart()
      journey.daemon.rescan('docs')
      await journey.idle()
      expect(journey.folder()?.offline_reason).not.toBeNull()
      expect(journey.stages()).toEqual(all_ready)
      mount(journey, journey.at('disk'))
      await journey.until('it is back', () => journey.folder()?.offline_reason === null)
      await journey.idle()
      expect(journey.stages()).toEqual(all_ready)
      expect(journey.cost()).toEqual(before)
    },
  )

  test.skipIf(!has_other_disk)(
    'the same files on a new device number need no user and no upload',
    async () => {
      const journey = await unmounted(profile)
      const before = journey.cost()
      const remounted = otherDisk()
      cpSync(journey.at('disk'), remounted, { recursive: true, preserveTimestamps: true })
      mount(journey, remounted)
      await journey.until('it is back', () => journey.folder()?.offline_reason === null)
      await journey.idle()
      expect(journey.stages()).toEqual(all_ready)
      expect(journey.cost()).toEqual(before)
    },
  )

  test.skipIf(!has_other_disk)(
    'a user accepts the missing files: they count as deleted',
    async () => {
      const journey = await unmounted(profile)
      const md5s = journey.assets().map(({ md5 }) => md5!)
      await journey.record({ type: 'accepted', folder: 'docs', path: '' })
      journey.daemon.rescan('docs')
      await journey.until('all are gone', () =>
        names.every((name) => journey.file(name)?.stage === 'gone'),
      )
      await journey.stage('docs/NOT MOUNTED.txt', 'ready')
      journey.ends({ also_there: md5s })
    },
  )
})
