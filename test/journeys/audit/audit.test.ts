import { expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { realWait } from '../../rig/waiting.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import {
  audited,
  auditOf,
  list_page,
  many,
  secondPage,
  setFileStatusThere,
  three_pages,
} from './audited.ts'

const few = { 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'docs/c.txt': 'c' }
const resend = { audit: { on_remote_delete: 'resend' } }

async function removeThere(journey: Journey, ...names: string[]): Promise<void> {
  for (const name of names)
    expect(await journey.service.removeAsset(journey.file(name)!.asset_id!)).toBe(true)
}

localJourneys('the audit', (profile) => {
  test('a removed asset is found within one round, and is not sent again', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    expect(await audited(journey)).toMatchObject({ usable: 3, missing: 0, unknown: 0, slots: 0 })
    await removeThere(journey, 'docs/a.txt', 'docs/b.txt')
    expect(await audited(journey)).toMatchObject({
      usable: 1,
      missing: 2,
      failed: 0,
      unanswered: 0,
    })
    expect(journey.stages()).toMatchObject({
      'docs/a.txt': 'removed_on_service',
      'docs/c.txt': 'ready',
    })
    expect(await audited(journey)).toMatchObject({ usable: 1, missing: 0 })
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    journey.ends({ left_out: ['docs/a.txt', 'docs/b.txt'] })
  })

  test('the policy `resend` uploads the asset again with its labels; assets of other users are counted, not changed', async () => {
    const folders = { docs: { labels: ['team'] } }
    const journey = await begin({ profile, tree: few, folders, config: resend })
    await journey.allReady()
    await journey.until('it is labelled', () =>
      journey.assets().every(({ labels }) => labels.includes('team')),
    )
    const before = journey.file('docs/a.txt')!.asset_id
    await removeThere(journey, 'docs/a.txt')
    const slot = await journey.call('POST', '/v1/assets', {
      filename: 'x',
      mime_type: 'text/plain',
    })
    expect(slot.status).toBe(201)
    expect(await audited(journey)).toMatchObject({ usable: 2, missing: 1, unknown: 0, slots: 1 })
    await journey.allReady()
    expect(journey.file('docs/a.txt')!.asset_id).not.toBe(before)
    await journey.until('it is labelled', () =>
      journey.assets().every(({ labels }) => labels.includes('team')),
    )
    expect(await audited(journey)).toMatchObject({ usable: 3, missing: 0 })
  })

  test('the policy changes during a round: a request under the old policy sends nothing', async () => {
    let journey: Journey | undefined
    let pages = 0
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async unaudited(query) {
        pages += 1
        if (pages === 1) await journey!.reload({ audit: { on_remote_delete: 'respect' } })
        // The request under the new policy comes second.
        else await realWait('an answer that takes its time', 500)
        return ledger.unaudited(query)
      },
    })
    journey = await begin({ profile, tree: few, config: resend, wrap_ledger })
    await journey.allReady()
    await removeThere(journey, 'docs/a.txt')
    expect(await audited(journey)).toMatchObject({ usable: 2, missing: 1 })
    await journey.idle()
    expect(journey.stages()).toMatchObject({
      'docs/a.txt': 'removed_on_service',
      'docs/b.txt': 'ready',
    })
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    journey.ends({ left_out: ['docs/a.txt'] })
  })

  test('finds assets that failed, are ingesting again, or lost their bytes', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    setFileStatusThere(journey, 'docs/a.txt', 'failed')
    setFileStatusThere(journey, 'docs/b.txt', 'ingesting')
    expect(await audited(journey)).toMatchObject({ usable: 1, failed: 1, unready: 1, missing: 0 })
    expect(journey.file('docs/a.txt')).toMatchObject({
      stage: 'refused',
      error_code: 'ingest_failed',
    })
    await journey.stage('docs/b.txt', 'ingesting')
    setFileStatusThere(journey, 'docs/b.txt', 'ready')
    await journey.stage('docs/b.txt', 'ready')
    setFileStatusThere(journey, 'docs/a.txt', 'ready')
    expect(await audited(journey)).toMatchObject({ usable: 3 })
    await journey.stage('docs/a.txt', 'ready')
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
  })
})

localJourneys('rounds of the audit', (profile) => {
  test('begin by themselves: the first a minute after the start, the next a day later', async () => {
    const clock = new MovingClock()
    const journey = await begin({ profile, tree: few, clock, service: { clock } })
    await journey.allReady()
    expect((await auditOf(journey)).round).toBe(0)
    clock.skip(minute_ms)
    await journey.until('the first round', async () => (await auditOf(journey)).last !== undefined)
    await removeThere(journey, 'docs/b.txt')
    clock.skip(23 * hour_ms)
    expect((await auditOf(journey)).round).toBe(1)
    clock.skip(hour_ms)
    await journey.until('the second round', async () => {
      clock.skip(minute_ms)
      return (await auditOf(journey)).last!.counts.missing === 1
    })
    await journey.stage('docs/b.txt', 'removed_on_service')
    journey.ends({ left_out: ['docs/b.txt'] })
  })

  test('assets come and go while the pages are read: no existing asset counts as missing', async () => {
    const journey = await begin({
      profile,
      tree: many(three_pages),
      config: { follow: { list_from: 1_000 } },
      list_page,
    })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    // Removes assets of the first page and of later ones, and adds new ones at the beginning of the
    // list.
    await removeThere(journey, 'docs/28.txt', 'docs/3.txt')
    journey.write({ 'docs/new.txt': 'new', 'docs/newer.txt': 'newer' })
    await journey.stage('docs/new.txt', 'ready')
    await journey.stage('docs/newer.txt', 'ready')
    second.goOn()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    const removed = ['docs/28.txt', 'docs/3.txt']
    const missing = journey.files().filter(({ stage }) => stage !== 'ready')
    expect(removed).toEqual(expect.arrayContaining(missing.map(({ name }) => name)))
    expect(await audited(journey)).toMatchObject({ usable: 29, unknown: 0 })
    for (const name of removed) await journey.stage(name, 'removed_on_service')
    journey.ends({ left_out: removed })
  })

  test('a restart in the middle continues the round', async () => {
    const journey = await begin({
      profile,
      tree: many(three_pages),
      config: { follow: { list_from: 1_000 } },
      list_page,
    })
    await journey.allReady()
    const second = secondPage(journey)
    await journey.record({ type: 'audit_wanted' })
    await second.reached
    const before = journey.requests('assets.list').length
    await journey.abort()
    second.goOn()
    await journey.start()
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    expect(
      journey.requests('assets.list').length - before,
      'the second page again, and the third',
    ).toBe(2)
    expect((await auditOf(journey)).last).toMatchObject({
      pages: 3,
      counts: { usable: 29, missing: 0 },
    })
    expect(journey.requests('assets.read').filter(({ status }) => status === 404)).toEqual([])
  })

  test('the service does not know the project: nothing counts as missing, and the trouble ends by itself', async () => {
    const clock = new MovingClock({ times: 5 })
    const journey = await begin({ profile, tree: few, clock, service: { clock } })
    await journey.allReady()
    const gone = { status: 404, code: 'publicapi.tenancy.project.not_found' }
    journey.service.injectFaults({
      failures: [
        { route: 'assets.list', ...gone },
        { route: 'assets.read', ...gone },
      ],
    })
    await journey.record({ type: 'audit_wanted' })
    await journey.until('it is reported', () => journey.troubles().length > 0)
    expect(journey.troubles()).toMatchObject([{ about: `project:${journey.project_id}` }])
    clock.skip(10 * minute_ms)
    await journey.until('it was asked again', () => journey.requests('assets.list').length > 2)
    expect(journey.troubles(), 'and that there is nothing to send does not end it').toHaveLength(1)
    expect(Object.values(journey.stages())).toEqual(['ready', 'ready', 'ready'])
    journey.service.injectFaults({ failures: [] })
    await journey.until('it is right again', () => {
      clock.skip(minute_ms)
      return journey.troubles().length === 0
    })
    await journey.until(
      'the audit is over',
      async () => (await auditOf(journey)).last !== undefined,
    )
    expect((await auditOf(journey)).last!.counts).toMatchObject({ usable: 3, missing: 0 })
  })

  test('an emptied project: each asset is checked before it counts as missing, and nothing is uploaded again by itself', async () => {
    const journey = await begin({
      profile,
      tree: many(130),
      config: { ...resend, follow: { list_from: 1_000 } },
    })
    await journey.allReady()
    for (const { asset_id } of journey.assets()) await journey.service.removeAsset(asset_id)
    expect(await audited(journey)).toMatchObject({ usable: 0, missing: 130, unanswered: 0 })
    const asked = journey.requests('assets.read').filter(({ status }) => status === 404)
    expect(new Set(asked.map(({ asset_id }) => asset_id)).size).toBe(130)
    expect(await audited(journey)).toMatchObject({ usable: 0, missing: 0 })
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 130, puts: 130 })
    await journey.record({ type: 'retried', folder: 'docs', path: '' })
    await journey.allReady()
  })

  test('a service that does not answer about some assets: the round ends without them, and they stay ready', async () => {
    const journey = await begin({ profile, tree: few })
    await journey.allReady()
    setFileStatusThere(journey, 'docs/a.txt', 'ingesting')
    journey.service.injectFaults({ failures: [{ route: 'assets.read', status: 418 }] })
    expect(await audited(journey)).toMatchObject({ usable: 2, unanswered: 1, missing: 0 })
    expect(journey.file('docs/a.txt')?.stage).toBe('ready')
    expect(journey.troubles(), 'one asset is no reason to pause the rest').toEqual([])
    journey.service.injectFaults({ failures: [] })
    setFileStatusThere(journey, 'docs/a.txt', 'ready')
  })
})
