import { expect, test } from 'vitest'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import {
  audited,
  auditOf,
  list_page,
  loseEndOfFirstPage,
  many,
  secondPage,
  three_pages,
} from './audited.ts'

const patient = { follow: { list_from: 1_000 } }

function listed(journey: Journey): (number | undefined)[] {
  return journey.requests('assets.list').map(({ status }) => status)
}

localJourneys('the cursor of the list is lost in the middle of a round', (profile) => {
  test('another cursor of the same page works: no asset is read twice, none counts as missing', async () => {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 3)
    second.goOn()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    // The last three assets of the page are tried; the fourth from its end still exists.
    expect(listed(journey)).toEqual([200, 400, 400, 400, 200, 200])
    const { round, last } = await auditOf(journey)
    expect(round).toBe(1)
    expect(last!.counts).toMatchObject({ usable: 29, missing: 0, unanswered: 0, unknown: 0 })
    expect(await audited(journey)).toMatchObject({ usable: 26, missing: 3 })
    for (const removed of names) expect(journey.file(removed)?.stage).toBe('removed_on_service')
    journey.ends({ left_out: names })
  })

  test('no cursor is left: the round starts again and ends correctly', async () => {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 8)
    second.goOn()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    expect(listed(journey)).toEqual([200, ...Array.from({ length: 6 }, () => 400), 200, 200, 200])
    expect((await auditOf(journey)).last!.counts).toMatchObject({
      usable: 21,
      missing: 8,
      unanswered: 0,
      unknown: 0,
    })
    expect(journey.troubles()).toEqual([])
    expect(new Set(names.map((removed) => journey.file(removed)?.stage))).toEqual(
      new Set(['removed_on_service']),
    )
    journey.ends({ left_out: names })
  })

  test('after a restart, which knows only one cursor, the round starts again and ends correctly', async () => {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, 1)
    await journey.abort()
    second.goOn()
    const before = listed(journey).length
    await journey.start()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    expect(listed(journey).slice(before)).toEqual([400, 200, 200, 200])
    expect((await auditOf(journey)).last!.counts).toMatchObject({
      usable: 28,
      missing: 1,
      unanswered: 0,
      unknown: 0,
    })
    journey.ends({ left_out: names })
  })
})
