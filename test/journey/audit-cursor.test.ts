import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { ProfileName } from '../../src/service/options.ts'
import { audited, auditOf, many, secondPage } from './audited.ts'
import { begin, type Journey, localJourneys } from './harness.ts'

const patient = { follow: { list_from: 1_000 } }

/** Oldest first, as they came. */
function name(journey: Journey, asset_id: string): string {
  return journey.files().find((file) => file.asset_id === asset_id)!.name
}

/** The service keeps the places of removed assets in its list; other services do not. */
function forgetPlaces(journey: Journey): void {
  const database = new Database(join(journey.service.data_dir, 'service.db'))
  try {
    expect(database.prepare('DELETE FROM removed').run().changes).toBeGreaterThan(0)
  } finally {
    database.close()
  }
}

/** Removes so many assets at the end of the first page, and their places with them. The hosted service lists the oldest first. */
async function loseEndOfFirstPage(journey: Journey, profile: ProfileName, count: number): Promise<string[]> {
  const came = journey.assets()
  const listed = profile === 'hosted' ? came : came.reverse()
  const lost = listed.slice(100 - count, 100).map(({ asset_id }) => asset_id)
  const names = lost.map((asset_id) => name(journey, asset_id))
  for (const asset_id of lost) expect(await journey.service.removeAsset(asset_id)).toBe(true)
  forgetPlaces(journey)
  return names
}

function listed(journey: Journey): (number | undefined)[] {
  return journey.requests('assets.list').map(({ status }) => status)
}

localJourneys('the place in the list is lost in the middle of a round', (profile) => {
  test('another place on the same page is taken: no asset is read twice, none is called missing', async () => {
    const journey = await begin({ profile, tree: many(230), config: patient })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 3)
    second.goOn()
    await journey.until('the audit is over', async () => (await auditOf(journey)).last !== undefined)
    // The last three of the page are tried, and the fourth from its end is still there.
    expect(listed(journey)).toEqual([200, 400, 400, 400, 200, 200])
    const { round, last } = await auditOf(journey)
    expect(round).toBe(1)
    expect(last!.counts).toMatchObject({ usable: 230, missing: 0, unanswered: 0, unknown: 0 })
    expect(await audited(journey)).toMatchObject({ usable: 227, missing: 3 })
    for (const removed of names) expect(journey.file(removed)?.stage).toBe('removed_on_service')
    journey.ends({ left_out: names })
  })

  test('no other place is left: the round begins anew, and ends right', async () => {
    const journey = await begin({ profile, tree: many(230), config: patient })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 8)
    second.goOn()
    await journey.until('the audit is over', async () => (await auditOf(journey)).last !== undefined)
    expect(listed(journey)).toEqual([200, ...Array.from({ length: 6 }, () => 400), 200, 200, 200])
    expect((await auditOf(journey)).last!.counts).toMatchObject({ usable: 222, missing: 8, unanswered: 0, unknown: 0 })
    expect(journey.troubles()).toEqual([])
    expect(new Set(names.map((removed) => journey.file(removed)?.stage))).toEqual(new Set(['removed_on_service']))
    journey.ends({ left_out: names })
  })

  test('after a restart, which knows one place only: the round begins anew, and ends right', async () => {
    const journey = await begin({ profile, tree: many(230), config: patient })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 1)
    await journey.abort()
    second.goOn()
    const before = listed(journey).length
    await journey.start()
    await journey.until('the audit is over', async () => (await auditOf(journey)).last !== undefined)
    expect(listed(journey).slice(before)).toEqual([400, 200, 200, 200])
    expect((await auditOf(journey)).last!.counts).toMatchObject({ usable: 229, missing: 1, unanswered: 0, unknown: 0 })
    journey.ends({ left_out: names })
  })
})
