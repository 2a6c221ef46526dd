import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, localJourneys } from '../rig/harness.ts'
import type { JourneyOptions } from '../rig/journey-options.ts'

function files(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.txt`, `text ${index}`]),
  )
}

/** Rests and Retry-After take their full time by the clock of both sides, which runs fast. */
function hurried(
  service: JourneyOptions['service'] = {},
): Pick<JourneyOptions, 'clock' | 'service'> {
  const clock = new MovingClock({ times: 10 })
  return { clock, service: { ...service, clock } }
}

localJourneys('faults of the service', (profile) => {
  test('offline for a while: all files wait, and become ready', async () => {
    const journey = await begin({ profile, tree: { 'docs/first.txt': 'first' }, ...hurried() })
    await journey.allReady()
    journey.service.injectFaults({ down: true })
    journey.write(files(30))
    await journey.until('it is reported', () =>
      journey.troubles().some(({ about }) => about === 'api'),
    )
    expect(Object.values(journey.stages())).not.toContain('refused')
    journey.service.injectFaults({ down: false })
    await journey.allReady()
    expect(journey.troubles()).toEqual([])
    expect(journey.requests('put')).toHaveLength(31)
  })

  test('an offline service costs one probe at a time', async () => {
    const journey = await begin({ profile, tree: { 'docs/first.txt': 'first' }, ...hurried() })
    await journey.allReady()
    const before = journey.service.requestLog.length
    journey.service.injectFaults({ failures: [{ status: 503 }] })
    journey.write(files(60))
    await journey.until('it is reported', () =>
      journey.troubles().some(({ about }) => about === 'api'),
    )
    const asked = () => journey.service.requestLog.slice(before)
    const rests = () =>
      asked().filter(({ at }, index) => index > 0 && at - asked()[index - 1]!.at >= 90)
    await journey.until('it was probed twice, with a rest before each', () => rests().length >= 2)
    // When the circuit opened, two calls were out for each of the four connections; then one at a
    // time. Sixty files wait.
    expect(asked().length).toBeLessThanOrEqual(20)
    journey.service.injectFaults({ failures: [] })
    await journey.allReady()
    expect(journey.requests('put')).toHaveLength(61)
  })

  test('a probe whose file is deleted says nothing about the service: the next probe follows at once', async () => {
    let gone: string | undefined
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async claimToSend(limit, options) {
        const claim = await ledger.claimToSend(limit, options)
        const path = claim.work[0]?.sources[0]?.path
        if (limit === 1 && gone === undefined && path !== undefined) {
          gone = path
          journey.service.injectFaults({ failures: [] })
          journey.remove(`docs/${path}`)
        }
        return claim
      },
    })
    const journey = await begin({
      profile,
      wrap_ledger,
      service: { injected_faults: { failures: [{ status: 503 }] } },
    })
    journey.write(files(10))
    await journey.allReady()
    expect(gone).toBeDefined()
  })

  test('429 with Retry-After: no call goes out before that time', async () => {
    const failure = { route: 'assets.create', status: 429, retry_after_s: 1, times: 1 } as const
    const journey = await begin({
      profile,
      tree: files(1),
      ...hurried({ injected_faults: { failures: [failure] } }),
    })
    await journey.allReady()
    const [first, second] = journey.requests('assets.create')
    expect(journey.requests('assets.create')).toHaveLength(2)
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990)
    expect(journey.file('docs/0.txt')).toMatchObject({ attempts: 0, error_code: null })
  })

  test('a rate limit slows all calls, and nothing is lost', async () => {
    const journey = await begin({
      profile,
      tree: files(12),
      ...hurried({ injected_faults: { requests_per_minute: 900 } }),
    })
    await journey.allReady()
    expect(journey.requests('put')).toHaveLength(12)
  })

  test('a blob store that asks for a pause gets it', async () => {
    const failure = { route: 'put', status: 503, retry_after_s: 1, times: 1 } as const
    const journey = await begin({
      profile,
      tree: files(1),
      ...hurried({ injected_faults: { failures: [failure] } }),
    })
    await journey.allReady()
    const [first, second] = journey.requests('put')
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990)
    // The second PUT filled the same slot.
    expect([first!.asset_id, journey.slots()]).toEqual([second!.asset_id, []])
  })

  test('an offline blob store delays neither labels nor removals, which do not need it', async () => {
    const removing = { on_delete: 'remove', delete_grace_ms: '1s' }
    const journey = await begin({ profile, tree: files(2), folders: { docs: removing } })
    await journey.allReady()
    journey.service.injectFaults({ failures: [{ route: 'put', status: 503, retry_after_s: 600 }] })
    journey.write({ 'docs/later.txt': 'has no place to go to' })
    await journey.until('it rests', () => journey.troubles().some(({ about }) => about === 'blob'))
    await journey.reload({ folders: { docs: { ...removing, labels: ['team'] } } })
    journey.remove('docs/0.txt')
    const kept = journey.file('docs/1.txt')?.asset_id
    await journey.until('the other one has its label', () =>
      journey.assets().some(({ asset_id, labels }) => asset_id === kept && labels.includes('team')),
    )
    let checked = 0
    await journey.until('what was deleted is gone there', () => {
      if (performance.now() - checked > 200) {
        checked = performance.now()
        journey.daemon.rescan()
      }
      return journey.requests('assets.delete').some(({ status }) => status === 204)
    })
    expect(journey.troubles().map(({ about }) => about)).toEqual(['blob'])
    journey.service.injectFaults({ failures: [] })
    await journey.restart()
    await journey.allReady()
  })

  test('500 on every second call of each kind', async () => {
    const failures = (
      ['assets.create', 'put', 'assets.complete', 'assets.read', 'assets.list'] as const
    ).map((route) => ({ route, status: 500, every: 2 }))
    const journey = await begin({
      profile,
      tree: files(12),
      ...hurried({ injected_faults: { failures } }),
    })
    await journey.allReady()
    const puts = journey.requests('put')
    expect(puts.filter(({ status }) => status === 201)).toHaveLength(12)
    // A slot is left without bytes only if the store failed three times in a row.
    for (const slot of journey.slots())
      expect(puts.filter(({ asset_id }) => asset_id === slot.asset_id)).toMatchObject(
        Array(3).fill({ status: 500 }),
      )
  })

  test('answers that get lost after the work was done', async () => {
    const failures = (['put', 'assets.complete', 'assets.read'] as const).map((route) => ({
      route,
      status: 502,
      every: 3,
      when: 'after' as const,
      body: 'html' as const,
    }))
    const journey = await begin({
      profile,
      tree: files(9),
      ...hurried({ injected_faults: { failures } }),
    })
    await journey.allReady()
    expect(journey.assets().filter(({ status }) => status === 'ready')).toHaveLength(9)
    expect(journey.slots()).toEqual([])
    // If three answers in a row got lost, the bytes went into another slot.
    journey.ends({ half_sent: true })
  })

  test('a lost answer to a create call leaves at most one bare slot', async () => {
    const failure = { route: 'assets.create', status: 500, times: 1, when: 'after' } as const
    const journey = await begin({
      profile,
      tree: files(1),
      ...hurried({ injected_faults: { failures: [failure] } }),
    })
    await journey.allReady()
    expect(journey.assets()).toHaveLength(1)
    expect(journey.slots()).toHaveLength(1)
  })

  test('connections that are cut in the middle of every third request', async () => {
    const failures = [{ status: 500, every: 3, drop_connection: true }]
    const journey = await begin({
      profile,
      tree: files(6),
      ...hurried({ injected_faults: { failures } }),
    })
    await journey.allReady()
    expect(journey.assets()).toHaveLength(6)
  })

  test('complete fails once: the same slot is filled again', async () => {
    const code =
      profile === 'hosted' ? { code: '' } : { code: 'publicapi.asset.complete.bytes_missing' }
    const failure = { route: 'assets.complete', status: 400, times: 1, ...code } as const
    const journey = await begin({
      profile,
      tree: files(1),
      ...hurried({ injected_faults: { failures: [failure] } }),
    })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 2 })
    expect(journey.slots()).toEqual([])
  })

  test('the blob store refuses a signature once: a new slot, and the file is not at fault', async () => {
    const failure = { route: 'put', status: 403, times: 1 } as const
    const journey = await begin({
      profile,
      tree: files(1),
      ...hurried({ injected_faults: { failures: [failure] } }),
    })
    await journey.allReady()
    expect(journey.assets()).toHaveLength(1)
    expect(journey.requests('put')).toHaveLength(2)
  })

  test('a ticket expires during its PUT', async () => {
    let ahead_ms = 0
    const clock = { ...system_clock, now_ms: () => system_clock.now_ms() + ahead_ms }
    const journey = await begin({ profile, tree: files(1), service: { clock } }, 'not started')
    const put = journey.hold('begin', 'put')
    await journey.start()
    await put.reached()
    ahead_ms = 2 * 3_600_000
    put.release()
    await journey.allReady()
    const [first, second] = journey.requests('put')
    expect([first!.status, second!.status]).toEqual([403, 201])
    expect(first!.asset_id).not.toBe(second!.asset_id)
    expect(journey.assets()).toHaveLength(1)
  })

  test('a ticket expires while the daemon is down', async () => {
    const journey = await begin(
      { profile, tree: files(1), service: { ticket_lifetime_ms: 5_000 } },
      'not started',
    )
    const put = journey.hold('begin', 'put')
    await journey.start()
    await put.reached()
    await journey.abort()
    await put.deserted()
    put.release()
    expect(journey.assets()).toEqual([])
    // A ticket in its last five seconds is not used any more.
    await journey.start()
    await journey.allReady()
    expect(journey.assets()).toHaveLength(1)
    expect(journey.requests('put').at(-1)!.asset_id).not.toBe((await put.reached()).asset_id)
  })

  test('a daemon that is aborted in the middle of a PUT fills the same slot after its restart', async () => {
    const journey = await begin({ profile, tree: files(1) }, 'not started')
    const put = journey.hold('begin', 'put')
    await journey.start()
    const { asset_id } = await put.reached()
    await journey.abort()
    await put.deserted()
    put.release()
    await journey.start()
    await journey.allReady()
    expect(journey.requests('assets.create')).toHaveLength(1)
    expect(journey.assets().map((asset) => asset.asset_id)).toEqual([asset_id])
  })
})
