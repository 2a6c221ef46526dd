import { expect, test } from 'vitest'
import { MovingClock } from './moving-clock.ts'

const hour_ms = 3_600_000

test('both clocks run at the given speed, and a sleep ends at its due time', async () => {
  const clock = new MovingClock({ times: 1_000 })
  const [wall_ms, monotonic_ms, began_ms] = [
    clock.now_ms(),
    clock.monotonic_ms(),
    performance.now(),
  ]
  await clock.sleep(20_000)
  const real_ms = performance.now() - began_ms
  expect(clock.monotonic_ms() - monotonic_ms).toBeGreaterThanOrEqual(20_000)
  expect(clock.now_ms() - wall_ms).toBeGreaterThanOrEqual(20_000)
  expect(real_ms).toBeGreaterThanOrEqual(19)
  expect(real_ms).toBeLessThan(10_000)
})

test('a skip ends the sleeps that are due, and no others', async () => {
  const clock = new MovingClock()
  const stop = new AbortController()
  const woken: string[] = []
  const sooner = clock.sleep(hour_ms).then(() => woken.push('sooner'))
  const later = clock.sleep(3 * hour_ms, stop.signal).then(() => woken.push('later'))
  clock.skip(2 * hour_ms)
  await sooner
  expect(woken).toEqual(['sooner'])
  stop.abort()
  await later
  await clock.sleep(hour_ms, stop.signal)
})
