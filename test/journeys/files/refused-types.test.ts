import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import { trial_ms } from '../../../src/domain/file-type.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

/** Files of one type that are too large for the service, each with its own bytes. */
function logs(from: number, to: number): Record<string, string> {
  const names = Array.from({ length: to - from }, (_, index) => `${from + index}`)
  return Object.fromEntries(
    names.map((name) => [`docs/${name}.log`, `${name} ${'x'.repeat(2_000)}`]),
  )
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
    const why = profile === 'hosted' ? 'does not say why' : 'it is larger than 1000 bytes'
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

  test('20 of 60 are uploaded and fail; the others are held without an upload', async () => {
    const journey = await begin({ profile, tree: logs(0, 60), service: small })
    const ended = () => count(journey, 'refused') + count(journey, 'type_refused')
    await journey.until('each is refused or held', () => ended() === 60)
    expect(count(journey, 'refused')).toBe(20)
    expect(journey.cost()).toEqual({ creates: 20, puts: 20 })
    const held = journey.files().filter(({ stage }) => stage === 'type_refused')
    expect(
      held.filter(
        ({ asset_id, error_code }) => asset_id !== null || error_code !== 'type_refused:log',
      ),
    ).toEqual([])
    journey.ends({ left_out: Object.keys(logs(0, 60)) })
  })

  test('a service that reads slowly gets 20 of them; other types pass, and the rest is held', async () => {
    const clock = new MovingClock()
    const service = { clock, ingest: { max_bytes: 1_000, delay_ms: 2 * minute_ms } }
    const journey = await begin({
      profile,
      tree: { ...logs(0, 60), 'docs/a.txt': 'a', 'docs/b': 'b' },
      clock,
      service,
    })
    await journey.until('22 are read', () => count(journey, 'ingesting') === 22)
    await journey.until('the rest waits', () => waiting(journey) === 40)
    expect(journey.cost()).toEqual({ creates: 22, puts: 22 })
    expect([journey.file('docs/a.txt')?.stage, journey.file('docs/b')?.stage]).toEqual([
      'ingesting',
      'ingesting',
    ])
    clock.skip(2 * minute_ms)
    const ended = () => [count(journey, 'refused'), count(journey, 'ready')].join()
    await journey.until(
      'the rest is held, and the others are ready',
      () => count(journey, 'type_refused') === 40 && ended() === '20,2',
    )
    expect(journey.cost()).toEqual({ creates: 22, puts: 22 })
    journey.ends({ left_out: Object.keys(logs(0, 60)) })
  })
  test('B-40 a key under the name of text says nothing about text; under its own name it does', async () => {
    const begin_key = '-----BEGIN PRIVATE KEY-----\n'
    const keys = (ending: string) =>
      Array.from({ length: 30 }, (_, at) => [`docs/${at}.${ending}`, `${begin_key}${at} ${ending}`])
    const tree = Object.fromEntries([...keys('txt'), ...keys('pgp')])
    const journey = await begin({ profile, tree })
    const held = (ending: string) =>
      journey.files().filter(({ name, stage }) => stage === 'type_refused' && name.endsWith(ending))
    const ended = () => count(journey, 'refused') + count(journey, 'type_refused') === 60
    await journey.until('each is refused or held', ended)
    expect(held('.pgp')).toHaveLength(10)
    // The hosted service gives no code, so Sluice cannot know better there.
    expect(held('.txt')).toHaveLength(profile === 'hosted' ? 10 : 0)
    journey.ends({ left_out: Object.keys(tree) })
  })
})

/** Number of files that wait for the results of others. */
function waiting(journey: Journey): number {
  return journey.files().filter((file) => file.error_code === 'type_unproven:log').length
}

localJourneys('a type of files that the service reads slowly', (profile) => {
  const slow = (delay_ms: number) => {
    const clock = new MovingClock()
    return { profile, tree: logs(0, 60), clock, service: { clock, ingest: { delay_ms } } }
  }

  test('the first that is ready sends the rest at once, also after a crash', async () => {
    const options = slow(2 * minute_ms)
    const journey = await begin(options)
    await journey.until(
      'the rest waits',
      () => count(journey, 'ingesting') === 20 && waiting(journey) === 40,
    )
    await journey.abort()
    await journey.start()
    journey.write({ 'docs/later.txt': 'later' })
    await journey.stage('docs/later.txt', 'ingesting')
    expect([waiting(journey), journey.cost()]).toEqual([40, { creates: 21, puts: 21 }])
    options.clock.skip(2 * minute_ms)
    await journey.until(
      'all are sent',
      () => count(journey, 'ready') === 21 && count(journey, 'ingesting') === 40,
    )
    options.clock.skip(2 * minute_ms)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 61, puts: 61 })
  })

  test('if the service ends none of them, another 20 go after ten minutes', async () => {
    const options = slow(14 * minute_ms)
    const journey = await begin(options)
    await journey.until(
      '20 are read',
      () => count(journey, 'ingesting') === 20 && waiting(journey) === 40,
    )
    options.clock.skip(trial_ms)
    await journey.until(
      '40 are read',
      () => count(journey, 'ingesting') === 40 && waiting(journey) === 20,
    )
    expect(journey.cost()).toEqual({ creates: 40, puts: 40 })
    options.clock.skip(4 * minute_ms)
    await journey.until(
      'all are sent',
      () => count(journey, 'ready') === 20 && count(journey, 'ingesting') === 40,
    )
    // An upload that is read for more than 15 minutes counts as slow, and is asked about less
    // often.
    options.clock.skip(10 * minute_ms)
    await journey.until('40 are ready', () => count(journey, 'ready') === 40)
    options.clock.skip(4 * minute_ms)
    await journey.allReady()
  })

  test('a single pass goes on until all are ready', async () => {
    const service = { ingest: { delay_ms: 300 } }
    const journey = await begin({ profile, tree: logs(0, 60), mode: 'once', service })
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(count(journey, 'ready')).toBe(60)
  })

  test('a single pass ends although the service ends none; the next one goes on', async () => {
    const options = slow(8 * minute_ms)
    const config = { follow: { pass_wait_ms: 1_000 } }
    const journey = await begin({ ...options, mode: 'once', config })
    expect(await journey.drained()).toMatchObject({ why: 'still_reading' })
    expect([journey.cost().creates, waiting(journey)]).toEqual([20, 40])
    options.clock.skip(8 * minute_ms)
    // Longer than the skip of the clock below, during which nothing changes.
    await journey.restart({ follow: { pass_wait_ms: 20 * minute_ms } })
    await journey.until(
      'all are sent',
      () => count(journey, 'ready') === 20 && count(journey, 'ingesting') === 40,
    )
    options.clock.skip(8 * minute_ms)
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(count(journey, 'ready')).toBe(60)
  })
})
