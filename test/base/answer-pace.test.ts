import { expect, test } from 'vitest'
import { slowestTransfer_ms, watchDeadline } from '../../src/base/net/http-client-answer.ts'
import { FakeClock } from '../rig/fake-clock.ts'

function started(first_ms: number) {
  const clock = new FakeClock()
  let calls = 0
  let came_bytes = 0
  const began_ms = clock.monotonic_ms()
  const deadline_ms = () => began_ms + first_ms + slowestTransfer_ms(came_bytes)
  const end = watchDeadline(clock, deadline_ms, () => {
    calls++
  })
  const came = (bytes: number) => {
    came_bytes += bytes
  }
  return { clock, came, end, calls: () => calls }
}

test('single bytes earn no time: the answer is ended once, when its time is over', async () => {
  const { clock, came, end, calls } = started(1_000)
  for (let second = 0; second < 9; second++) {
    await clock.advance(100)
    came(1)
  }
  expect(calls()).toBe(0)
  await clock.advance(200)
  expect(calls()).toBe(1)
  await clock.advance(60_000)
  end()
  expect([calls(), clock.pending()]).toEqual([1, 0])
})

test('a slow connection gets the time that its bytes take', async () => {
  const { clock, came, calls } = started(1_000)
  came(5 * 16_384)
  await clock.advance(5_900)
  expect(calls()).toBe(0)
  await clock.advance(200)
  expect(calls()).toBe(1)
})

test('an answer that has ended is never too slow', async () => {
  const { clock, end, calls } = started(1_000)
  end()
  await clock.advance(60_000)
  expect([calls(), clock.pending()]).toEqual([0, 0])
})
