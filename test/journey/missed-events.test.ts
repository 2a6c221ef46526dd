import { cpSync, renameSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { minute_ms } from '../../src/base/time.ts'
import { MovingClock } from '../moving-clock.ts'
import { begin, type Journey, localJourneys } from './harness.ts'

/** Another directory stands there from one moment to the next: the watcher goes on hearing the first. */
function replace(journey: Journey, from: string): void {
  symlinkSync(journey.at(from), journey.at('link'))
  renameSync(journey.at('link'), journey.at('docs'))
}

async function scanned(journey: Journey): Promise<number | undefined> {
  const before = journey.folder()?.scan_ended_ms
  journey.daemon.rescan('docs')
  await journey.until('it is scanned', () => journey.folder()?.scan_ended_ms !== before)
  await journey.idle()
  const summary = journey.folder()?.scan_summary
  return summary == null ? undefined : (JSON.parse(summary) as { missed?: number }).missed
}

localJourneys('events that the watcher missed', (profile) => {
  test('are counted by the scan that finds them; those that it told, the first scan and a return are not', async () => {
    const clock = new MovingClock()
    const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b' }
    const journey = await begin({ profile, tree, clock, service: { clock } }, 'not started')
    journey.move('docs', 'first')
    replace(journey, 'first')
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect(journey.folder()?.scan_ended_ms).not.toBeNull()
    clock.skip(2 * minute_ms)
    expect(await scanned(journey)).toBe(0)
    journey.write({ 'docs/told.txt': 'told' })
    await journey.stage('docs/told.txt', 'ready')
    clock.skip(2 * minute_ms)
    expect(await scanned(journey)).toBe(0)

    cpSync(journey.at('first'), journey.at('other'), { recursive: true, preserveTimestamps: true })
    journey.write({ 'other/missed.txt': 'nobody told of it' })
    replace(journey, 'other')
    clock.skip(2 * minute_ms)
    expect(await scanned(journey)).toBe(4)
    await journey.stage('docs/missed.txt', 'ready')
    // Found, they are known.
    clock.skip(2 * minute_ms)
    expect(await scanned(journey)).toBe(0)
  })
})
