import { expect, test } from 'vitest'
import { limitPace, slowest_bytes_per_s } from '../../src/base/net/transfer-pace.ts'
import { FakeClock } from '../fake-clock.ts'

function started(first_ms: number) {
  const clock = new FakeClock()
  let calls = 0
  const pace = limitPace(clock, first_ms, () => {
    calls++
  })
  return { clock, pace, calls: () => calls }
}

test('drops earn no time: after the first it is over, and said once', async () => {
  const { clock, pace, calls } = started(1_000)
  for (let second = 0; second < 9; second++) {
    await clock.advance(100)
    pace.came(1)
  }
  expect(calls()).toBe(0)
  await clock.advance(200)
  expect(calls()).toBe(1)
  await clock.advance(60_000)
  pace.end()
  expect([calls(), clock.pending()]).toEqual([1, 0])
})

test('a slow line is given the time that its bytes take', async () => {
  const { clock, pace, calls } = started(1_000)
  pace.came(5 * slowest_bytes_per_s)
  await clock.advance(5_900)
  expect(calls()).toBe(0)
  await clock.advance(200)
  expect(calls()).toBe(1)
})

test('what has ended is not too slow', async () => {
  const { clock, pace, calls } = started(1_000)
  pace.end()
  await clock.advance(60_000)
  expect([calls(), clock.pending()]).toEqual([0, 0])
})
