import { expect, test } from 'vitest'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { audited, auditOf, list_page, many, secondPage } from './audited.ts'

const removing = { on_delete: 'remove', delete_grace_ms: '1s' }

/**
 * Deletes a file and waits until its asset is removed. The grace alone is not enough: a scan must
 * follow it.
 */
async function removeWithAsset(journey: Journey, name: string): Promise<void> {
  const { asset_id } = journey.file(name)!
  journey.remove(name)
  await journey.until(`${name} is removed there`, () => {
    journey.daemon.rescan()
    return journey.assets().every((asset) => asset.asset_id !== asset_id)
  })
}

/** Waits for the round that a restore requests by itself. */
async function auditedSince(journey: Journey, round: number): Promise<void> {
  await journey.until('the audit after the restore is over', async () => {
    const now = await auditOf(journey)
    return now.round > round && !now.running && !now.wanted
  })
}

localJourneys('a ledger from a backup', (profile) => {
  test('an asset that Sluice removed after the backup is no longer ready: its bytes are found under the other asset, and no alert goes out', async () => {
    const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'docs/copy of b.txt': 'b' }
    const journey = await begin({ profile, tree, folders: { docs: removing } })
    await journey.allReady()
    const { round } = await auditOf(journey)
    const backup = journey.backUp()
    const was = journey.file('docs/b.txt')!.asset_id
    journey.remove('docs/copy of b.txt')
    await removeWithAsset(journey, 'docs/b.txt')
    journey.write({ 'docs/b.txt': 'b', 'docs/copy of b.txt': 'b' })
    await journey.allReady()
    const is = journey.file('docs/b.txt')!.asset_id
    expect(is).not.toBe(was)
    const { puts } = journey.cost()
    await journey.restore(backup)
    await auditedSince(journey, round)
    await journey.allReady()
    expect(journey.files().map(({ name, asset_id }) => [name, asset_id])).toEqual([
      ['docs/a.txt', journey.file('docs/a.txt')!.asset_id],
      ['docs/b.txt', is],
      ['docs/copy of b.txt', is],
    ])
    expect(journey.cost().puts).toBe(puts)
    expect(await audited(journey)).toMatchObject({ usable: 2, missing: 0, unknown: 0 })
  })

  test('a file whose asset was removed after the backup is sent again when the file comes back', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b' },
      folders: { docs: removing },
    })
    await journey.allReady()
    const { round } = await auditOf(journey)
    const backup = journey.backUp()
    await removeWithAsset(journey, 'docs/b.txt')
    await journey.restore(backup)
    await auditedSince(journey, round)
    await journey.until(
      'it is known to be gone',
      () => journey.file('docs/b.txt')?.stage === 'gone',
    )
    journey.write({ 'docs/b.txt': 'b' })
    await journey.allReady()
    expect(journey.assets()).toHaveLength(2)
  })

  test('after an audit, an asset that a user removes stays removed', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b' } })
    await journey.allReady()
    const { round } = await auditOf(journey)
    await journey.restore(journey.backUp())
    await auditedSince(journey, round)
    expect(await journey.service.removeAsset(journey.file('docs/a.txt')!.asset_id!)).toBe(true)
    expect(await audited(journey)).toMatchObject({ usable: 1, missing: 1 })
    await journey.stage('docs/a.txt', 'removed_on_service')
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
    journey.ends({ left_out: ['docs/a.txt'] })
  })

  test('an emptied project: as many files as the upload limit allows are sent again, the others wait for a user', async () => {
    const config = { uploads: { limit: { files: 15 } } }
    const journey = await begin({ profile, tree: many(12), config })
    await journey.allReady()
    const { round } = await auditOf(journey)
    const backup = journey.backUp()
    for (const { asset_id } of journey.assets()) await journey.service.removeAsset(asset_id)
    await journey.restore(backup)
    await auditedSince(journey, round)
    const staged = (stage: string) =>
      Object.values(journey.stages()).filter((other) => other === stage).length
    await journey.until(
      'three are in and nine wait',
      () => staged('ready') === 3 && staged('blocked upload_limit') === 9,
    )
    expect(journey.cost()).toEqual({ creates: 15, puts: 15 })
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.allReady()
  })

  test('a round that was running at the time of the backup does not continue: its pages are out of date', async () => {
    const config = { follow: { list_from: 1_000 } }
    const journey = await begin({ profile, tree: many(13), config, list_page })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const { round } = await auditOf(journey)
    const backup = journey.backUp()
    second.goOn()
    await auditedSince(journey, round - 1)
    // One of the two was on the first page, for either order of the list.
    const removed = ['docs/0.txt', 'docs/12.txt']
    for (const name of removed) {
      expect(await journey.service.removeAsset(journey.file(name)!.asset_id!)).toBe(true)
    }
    await journey.restore(backup)
    await auditedSince(journey, round)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 15, puts: 15 })
  })
})
