import { expect, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

/**
 * Time that the service takes to read a file. Only the test moves its clock, so it never ends too
 * early.
 */
const reading_ms = 10 * minute_ms

function reading(): { clock: MovingClock; ingest: { delay_ms: number } } {
  return { clock: new MovingClock(), ingest: { delay_ms: reading_ms } }
}

/** True if every file is ingesting, and `name` as another asset than before. */
function isReadAnew(journey: Journey, name: string, before: string | null): boolean {
  const files = journey.files()
  return files.every(
    (file) => file.stage === 'ingesting' && (file.name !== name || file.asset_id !== before),
  )
}

localJourneys('missing assets', (profile) => {
  test('an asset that is removed while the service reads it is sent once more', async () => {
    const service = reading()
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b' },
      service,
    })
    await journey.stage('docs/a.txt', 'ingesting')
    const { asset_id } = journey.file('docs/a.txt')!
    expect(await journey.service.removeAsset(asset_id!)).toBe(true)
    await journey.until('it is sent once more', () => isReadAnew(journey, 'docs/a.txt', asset_id))
    service.clock.skip(reading_ms)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
  })

  test('an asset that is removed while pages of the list are read is requested singly', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `docs/${index}.txt`)
    const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
    const service = reading()
    const journey = await begin({ profile, tree, service, config: { follow: { list_from: 1 } } })
    await journey.stage('docs/0.txt', 'ingesting')
    const { asset_id } = journey.file('docs/0.txt')!
    await journey.service.removeAsset(asset_id!)
    await journey.until('it is sent once more', () => isReadAnew(journey, 'docs/0.txt', asset_id))
    service.clock.skip(reading_ms)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 6, puts: 6 })
    expect(journey.requests('assets.read')).toMatchObject([{ status: 404 }])
  })

  test('an asset that is removed twice was removed on purpose: the status says so', async () => {
    const service = reading()
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'a' },
      service,
      clock: service.clock,
    })
    for (const round of [1, 2]) {
      await journey.until(`it is read for time ${round}`, () => {
        const file = journey.file('docs/a.txt')
        return file?.stage === 'ingesting' && journey.requests('assets.create').length === round
      })
      await journey.service.removeAsset(journey.file('docs/a.txt')!.asset_id!)
    }
    await journey.until('it is not there', () => journey.file('docs/a.txt')?.error_code !== null)
    expect(journey.file('docs/a.txt')?.stage).toBe('ingesting')
    service.clock.skip(10 * minute_ms)
    await journey.stage('docs/a.txt', 'removed_on_service')
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
    journey.ends({ left_out: ['docs/a.txt'] })
  })

  test('a slot that is removed before its bytes are complete: one new slot', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' } }, 'not started')
    const complete = journey.hold('begin', 'assets.complete')
    await journey.start()
    await complete.reached()
    await journey.service.removeAsset(journey.file('docs/a.txt')!.asset_id!)
    complete.release()
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('a dead reservation: another user requested a slot for these bytes and never sent them', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'never sent' } }, 'not started')
    const body = { filename: 'other.txt', mime_type: 'text/plain', md5: md5Of('never sent') }
    const dead = await journey.call('POST', '/v1/assets', body)
    expect(dead.status).toBe(201)
    await journey.start()
    await journey.allReady()
    expect(journey.file('docs/a.txt')?.asset_id).not.toBe(dead.body.asset_id)
    expect(journey.file('docs/a.txt')?.made_here).toBe(1)
    // The slot of the other user stays.
    expect(journey.slots().map(({ asset_id }) => asset_id)).toEqual([dead.body.asset_id])
    expect(journey.requests('assets.create')).toHaveLength(profile === 'hosted' ? 3 : 2)
  })

  test('a living reservation: its bytes arrive while we wait', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'slowly sent' } }, 'not started')
    const body = { filename: 'other.txt', mime_type: 'text/plain', md5: md5Of('slowly sent') }
    const { body: slot } = await journey.call('POST', '/v1/assets', body)
    await journey.start({ follow: { dead_hit_after_ms: 60_000 } })
    if (profile === 'hosted') await journey.stage('docs/a.txt', 'ingesting')
    else await journey.allReady()
    const headers = slot.upload_headers as Record<string, string>
    await fetch(slot.upload_url as string, { method: 'PUT', headers, body: 'slowly sent' })
    await journey.call('POST', `/v1/assets/${slot.asset_id}/complete`)
    await journey.allReady()
    if (profile === 'hosted') {
      expect(journey.file('docs/a.txt')).toMatchObject({ asset_id: slot.asset_id, made_here: 0 })
      expect(journey.assets()).toHaveLength(1)
    } else {
      // Two slots for one content may both be complete (B-06): the other was sent by another
      // client, this one by us.
      await journey.service.removeAsset(slot.asset_id as string)
    }
  })
})
