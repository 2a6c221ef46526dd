import { renameSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { explain } from '../../../src/inspect/explain/explain.ts'
import { planUploads } from '../../../src/inspect/plan/plan.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { scansGoOn } from '../rig/scans-go-on.ts'

// A sync client frees the space of a file as Nextcloud and ownCloud do on Linux: it removes the
// file and leaves a single blank, under the same name or with an ending.

const removing = { on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }
const wide = { removal: { max_files: 1_000, max_percent: 100 } }

/** Replaces a file by its placeholder in one step. */
function freeSpace(journey: Journey, name: string): void {
  writeFileSync(journey.at(`${name}.new`), ' ')
  renameSync(journey.at(`${name}.new`), journey.at(name))
}

async function removalsPlanned(journey: Journey): Promise<unknown> {
  const config = journey.config()
  const ledger = openLedgerView(config.state_dir)
  try {
    const plan = await planUploads({ config, ledger, hash: true, now_ms: Date.now() })
    const [docs] = plan.folders
    return { would_remove: docs!.removals?.would_remove.files, waits: docs!.removals?.waits }
  } finally {
    ledger.close()
  }
}

function explained(journey: Journey, path: string): string {
  const config = journey.config()
  const ledger = openLedgerView(config.state_dir)
  const place = { folder: 'docs', path }
  try {
    const { why } = explain({ config, ledger, place, daemon_runs: true, now_ms: Date.now() })
    return why.join('; ')
  } finally {
    ledger.close()
  }
}

localJourneys('a file that a sync client keeps elsewhere', (profile) => {
  const folders = { docs: removing }

  test('a placeholder under its name: the document is not changed, and comes back for nothing', async () => {
    const tree = { 'docs/a.txt': 'the text of a', 'docs/b.txt': 'the text of b' }
    const journey = await begin({ profile, folders, tree, config: wide })
    await journey.allReady()
    const before = journey.cost()
    const { asset_id } = journey.file('docs/a.txt')!

    freeSpace(journey, 'docs/a.txt')
    await journey.stage('docs/a.txt', 'skipped placeholder')
    await scansGoOn(journey)
    expect(await removalsPlanned(journey)).toEqual({ would_remove: 0, waits: [] })
    expect(explained(journey, 'a.txt')).toContain('as a placeholder of a sync client does')
    await journey.restart()
    await journey.idle()
    expect(journey.stages()['docs/a.txt']).toBe('skipped placeholder')
    expect(journey.requests('assets.delete')).toEqual([])

    journey.write({ 'docs/a.txt': 'the text of a' })
    await journey.stage('docs/a.txt', 'ready')
    expect(journey.file('docs/a.txt')).toMatchObject({ asset_id })
    expect(journey.cost()).toEqual(before)
  })

  test('a placeholder with an ending: the document is not gone until the placeholder is', async () => {
    const tree = { 'docs/a.txt': 'the text of a', 'docs/sub/b.txt': 'the text of b' }
    const journey = await begin({ profile, folders, tree, config: wide })
    await journey.allReady()
    const before = journey.cost()

    journey.write({ 'docs/sub/b.txt.nextcloud': ' ' })
    journey.remove('docs/sub/b.txt')
    await journey.stage('docs/sub/b.txt', 'skipped placeholder')
    await journey.stage('docs/sub/b.txt.nextcloud', 'skipped placeholder')
    await scansGoOn(journey)
    expect(await removalsPlanned(journey)).toEqual({ would_remove: 0, waits: [] })
    expect(explained(journey, 'sub/b.txt')).toContain('as a placeholder of a sync client does')
    expect(journey.requests('assets.delete')).toEqual([])
    expect(journey.cost()).toEqual(before)

    journey.remove('docs/sub/b.txt.nextcloud')
    journey.daemon.rescan()
    await journey.stage('docs/sub/b.txt', 'gone placeholder')
    await scansGoOn(journey)
    expect(journey.requests('assets.delete')).toHaveLength(1)
  })

  test('a placeholder that comes after the document was seen as gone brings it back', async () => {
    const slow = { docs: { ...removing, delete_grace_ms: '1h' } }
    const tree = { 'docs/a.txt': 'the text of a', 'docs/b.txt': 'the text of b' }
    const journey = await begin({ profile, folders: slow, tree, config: wide })
    await journey.allReady()
    for (const name of ['docs/a.txt', 'docs/b.txt']) {
      journey.remove(name)
      await journey.stage(name, 'gone')
    }
    journey.write({ 'docs/a.txt': ' ', 'docs/b.txt.owncloud': ' ' })
    await journey.stage('docs/a.txt', 'skipped placeholder')
    await journey.stage('docs/b.txt', 'skipped placeholder')
    await journey.idle()
    expect(await removalsPlanned(journey)).toEqual({ would_remove: 0, waits: [] })
    journey.ends({
      left_out: ['docs/a.txt', 'docs/b.txt.owncloud'],
      also_there: [md5Of('the text of a'), md5Of('the text of b')],
    })
  })

  test('a whole share is freed while no daemon runs: it does not wait for a user', async () => {
    const names = Array.from({ length: 160 }, (_, index) => `docs/${index}.txt`)
    const tree = Object.fromEntries(names.map((name) => [name, `the document ${name}`]))
    const journey = await begin({ profile, tree, config: wide })
    await journey.allReady()
    await journey.stop()
    for (const name of names) {
      journey.write({ [`${name}.nextcloud`]: ' ' })
      journey.remove(name)
    }
    await journey.start()
    await journey.until('all are known as placeholders', () =>
      names.every((name) => journey.stages()[name] === 'skipped placeholder'),
    )
    await journey.idle()
    expect(journey.folder()?.offline_reason).toBeNull()
    journey.ends({
      left_out: names.map((name) => `${name}.nextcloud`),
      also_there: names.map((name) => md5Of(`the document ${name}`)),
    })
  })

  test('unknown placeholders are left out, and documents of one byte are not', async () => {
    const tree = {
      'docs/a.txt': ' ',
      'docs/b.txt.nextcloud': ' ',
      'docs/VERSION': '2',
      'docs/move to.nextcloud': 'a plan',
    }
    const journey = await begin({ profile, tree })
    await journey.stage('docs/VERSION', 'ready')
    await journey.stage('docs/move to.nextcloud', 'ready')
    await journey.idle()
    expect(journey.stages()).toMatchObject({
      'docs/a.txt': 'skipped placeholder',
      'docs/b.txt.nextcloud': 'skipped placeholder',
    })
    journey.ends({ left_out: ['docs/a.txt', 'docs/b.txt.nextcloud'] })
  })
})
