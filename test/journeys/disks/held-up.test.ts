import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readlinkSync,
  utimesSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { mountUnresponsive } from '../../disk/unresponsive-mount.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, diskJourneys } from '../rig/harness.ts'

const tree = { 'docs/a.txt': 'in docs', 'other/b.txt': 'in the other' }

const shows_open_files = existsSync('/proc/self/fd')
if (!shows_open_files)
  console.log('skipped: small files beside a huge one, because /proc/self/fd is not there')

diskJourneys('nobody is held up', (profile) => {
  test.skipIf(!shows_open_files)(
    'small files become ready while a huge one is being hashed',
    async () => {
      const folders = { docs: { max_file_bytes: '200GB' }, other: {} }
      const journey = await begin({ profile, tree, folders })
      await journey.allReady()
      const huge = journey.at('docs/huge.bin')
      // The md5 takes a quarter of a minute, but a sparse file takes no space.
      makeSparse(huge, 9_000_000_000)
      await journey.until('the huge file is being hashed', () => isOpen(huge))
      journey.write({ 'docs/beside.txt': 'beside it', 'other/elsewhere.txt': 'elsewhere' })
      await Promise.all(
        ['docs/beside.txt', 'other/elsewhere.txt'].map((name) => journey.stage(name, 'ready')),
      )
      expect(isOpen(huge)).toBe(true)
      // The first event about the huge file waits for it; the next event does not.
      utimesSync(huge, new Date(), new Date())
      journey.write({ 'docs/after.txt': 'after that' })
      await journey.stage('docs/after.txt', 'ready')
      expect(isOpen(huge)).toBe(true)
      await journey.abort()
      journey.remove('docs/huge.bin')
    },
  )

  test('a folder on an unresponsive share goes offline while its files are due, and the others continue', async ({
    skip,
  }) => {
    const clock = new MovingClock()
    // A skip of the clock makes them due only after the share is unresponsive.
    const folders = { docs: {}, other: { settle_ms: '1h' } }
    const config = { scan: { answer_ms: 2_000 } }
    const journey = await begin({ profile, tree, folders, config, clock, service: { clock } })
    await journey.stage('other/b.txt', 'seen')
    clock.skip(hour_ms)
    await journey.allReady()
    const due = Array.from({ length: 80 }, (_, at) => `other/due-${at}.txt`)
    journey.write(Object.fromEntries(due.map((name) => [name, `text of ${name}`])))
    await journey.until('all of them are seen', () => {
      const stages = journey.stages()
      return due.every((name) => stages[name] === 'seen')
    })
    const unmount = mountUnresponsive(journey.at('other'))
    clock.skip(hour_ms)
    if (!unmount) {
      await journey.allReady()
      return skip(
        'a file system that nobody serves can be mounted by root alone, where there is FUSE',
      )
    }
    await journey.until(
      'the share is offline',
      () => journey.folder('other')?.offline_reason != null,
    )
    journey.write({ 'docs/new.txt': 'new' })
    await journey.stage('docs/new.txt', 'ready')
    expect(journey.files().filter(({ stage }) => stage === 'gone')).toEqual([])
    unmount()
    journey.daemon.rescan()
    await journey.until('the share is back', () => journey.folder('other')?.offline_reason === null)
    await journey.allReady()
  })

  test('a share becomes unresponsive while its files wait to be sent: the others continue', async ({
    skip,
  }) => {
    const config = { scan: { answer_ms: 2_000 } }
    const journey = await begin({ profile, tree, config, folders: { docs: {}, other: {} } })
    await journey.allReady()
    await journey.daemon.pause({ by: 'anna' })
    const names = ['other/one/due.txt', 'other/two/due.txt']
    journey.write(Object.fromEntries(names.map((name) => [name, `text of ${name}`])))
    for (const name of names) await journey.stage(name, 'wanted')
    // A scan forgets the ignore rules, so that a send must read them.
    journey.daemon.rescan()
    await journey.idle()
    const unmount = mountUnresponsive(journey.at('other'))
    await journey.daemon.resume()
    if (!unmount) {
      await journey.allReady()
      return skip(
        'a file system that nobody serves can be mounted by root alone, where there is FUSE',
      )
    }
    await journey.until(
      'the share is offline',
      () => journey.folder('other')?.offline_reason != null,
    )
    journey.write({ 'docs/new.txt': 'new' })
    await journey.stage('docs/new.txt', 'ready')
    unmount()
    journey.daemon.rescan()
    await journey.until('the share is back', () => journey.folder('other')?.offline_reason === null)
    await journey.allReady()
  })

  test.for(['native', 'chokidar', 'scan'] as const)(
    'a share below a folder becomes unresponsive: %s continues',
    async (watch, { skip }) => {
      const below = { 'docs/share/': '', 'docs/sub/b.txt': 'in sub' }
      const journey = await begin({
        profile,
        tree: { ...tree, ...below },
        folders: { docs: { watch }, other: {} },
      })
      await journey.allReady()
      const unmount = mountUnresponsive(journey.at('docs/share'))
      if (!unmount)
        return skip(
          'a file system that nobody serves can be mounted by root alone, where there is FUSE',
        )
      await journey.restart()
      journey.write({
        'docs/new.txt': 'new',
        'docs/sub/new.txt': 'new in sub',
        'other/new.txt': 'new in the other',
      })
      journey.daemon.rescan()
      const names = ['docs/new.txt', 'docs/sub/new.txt', 'other/new.txt']
      await Promise.all(names.map((name) => journey.stage(name, 'ready')))
      await journey.until('the share is reported', () =>
        String(journey.folder('docs')?.scan_summary).includes('"other_mounts":["share"]'),
      )
      expect(journey.folder('docs')).toMatchObject({ offline_reason: null })
      unmount()
      journey.write({ 'docs/after.txt': 'after' })
      journey.daemon.rescan()
      await journey.allReady()
    },
  )
})

function makeSparse(file: string, size: number): void {
  const descriptor = openSync(file, 'w')
  ftruncateSync(descriptor, size)
  closeSync(descriptor)
}

function isOpen(file: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file
    } catch {
      // The descriptor was closed after the list was made.
      return false
    }
  })
}
