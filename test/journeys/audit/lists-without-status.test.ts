import { expect, test } from 'vitest'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { startInBetween } from '../rig/in-between.ts'
import type { ConfigChange, Fields } from '../rig/quick-config.ts'
import { audited, many, setFileStatusThere, uploadedByAnother } from './audited.ts'
import { namesOf, verified } from './verified.ts'

/** A server whose lists of assets show no status. It counts the single reads under way. */
async function behindPlainLists(journey: Journey) {
  const isRead = (method: string, path: string) =>
    method === 'GET' && /^\/v1\/assets\/\w+$/.test(path)
  const reads = { now: 0, most: 0, all: 0 }
  const { address } = await startInBetween(journey.service.api, {
    instead({ method, path }) {
      if (isRead(method, path)) reads.most = Math.max(reads.most, ++reads.now)
      return undefined
    },
    changed({ method, path }, { status, body }) {
      if (isRead(method, path)) {
        reads.now--
        reads.all++
      }
      if (method !== 'GET' || !/^\/v1\/assets(\?|$)/.test(path) || status !== 200) return undefined
      const items = (body.data as Fields[]).map(({ status: _, ...item }) => item)
      return { status, body: { ...body, data: items } }
    },
  })
  const change: ConfigChange = { service: { base_url: address } }
  return { change, reads }
}

localJourneys('lists of assets without a status', (profile) => {
  test('B-30 the follower reads each asset singly, a few at once', async () => {
    const config = { follow: { list_from: 1 } }
    const journey = await begin({ profile, tree: many(12), config }, 'not started')
    const { change, reads } = await behindPlainLists(journey)
    await journey.start(change)
    await journey.allReady()
    expect(reads.all).toBeGreaterThanOrEqual(12)
    expect(reads.most).toBeLessThanOrEqual(4)
    expect(journey.requests('assets.list').length).toBeGreaterThan(0)
    expect(journey.troubles()).toEqual([])
  })

  test('B-30 the audit reads each asset singly, a few at once, and finds what is lost', async () => {
    const journey = await begin({ profile, tree: many(12) }, 'not started')
    const { change, reads } = await behindPlainLists(journey)
    await journey.start(change)
    await journey.allReady()
    await journey.idle()
    Object.assign(reads, { most: 0, all: 0 })
    expect(await audited(journey)).toMatchObject({
      usable: 12,
      missing: 0,
      slots: 0,
      unanswered: 0,
    })
    expect(reads).toMatchObject({ all: 12, most: 4 })
    setFileStatusThere(journey, 'docs/1.txt', 'failed')
    expect(await journey.service.removeAsset(journey.file('docs/2.txt')!.asset_id!)).toBe(true)
    const slot = await journey.call('POST', '/v1/assets', {
      filename: 'x',
      mime_type: 'text/plain',
    })
    expect(slot.status).toBe(201)
    expect(await audited(journey)).toMatchObject({
      usable: 10,
      missing: 1,
      failed: 1,
      slots: 0,
      unanswered: 0,
    })
    expect(journey.stages()).toMatchObject({
      'docs/1.txt': 'refused',
      'docs/2.txt': 'removed_on_service',
    })
    journey.ends({ left_out: ['docs/1.txt', 'docs/2.txt'] })
  })

  test('B-30 verify reads each asset singly, a few at once: what is lost, unknown or there again', async () => {
    const journey = await begin({ profile, tree: many(12) })
    await journey.allReady()
    setFileStatusThere(journey, 'docs/3.txt', 'failed')
    await audited(journey)
    await journey.idle()
    await journey.stop()
    const [first, second, again] = [1, 2, 3].map(
      (number) => journey.file(`docs/${number}.txt`)!.asset_id!,
    )
    setFileStatusThere(journey, 'docs/1.txt', 'failed')
    setFileStatusThere(journey, 'docs/3.txt', 'ready')
    expect(await journey.service.removeAsset(second!)).toBe(true)
    const unknown = await uploadedByAnother(journey, 'of another user')
    const { change, reads } = await behindPlainLists(journey)
    const { summary, differences } = await verified(journey, { full: false, change })
    expect(namesOf(differences)).toEqual(
      [
        `failed_on_service ${first}`,
        `missing_on_service ${second}`,
        `returned_on_service ${again}`,
        `unknown_on_service ${unknown}`,
      ].sort(),
    )
    expect(summary.projects).toMatchObject([
      { expected: 11, usable: 9, unanswered: 0, unknown: 1, fault: null },
    ])
    expect(reads.most).toBeLessThanOrEqual(4)
    journey.ends({
      left_out: ['docs/1.txt', 'docs/2.txt', 'docs/3.txt'],
      also_there: [md5Of('text 3'), md5Of('of another user')],
    })
  })
})
