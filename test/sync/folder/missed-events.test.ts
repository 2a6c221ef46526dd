import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { entryPath, scanFolder } from '../../../src/disk/scan/scan.ts'
import { createMissedEvents } from '../../../src/sync/folder/missed-events.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { realWait } from '../../rig/waiting.ts'

const ignore = { include: [], exclude: [], dot_files: false }

/** Counts missed events if every file differs, seen `later_ms` from now, or after `since_ms`. */
async function count(root: string, later_ms: number, known: string[] = [], since_ms = Date.now()) {
  const clock = new FakeClock(since_ms + later_ms)
  const missed = createMissedEvents({
    root,
    settle_ms: 5 * second_ms,
    clock,
    known: new Set(known),
  })
  await scanFolder({ root, ignore }, (batch) => {
    missed.consider(
      batch,
      Uint32Array.from({ length: batch.count }, (_, index) => index),
    )
    expect(entryPath(batch, 0)).not.toBe('')
  })
  return { count: missed.count(), found: [...missed.found()] }
}

test('an old change counts once; for a recent one the event may still arrive', async () => {
  const root = makeTree({ 'a.txt': 'a', 'deep/er/b.txt': 'b' })
  expect(await count(root, second_ms)).toEqual({ count: 0, found: [] })
  expect(await count(root, 20 * second_ms)).toMatchObject({ count: 0 })
  expect(await count(root, minute_ms)).toEqual({ count: 2, found: ['a.txt', 'deep/er/b.txt'] })
  expect(await count(root, minute_ms, ['a.txt'])).toEqual({ count: 1, found: ['deep/er/b.txt'] })
})

test('old files in a directory that was moved here recently do not count as missed', async () => {
  const root = makeTree()
  const elsewhere = makeTree({ 'archive/deep/old.txt': 'old' })
  await realWait('a time by the clock of the disk', 1_100)
  mkdirSync(join(root, 'in'))
  renameSync(join(elsewhere, 'archive'), join(root, 'in', 'archive'))
  // The file is a second older than the move. Between the two, the file is old and the directory is
  // new.
  const moved_ms = lstatSync(join(root, 'in/archive')).ctimeMs
  const { count: counted, found } = await count(root, 34_500, [], moved_ms)
  expect(found).toEqual(['in/archive/deep/old.txt'])
  expect(counted).toBe(0)
  expect((await count(root, minute_ms)).count).toBe(1)
})

test('a missed change counts even in a directory with other recent changes', async () => {
  const root = makeTree({ 'in/busy/missed.txt': 'old' })
  await realWait('a time by the clock of the disk', 1_100)
  writeFileSync(join(root, 'in/busy/new.txt'), 'new')
  const reported_ms = lstatSync(join(root, 'in/busy/new.txt')).ctimeMs
  expect(await count(root, 34_500, [], reported_ms)).toEqual({
    count: 1,
    found: ['in/busy/missed.txt'],
  })
})
