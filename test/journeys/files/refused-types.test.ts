import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

/** Files of one type that are too large for the service, each with its own bytes. */
function logs(from: number, to: number): Record<string, string> {
  const names = Array.from({ length: to - from }, (_, index) => `${from + index}`)
  return Object.fromEntries(names.map((name) => [`docs/${name}.log`, `${name} ${'x'.repeat(2_000)}`]))
}

const small = { ingest: { max_bytes: 1_000 } }
const large = { ingest: { max_bytes: 10_000 } }

function count(journey: Journey, stage: string): number {
  return journey.files().filter((file) => file.stage === stage).length
}

localJourneys('a type of files that the service cannot read', (profile) => {
  test('after 20 failures the rest is held; one is tried a day, and all follow the first that is ready', async () => {
    const clock = new MovingClock()
    const journey = await begin({ profile, tree: logs(0, 20), clock, service: { clock, ...small } })
    await journey.until('20 are refused', () => count(journey, 'refused') === 20)
    expect(journey.cost()).toEqual({ creates: 20, puts: 20 })
    const why = profile === 'hosted' ? 'it does not say why' : 'it is larger than 1000 bytes'
    expect(journey.file('docs/0.log')?.error_message).toContain(why)

    journey.write({ ...logs(20, 60), 'docs/short.txt': 'short' })
    await journey.stage('docs/short.txt', 'ready')
    await journey.until('the rest is held', () => count(journey, 'type_refused') === 40)
    expect(journey.cost()).toEqual({ creates: 21, puts: 21 })
    await journey.idle()

    clock.skip(day_ms)
    await journey.until('one is tried', () => count(journey, 'refused') === 21)
    await journey.abort()
    await journey.start()
    await journey.idle()
    expect([count(journey, 'type_refused'), journey.cost().puts]).toEqual([39, 22])

    await journey.restartService({ clock, ...large })
    clock.skip(day_ms)
    await journey.until('what was held is ready', () => count(journey, 'ready') === 40)
    await journey.record({ type: 'retried', folder: 'docs', path: '' })
    await journey.allReady()
    // The log of the restarted service begins anew: 39 that were held, 21 that failed before.
    expect(journey.cost().puts).toBe(39 + 21)
  })

  test('a user sends them all the same; a type with a ready file is never held', async () => {
    const journey = await begin({ profile, tree: logs(0, 20), service: small })
    await journey.until('20 are refused', () => count(journey, 'refused') === 20)
    journey.write(logs(20, 30))
    await journey.until('the rest is held', () => count(journey, 'type_refused') === 10)
    await journey.record({ type: 'accepted', folder: 'docs', path: '*.log' })
    await journey.until('all were sent', () => count(journey, 'refused') === 30)
    journey.write({ 'docs/short.log': 'short' })
    await journey.stage('docs/short.log', 'ready')
    journey.write(logs(30, 60))
    await journey.until('all were sent', () => count(journey, 'refused') === 60)
    expect(journey.cost().puts).toBe(61)
    journey.ends({ left_out: Object.keys(logs(0, 60)) })
  })

  test('20 fail while others are under way: each file is refused after one upload, or held without one', async () => {
    const journey = await begin({ profile, tree: logs(0, 60), service: small })
    const ended = () => count(journey, 'refused') + count(journey, 'type_refused')
    await journey.until('each is refused or held', () => ended() === 60)
    const refused = count(journey, 'refused')
    expect(refused).toBeGreaterThanOrEqual(20)
    expect(journey.cost()).toEqual({ creates: refused, puts: refused })
    const held = journey.files().filter(({ stage }) => stage === 'type_refused')
    expect(held.filter(({ asset_id, error_code }) => asset_id !== null || error_code !== 'type_refused:log')).toEqual(
      [],
    )
    journey.ends({ left_out: Object.keys(logs(0, 60)) })
  })
})
