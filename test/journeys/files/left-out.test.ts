import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, localJourneys } from '../rig/harness.ts'

const day_ms = 86_400_000

function files(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.txt`, `text ${index}`]),
  )
}

localJourneys('files that are left out and released later', (profile) => {
  test('the upload limit holds an excess until a user accepts it', async () => {
    const upload_limit = { files: 3, bytes: '1GB' }
    const journey = await begin({
      profile,
      tree: files(5),
      config: { uploads: { limit: upload_limit } },
    })
    const count = (stage: string) => journey.files().filter((file) => file.stage === stage).length
    await journey.until(
      'three are in, two wait',
      () => count('ready') === 3 && count('blocked upload_limit') === 2,
    )
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    // A scan does not change that.
    journey.daemon.rescan()
    await journey.idle()
    expect(count('blocked upload_limit')).toBe(2)

    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.allReady()
  })

  test('start: from_now leaves out the files of the first day', async () => {
    const folders = { docs: { start: 'from_now' } }
    const tree = { 'docs/old/a.txt': 'old a', 'docs/b.txt': 'old b', 'docs/c.txt': 'old c' }
    const journey = await begin({ profile, folders, tree })
    await journey.until('the first scan is over', () => journey.folder()?.first_scan_ms !== null)
    await journey.stage('docs/old/a.txt', 'skipped before_start')
    journey.write({ 'docs/new.txt': 'new', 'docs/b.txt': 'b, edited' })
    await journey.stage('docs/new.txt', 'ready')
    await journey.stage('docs/b.txt', 'ready')
    journey.move('docs/old', 'docs/older')
    await journey.stage('docs/older/a.txt', 'skipped before_start')
    await journey.restart()
    await journey.idle()
    expect(journey.stages()).toMatchObject({
      'docs/b.txt': 'ready',
      'docs/c.txt': 'skipped before_start',
      'docs/new.txt': 'ready',
      'docs/older/a.txt': 'skipped before_start',
    })
    // A name that another file had before makes it no arrival.
    journey.remove('docs/new.txt')
    await journey.stage('docs/new.txt', 'gone')
    journey.move('docs/c.txt', 'docs/new.txt')
    await journey.stage('docs/new.txt', 'skipped before_start')
    await journey.record({ type: 'accepted', folder: 'docs', path: 'older' })
    await journey.stage('docs/older/a.txt', 'ready')
    journey.ends({ left_out: ['docs/new.txt'], also_there: [md5Of('new')] })
  })

  test('start: from_now leaves out a file that is renamed during the first scan', async () => {
    const stageOf = (name: string) => journey.stages()[name]
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (
          facts.some(({ type }) => type === 'scan_finished') &&
          stageOf('docs/old.txt') === 'skipped before_start'
        ) {
          journey.move('docs/old.txt', 'docs/renamed.txt')
          await journey.until('it is checked', () => stageOf('docs/renamed.txt') !== undefined)
        }
        await ledger.record(facts)
      },
    })
    const folders = { docs: { start: 'from_now' } }
    const tree = { 'docs/old.txt': 'old', 'docs/other.txt': 'other' }
    const journey = await begin({ profile, folders, tree, wrap_ledger })
    await journey.stage('docs/renamed.txt', 'skipped before_start')
    await journey.idle()
    journey.ends({ left_out: ['docs/renamed.txt', 'docs/other.txt'] })
  })

  test('start: newer_than uploads newer files', async () => {
    const folders = { docs: { start: { newer_than: '30d' } } }
    const tree = {
      'docs/old.txt': { text: 'old', aged_ms: 40 * day_ms },
      'docs/young.txt': { text: 'young', aged_ms: 20 * day_ms },
    }
    const journey = await begin({ profile, folders, tree })
    await journey.stage('docs/young.txt', 'ready')
    await journey.stage('docs/old.txt', 'skipped before_start')
    // A file that is copied later with its old time counts as new.
    journey.write({ 'docs/copied.txt': { text: 'copied', aged_ms: 400 * day_ms } })
    await journey.stage('docs/copied.txt', 'ready')
    journey.ends({ left_out: ['docs/old.txt'] })
  })

  test('empty and too large files are reported, and uploaded when they are neither', async () => {
    const tree = {
      'docs/empty.txt': '',
      'docs/large.txt': 'x'.repeat(2_000),
      'docs/fits.txt': 'fits',
    }
    const journey = await begin({ profile, folders: { docs: { max_file_bytes: 1_000 } }, tree })
    await journey.stage('docs/fits.txt', 'ready')
    await journey.stage('docs/empty.txt', 'skipped empty')
    await journey.stage('docs/large.txt', 'skipped too_large')
    journey.write({ 'docs/empty.txt': 'no more' })
    await journey.stage('docs/empty.txt', 'ready')
    await journey.restart({ folders: { docs: { max_file_bytes: 3_000 } } })
    await journey.allReady()
  })

  test('ignored files are never opened, and have no row in the ledger', async () => {
    const tree = {
      'docs/report.txt': 'report',
      'docs/~$report.docx': 'lock',
      'docs/.hidden': 'hidden',
      'docs/id_rsa': 'a secret',
      'docs/Thumbs.db': 'thumbs',
      'docs/node_modules/x/index.js': 'code',
      'docs/draft/a.bak': 'left out by the config',
    }
    const journey = await begin({ profile, folders: { docs: { exclude: ['*.bak'] } }, tree })
    await journey.stage('docs/report.txt', 'ready')
    await journey.idle()
    expect(journey.stages()).toEqual({ 'docs/report.txt': 'ready' })
    const left_out = Object.keys(tree).filter((name) => name !== 'docs/report.txt')
    journey.ends({ left_out })
  })

  test('a .sluiceignore that changes', async () => {
    const tree = {
      'docs/.sluiceignore': '*.md\n',
      'docs/a.txt': 'a',
      'docs/notes.md': 'notes',
      'docs/sub/b.txt': 'b',
    }
    const journey = await begin({ profile, tree })
    await journey.stage('docs/a.txt', 'ready')
    await journey.idle()
    expect(journey.file('docs/notes.md')).toBeUndefined()

    journey.write({ 'docs/.sluiceignore': 'sub/\n' })
    await journey.stage('docs/notes.md', 'ready')
    await journey.until('sub is forgotten', () => journey.file('docs/sub/b.txt') === undefined)
    journey.write({ 'docs/sub/c.txt': 'not wanted', 'docs/d.txt': 'wanted' })
    await journey.stage('docs/d.txt', 'ready')
    await journey.idle()
    expect(Object.keys(journey.stages())).toEqual(['docs/a.txt', 'docs/d.txt', 'docs/notes.md'])
    // Uploaded files stay on the service: no asset is removed here.
    journey.ends({
      left_out: ['docs/.sluiceignore', 'docs/sub/b.txt', 'docs/sub/c.txt'],
      also_there: [md5Of('b')],
    })
  })

  test('with a daily limit the other files wait', async () => {
    const journey = await begin({
      profile,
      tree: files(6),
      config: { uploads: { max_bytes_per_day: 20 } },
    })
    const ready = () => journey.files().filter(({ stage }) => stage === 'ready').length
    await journey.until('three are in', () => ready() === 3)
    const scanned_ms = journey.folder()!.scan_ended_ms!
    await journey.restart()
    await journey.until(
      'the folder was scanned again',
      () => journey.folder()!.scan_ended_ms! > scanned_ms,
    )
    expect(journey.requests('put')).toHaveLength(3)
    // Files that wait for tomorrow do not keep the daemon busy today.
    await journey.idle()
    await journey.restart({ uploads: { max_bytes_per_day: 'off' } })
    await journey.allReady()
  })
})
