import { afterEach, expect, test } from 'vitest'
import { createHeartbeats } from '../../src/base/run/heartbeat.ts'
import { createLog } from '../../src/base/text/log.ts'
import { minute_ms, second_ms } from '../../src/base/time/time.ts'
import { keepWatch } from '../../src/daemon/health/watchdog.ts'
import { stuckAfter_ms } from '../../src/daemon/limits.ts'
import { configOf } from '../rig/config-of.ts'
import { FakeClock } from '../rig/fake-clock.ts'

const signal = new AbortController()
afterEach(() => signal.abort())

test('notifies systemd while all work moves, stops while something is stuck, and continues afterwards', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  const lines: { level: string; msg: string }[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: (text) => lines.push(JSON.parse(text)) },
  })
  let fed_ms: number[] = []
  const notify = {
    watchdog_ms: 30 * second_ms,
    watchdog: async () => void fed_ms.push(Math.floor(clock.monotonic_ms())),
  }
  void keepWatch({ heartbeats, notify, silence_ms: () => 5 * minute_ms, clock, log }, signal.signal)
  const steps = async (minutes: number) => {
    for (let step = 0; step < minutes * 6; step++) await clock.advance(10 * second_ms)
  }

  await steps(2)
  // A third of the watchdog timeout of systemd.
  expect(fed_ms.slice(0, 4)).toEqual([0, 10_000, 20_000, 30_000])
  const began_ms = clock.now_ms()
  const heartbeat = heartbeats.begin('the ledger: claimToSend')
  await steps(5)
  expect(lines).toEqual([])
  fed_ms = []
  await steps(10)
  expect(fed_ms).toEqual([])
  expect(lines).toMatchObject([
    { level: 'error', stuck: 'the ledger: claimToSend', since: new Date(began_ms).toISOString() },
  ])
  expect(lines[0]!.msg).toMatch(
    /^no heartbeat of the ledger: claimToSend for 5 m.*systemd restarts the daemon$/,
  )
  heartbeat.end()
  await steps(1)
  expect(fed_ms.length).toBeGreaterThan(4)
  expect(lines).toHaveLength(2)
})

test('with any configuration, one permitted silence never counts as a hang', () => {
  const config = (uploads: object) =>
    configOf({
      service: {
        base_url: 'http://127.0.0.1:1',
        project_id: 'project_0123456789abcdefghij',
        token_file: '/t',
      },
      folders: [{ name: 'a', path: '/tmp/a' }],
      uploads,
      watchdog: { silence_ms: '1s' },
    })
  expect(stuckAfter_ms(config({ stall_timeout_ms: '1h' }))).toBe(120 * minute_ms)
  // Thirty seconds for the answer, 64 for a MiB over the slowest line.
  expect(stuckAfter_ms(config({}))).toBe(2 * (30 + 64) * second_ms)
})
