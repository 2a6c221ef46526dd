import { execFileSync } from 'node:child_process'
import { appendFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProfileName } from '../../../src/service/options.ts'
import { writeRawFile } from '../../disk/odd-entries.ts'
import { countInotifyWatches } from '../../disk/watch/inotify-watches.ts'
import { makeTree } from '../../rig/tree.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, diskJourneys, type Journey } from '../rig/harness.ts'

/**
 * With a watcher, only events can report changes within the time of a test. With `scan`, scans run
 * as often as possible.
 */
const folder = {
  chokidar: { watch: 'chokidar' },
  native: { watch: 'native' },
  scan: { watch: 'scan', rescan_interval_ms: '10s' },
}
const watching = { min_scan_ms: '200ms', max_scan_ms: '1s', scan_load_percent: 50 }

type Kind = keyof typeof folder

async function watched(
  kind: Kind,
  tree: Record<string, string>,
  profile: ProfileName,
  left_out: string[] = [],
): Promise<Journey> {
  const journey = await begin({
    profile,
    tree,
    folders: { docs: folder[kind] },
    config: { watching },
  })
  journey.ends({ left_out })
  await journey.allReady()
  await journey.idle()
  expect((await journey.daemon.ledger.folders())[0]?.watch?.watcher).toBe(kind)
  return journey
}

/** Waits until every file on the disk is ready, and the ledger has no others. */
async function allReported(journey: Journey): Promise<void> {
  await journey.allReady()
  await journey.until('what is gone is known to be', () =>
    journey.files().every(({ name, stage }) => stage === 'gone' || journey.isOnDisk(name)),
  )
}

/**
 * Times of all entries: each create, change or delete leaves a trace in the times of the file or
 * its directory.
 */
function timesBelow(root: string): string[] {
  const paths = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]
  return paths.sort().map((path) => {
    const { mtimeNs, ctimeNs } = lstatSync(join(root, path), { bigint: true })
    return `${path} ${mtimeNs} ${ctimeNs}`
  })
}

/** Lets the journey end with old versions and deleted files on the service. */
function keepsOld(journey: Journey): void {
  journey.ends({ also_there: journey.assets().map(({ md5 }) => md5 ?? '') })
}

diskJourneys('whatever watches', (profile) => {
  describe.each(['chokidar', 'native', 'scan'] as const)('%s', (kind) => {
    test('a document that comes in a directory with the name of junk is taken in', async () => {
      const tree = { 'docs/plain/a.txt': 'a', 'docs/b.part': 'half' }
      const junk = ['docs/b.part', 'docs/Notes.asd/d.tmp']
      const journey = await watched(kind, tree, profile, junk)
      journey.write({ 'docs/Notes.asd/deep/c.txt': 'c', 'docs/Notes.asd/d.tmp': 'half' })
      journey.move('docs/plain', 'docs/Budget.part')
      await journey.stage('docs/Notes.asd/deep/c.txt', 'ready')
      await journey.stage('docs/Budget.part/a.txt', 'ready')
      journey.write({ 'docs/Budget.part/a.txt': 'a, edited' })
      await journey.until('the edit is in', () =>
        journey.assets().some(({ md5 }) => md5 === md5Of('a, edited')),
      )
      await journey.stage('docs/Budget.part/a.txt', 'ready')
      journey.move('docs/Notes.asd', 'docs/notes')
      await journey.stage('docs/notes/deep/c.txt', 'ready')
      journey.ends({ left_out: ['docs/b.part', 'docs/notes/d.tmp'], also_there: [md5Of('a')] })
    })

    test('files: created, changed, renamed, replaced, moved out and in, deleted; odd names', async () => {
      const outside = makeTree({ 'moved-in.txt': 'from outside' })
      const journey = await watched(
        kind,
        { 'docs/a/old.txt': 'old', 'docs/b.txt': 'b', 'docs/c.txt': 'c' },
        profile,
      )
      journey.write({ 'docs/a/new file.txt': 'new', 'docs/\u{1f600} "quoted".txt': 'odd' })
      await allReported(journey)
      appendFileSync(journey.at('docs/a/old.txt'), ' and more')
      journey.move('docs/b.txt', 'docs/a/renamed.txt')
      await allReported(journey)
      renameSync(join(outside, 'moved-in.txt'), journey.at('docs/a/moved-in.txt'))
      renameSync(journey.at('docs/c.txt'), join(outside, 'c.txt'))
      rmSync(journey.at('docs/a/new file.txt'))
      journey.write({ 'docs/a/saved.tmp': 'saved by rename' })
      journey.move('docs/a/saved.tmp', 'docs/a/old.txt')
      writeRawFile(journey.at('docs/a'), 'caf\xe9.txt', 'no UTF-8')
      await allReported(journey)
      keepsOld(journey)
    })

    test('directories: created and filled at once, renamed, written to under the new name, moved out and in, deleted', async () => {
      const outside = makeTree({ 'in/deep/x.txt': 'x from outside' })
      const journey = await watched(
        kind,
        { 'docs/a/b/one.txt': 'one', 'docs/gone/g.txt': 'g', 'docs/z.txt': 'z' },
        profile,
      )
      journey.write({
        'docs/new/deep/er/1.txt': '1',
        'docs/new/deep/2.txt': '2',
        'docs/new/3.txt': '3',
      })
      await allReported(journey)
      journey.write({ 'docs/new/deep/er/later.txt': 'later' })
      await allReported(journey)
      journey.move('docs/a', 'docs/moved')
      await allReported(journey)
      journey.write({ 'docs/moved/b/two.txt': 'two' })
      await allReported(journey)
      renameSync(join(outside, 'in'), journey.at('docs/in'))
      renameSync(journey.at('docs/moved'), join(outside, 'moved'))
      rmSync(journey.at('docs/gone'), { recursive: true })
      await allReported(journey)
      journey.write({ 'docs/in/deep/y.txt': 'y' })
      rmSync(journey.at('docs/z.txt'))
      journey.write({ 'docs/z.txt/inner.txt': 'a directory now' })
      await allReported(journey)
      keepsOld(journey)
    })

    test('links are not followed; a file that a .sluiceignore includes is uploaded', async () => {
      const journey = await watched(
        kind,
        { 'docs/.sluiceignore': 'drafts/\n', 'docs/a.txt': 'a', 'other/secret.txt': 'secret' },
        profile,
        ['docs/.sluiceignore'],
      )
      journey.write({
        'docs/link': { link: '../other' },
        'docs/drafts/d.txt': 'draft',
        'docs/b.txt': 'b',
      })
      appendFileSync(journey.at('other/secret.txt'), 'more')
      await journey.stage('docs/b.txt', 'ready')
      await journey.idle()
      expect(journey.files().map(({ name }) => name)).not.toContain('docs/link/secret.txt')
      expect(journey.file('docs/drafts/d.txt')).toBeUndefined()
      journey.write({ 'docs/.sluiceignore': '*.log\n' })
      await allReported(journey)
    })

    test('the root is replaced by another directory: its changes are reported', async () => {
      const journey = await watched(kind, { 'docs/a.txt': 'a' }, profile)
      // The copy keeps the times: a root without any known file waits for a user's acknowledgement.
      execFileSync('cp', ['-a', journey.at('docs'), journey.at('next')])
      journey.write({ 'next/b.txt': 'b' })
      renameSync(journey.at('docs'), journey.at('before'))
      renameSync(journey.at('next'), journey.at('docs'))
      // A check between the two renames finds the folder offline, and an offline folder is
      // recorded.
      await journey.until(
        'the new docs is there',
        () => journey.file('docs/b.txt')?.stage === 'ready',
      )
      await allReported(journey)
      await journey.idle()
      mkdirSync(journey.at('docs/sub'))
      journey.write({ 'docs/sub/c.txt': 'c', 'before/old.txt': 'nobody looks here any more' })
      await allReported(journey)
    })

    test('nothing is written into the folder', async () => {
      const tree = { 'docs/a/b.txt': 'b', 'docs/a/c/d.txt': 'd', 'docs/e.txt': 'e' }
      const options = { profile, tree, folders: { docs: folder[kind] }, config: { watching } }
      const journey = await begin(options, 'not started')
      const before = timesBelow(journey.at('docs'))
      await journey.start()
      await journey.allReady()
      journey.daemon.rescan('docs')
      await journey.idle()
      await journey.stop()
      expect(timesBelow(journey.at('docs'))).toEqual(before)
    })

    test('it ends without an open watch', async () => {
      const before = countInotifyWatches()
      const journey = await watched(kind, { 'docs/a/b.txt': 'b', 'docs/c.txt': 'c' }, profile)
      const taken = { chokidar: 4, native: 2, scan: 0 }[kind]
      expect(countInotifyWatches() - before).toBe(taken)
      await journey.stop()
      expect(countInotifyWatches()).toBe(before)
      expect(journey.assets().map(({ md5 }) => md5)).toContain(md5Of('b'))
    })
  })
})
