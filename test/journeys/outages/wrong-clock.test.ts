import { expect, test } from 'vitest'
import { type Clock, day_ms, system_clock } from '../../../src/base/time/time.ts'
import { readStatus } from '../../../src/status/read-status.ts'
import { statusLines } from '../../../src/status/text/text.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

/**
 * A machine clock that stands at `wrong_by_ms` from now. A time server may set it right while the
 * daemon runs.
 */
class SetClock implements Clock {
  wrong_by_ms = 0

  now_ms(): number {
    return system_clock.now_ms() + this.wrong_by_ms
  }

  monotonic_ms(): number {
    return system_clock.monotonic_ms()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return system_clock.sleep(ms, signal)
  }
}

async function scanned(journey: Journey): Promise<void> {
  const before = journey.folder()?.scan_ended_ms
  journey.daemon.rescan()
  await journey.until('the folder is scanned', () => journey.folder()?.scan_ended_ms !== before)
  await journey.idle()
}

localJourneys('a clock that is wrong for a while', (profile) => {
  test('the clock is a month behind at the start, then right: deleted files keep their grace', async () => {
    const clock = new SetClock()
    const folders = { docs: { on_delete: 'remove', delete_grace_ms: '7d' } }
    const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'docs/c.txt': 'c' }
    const journey = await begin({ profile, tree, folders, clock })
    await journey.allReady()
    journey.remove('docs/b.txt')
    await journey.stage('docs/b.txt', 'gone')
    await journey.stop()
    clock.wrong_by_ms = -30 * day_ms
    await journey.start()
    await scanned(journey)
    journey.remove('docs/c.txt')
    await journey.stage('docs/c.txt', 'gone')
    clock.wrong_by_ms = 0
    for (let scans = 0; scans < 3; scans++) await scanned(journey)
    await journey.restart()
    await scanned(journey)
    expect(journey.requests('assets.delete')).toEqual([])
    expect(journey.assets()).toHaveLength(3)
    // The grace ends by a clock that never goes back: the daemon was off for that time.
    clock.wrong_by_ms = 8 * day_ms
    await journey.until('both are removed', () => {
      journey.daemon.rescan()
      return journey.assets().length === 1
    })
  })

  test('status names a wrong clock in place of absurd times', async () => {
    const clock = new SetClock()
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' }, clock })
    await journey.allReady()
    const shown = async () => {
      const status = await readStatus(journey.config(), clock)
      return statusLines(status, 200)
        .map(({ text }) => text.trim())
        .join('\n')
    }
    expect(await shown()).toMatch(/scanned [\d.]+ m?s ago/)
    // A machine without a clock of its own begins in 1972 until a time server answers.
    clock.wrong_by_ms = Date.UTC(1972, 0, 2) - system_clock.now_ms()
    expect(await shown()).toContain('scanned an unknown time (a clock was wrong) ago')
    await scanned(journey)
    expect(await shown()).toMatch(/scanned [\d.]+ m?s ago/)
    clock.wrong_by_ms = 0
    const right = await shown()
    expect(right).toContain('scanned an unknown time (a clock was wrong) ago')
    expect(right).not.toMatch(/\d{4} d/)
    await scanned(journey)
    expect(await shown()).toMatch(/scanned [\d.]+ m?s ago/)
  })
})
