import { expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { until } from '../../rig/waiting.ts'
import { Watched } from './rig.ts'

/** Collects the problems of every moment until the fact holds. */
async function brokenUntil(
  watched: Watched,
  what: string,
  fact: () => boolean | Promise<boolean>,
): Promise<string[]> {
  const broken = new Set<string>()
  await until(what, async () => {
    for (const kind of await watched.broken()) broken.add(kind)
    return fact()
  })
  return [...broken]
}

const slow_reading = { ingest: { delay_ms: 3 * hour_ms } }

test('a daemon that starts after days reports no old problem, but a real stall in its time', {
  timeout: 60_000,
}, async () => {
  let is_stalled = false
  const watched = await Watched.begin({
    folder: { rescan_interval_ms: '1h' },
    service: slow_reading,
    wrap_ledger: (ledger) => ({
      ...ledger,
      async differences(range) {
        if (is_stalled) throw new Error('this page cannot be read')
        return ledger.differences(range)
      },
    }),
  })
  const isReading = () =>
    watched.service.assets(watched.project_id).some(({ status }) => status === 'ingesting')
  await until('it is being read', isReading)
  await until('everything is scanned', () =>
    watched.daemon.ledger.folders().then(([docs]) => docs?.scan_began_ms !== undefined),
  )
  await watched.green()
  await watched.stop()
  watched.clock.skip(5 * day_ms)
  is_stalled = true
  await watched.start()
  let checks = 0
  // No problem of scan, queue or audit: the first audit round begins a minute after the start.
  expect(await brokenUntil(watched, 'some looks', () => ++checks > 20)).toEqual([])
  watched.clock.skip(30 * minute_ms)
  expect(await watched.broken()).toEqual([])
  watched.clock.skip(2 * hour_ms)
  expect(await watched.red('scan')).toMatchObject({ about: 'docs' })
})

test('a pause makes no upload late, and does not end at a health check', {
  timeout: 60_000,
}, async () => {
  const watched = await Watched.begin({ health: { queue_age_ms: '1h' } })
  await watched.synced()
  await watched.daemon.pause({ by: 'anna' })
  watched.write({ 'b.txt': 'b' })
  const { ledger } = watched.daemon
  await until(
    'it waits',
    async () => (await ledger.filesAt('docs', ['b.txt']))[0]?.state === 'present',
  )
  watched.service.injectFaults({ down: true })
  watched.clock.skip(10 * hour_ms)
  expect(await watched.broken()).not.toContain('queue')
  await watched.daemon.resume()
  watched.clock.skip(30 * minute_ms)
  expect(await watched.broken()).not.toContain('queue')
  watched.clock.skip(hour_ms)
  expect(await watched.red('queue')).toMatchObject({ about: 'uploads' })
  watched.service.injectFaults({ down: false })
})
