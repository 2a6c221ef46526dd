import { expect, test } from 'vitest'
import { explain } from '../../../src/inspect/explain/explain.ts'
import { planUploads } from '../../../src/inspect/plan/plan.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import type { ConfigChange } from '../rig/quick-config.ts'
import { scansGoOn } from '../rig/scans-go-on.ts'

const removing = { on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }
const from_now = { ...removing, start: 'from_now' }
const wide = { removal: { max_files: 100, max_percent: 100 } }

async function explained(journey: Journey, path: string, change: ConfigChange) {
  const config = journey.config(change)
  const ledger = openLedgerView(config.state_dir)
  const now_ms = Date.now()
  try {
    const place = { folder: 'docs', path }
    const { why } = explain({ config, ledger, place, daemon_runs: true, now_ms })
    const { folders } = await planUploads({ config, ledger, hash: true, now_ms })
    const waits = folders[0]!.removals!.waits.map(({ why: reason, left_out }) => [reason, left_out])
    return { why: why.join('; '), waits, status: ledger.removals().waiting }
  } finally {
    ledger.close()
  }
}

const it_waits = {
  why: expect.stringContaining('a file that is left out has its size and may be it (docs/old.txt)'),
  waits: [['left_out', 'docs/old.txt']],
  status: [{ why: 'left_out', versions: 1 }],
}

localJourneys('a file that is left out has the size of a deleted one', (profile) => {
  test('it was there before the deleted file was uploaded: the asset is removed', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/old.txt': 'AAAA' },
      folders: { docs: from_now },
      config: wide,
    })
    await journey.stage('docs/old.txt', 'skipped before_start')
    journey.write({ 'docs/new.txt': 'BBBB' })
    await journey.stage('docs/new.txt', 'ready')
    journey.remove('docs/new.txt')
    await journey.stage('docs/new.txt', 'gone')
    await scansGoOn(journey)
    expect(journey.requests('assets.delete')).toHaveLength(1)
    journey.ends({ left_out: ['docs/old.txt'] })
  })

  test('it is the deleted file, moved there and too large since: the asset stays until the file is gone, and the status says why', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/old.txt': 'AA' },
      folders: { docs: from_now },
      config: wide,
    })
    await journey.stage('docs/old.txt', 'skipped before_start')
    journey.write({ 'docs/new.txt': 'BBBB' })
    await journey.stage('docs/new.txt', 'ready')
    await journey.stop()
    journey.move('docs/new.txt', 'docs/old.txt')
    const narrow = { folders: { docs: { ...from_now, max_file_bytes: 3 } } }
    await journey.start(narrow)
    await journey.stage('docs/new.txt', 'gone')
    await journey.stage('docs/old.txt', 'skipped too_large')
    await scansGoOn(journey)
    expect(journey.requests('assets.delete')).toEqual([])
    expect(await explained(journey, 'new.txt', narrow)).toEqual(it_waits)
    journey.remove('docs/old.txt')
    await journey.until(
      'it was removed there',
      () => journey.requests('assets.delete').length === 1,
    )
    await journey.idle()
    journey.ends({})
  })

  test('it had the same size before the deleted file was moved onto it: the asset stays', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/old.txt': 'AAAA', 'kept/k.txt': 'k' },
      folders: { docs: from_now, kept: {} },
      config: wide,
    })
    await journey.stage('docs/old.txt', 'skipped before_start')
    journey.write({ 'docs/new.txt': 'BBBB' })
    for (const name of ['docs/new.txt', 'kept/k.txt']) await journey.stage(name, 'ready')
    await journey.stop()
    journey.move('docs/new.txt', 'docs/old.txt')
    const narrow = { folders: { docs: { ...from_now, max_file_bytes: 3 }, kept: {} } }
    await journey.start(narrow)
    await journey.stage('docs/new.txt', 'gone')
    await scansGoOn(journey)
    expect(journey.requests('assets.delete')).toEqual([])
    expect(await explained(journey, 'new.txt', narrow)).toEqual(it_waits)
    await journey.restart({ folders: { docs: from_now, kept: {} } })
    await journey.stage('docs/old.txt', 'ready')
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('the deleted file was moved onto it: it is uploaded content now, and nothing is removed', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/old.txt': 'AAAA' },
      folders: { docs: from_now },
      config: wide,
    })
    await journey.stage('docs/old.txt', 'skipped before_start')
    journey.write({ 'docs/new.txt': 'BBBB' })
    await journey.stage('docs/new.txt', 'ready')
    journey.move('docs/new.txt', 'docs/old.txt')
    await journey.stage('docs/old.txt', 'ready')
    await scansGoOn(journey)
    expect(journey.requests('assets.delete')).toEqual([])
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })
})
