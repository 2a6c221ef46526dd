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
    const names = await loseEndOfFirstPage(journey, profile, list_page)
    second.goOn()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    expect(listed(journey)).toEqual([200, ...Array(5).fill(400), 200, 200])
    expect((await auditOf(journey)).last!.counts).toMatchObject({
      usable: 19,
      missing: 10,
      unanswered: 0,
      unknown: 0,
    })
    expect(journey.troubles()).toEqual([])
    expect(new Set(names.map((removed) => journey.file(removed)?.stage))).toEqual(
      new Set(['removed_on_service']),
    )
    journey.ends({ left_out: names })
  })

  test.each([
    ['a foreign code', 'foreign.asset.gone', 404],
    ['the code of a lost project', 'publicapi.tenancy.project.not_found', 404],
    ['no code', '', 400],
  ])(
    'A-37 a cursor is refused with %s: the round begins anew, and the project is not blamed',
    async (_, code, status) => {
      const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
      await journey.allReady()
      const failure = { route: 'assets.list', later_pages: true, status, code, times: 5 } as const
      journey.service.injectFaults({ failures: [failure] })
      expect(await audited(journey)).toMatchObject({ usable: 29, missing: 0, unanswered: 0 })
      expect(listed(journey)).toEqual([200, ...Array(5).fill(status), 200, 200, 200])
      expect(journey.troubles()).toEqual([])
    },
  )

  test('A-37 no cursor is ever taken: after three new beginnings the rest is read singly', async () => {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    const failure = { route: 'assets.list', later_pages: true, status: 404 } as const
    journey.service.injectFaults({ failures: [failure] })
    expect(await audited(journey)).toMatchObject({ usable: 29, missing: 0, unanswered: 0 })
    expect(listed(journey).filter((status) => status === 200)).toHaveLength(4)
    expect(journey.troubles()).toEqual([])
  })

  test('A-37 the follower: a refused cursor rests nothing, and the rest is read singly', async () => {
    const config = { follow: { list_from: 1 } }
    const tree = many(three_pages)
    const journey = await begin({ profile, tree, config, list_page }, 'not started')
    const failure = { route: 'assets.list', later_pages: true, status: 404 } as const
    journey.service.injectFaults({ failures: [failure] })
    await journey.start()
    await journey.allReady()
    expect(listed(journey)).toContain(404)
    expect(journey.troubles()).toEqual([])
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
