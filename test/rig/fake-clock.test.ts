import { expect, test } from 'vitest'
import { FakeClock } from './fake-clock.ts'

test('sleeps end in the order of their due times, each at its own moment', async () => {
  const clock = new FakeClock(0)
  const story: string[] = []
  const note = (name: string) => () => story.push(`${name} at ${clock.now_ms()}`)
  void clock.sleep(300).then(note('c'))
  void clock
    .sleep(100)
    .then(note('a'))
    .then(() => clock.sleep(100))
    .then(note('b, begun by a'))
  void clock.sleep(301).then(note('never'))
  expect(clock.pending()).toBe(3)
  await clock.advance(300)
  expect(story).toEqual(['a at 100', 'b, begun by a at 200', 'c at 300'])
  expect(clock.pending_ms()).toEqual([1])
})

test('an aborted sleep ends at once, without an error, and is no longer pending', async () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const slept = clock.sleep(1_000, stop.signal)
  stop.abort()
  await slept
  await clock.sleep(1_000, stop.signal)
  expect(clock.pending()).toBe(0)
  expect(clock.monotonic_ms()).toBe(0)
})

test('a sleep of 0 ends without a move of the clock', async () => {
  const clock = new FakeClock()
  await clock.sleep(0)
  expect(clock.pending()).toBe(0)
})

test('the wall clock can jump, durations do not', async () => {
  const clock = new FakeClock(5_000)
  clock.jumpWall(-3_000)
  await clock.advance(10)
  expect([clock.now_ms(), Math.floor(clock.monotonic_ms())]).toEqual([2_010, 10])
})

test('runUntil moves time from sleep to sleep until the fact holds', async () => {
  const clock = new FakeClock()
  let rounds = 0
  const loop = async () => {
    while (rounds < 3) {
      await clock.sleep(60_000)
      rounds++
    }
  }
  void loop()
  await clock.runUntil(() => rounds === 3)
  expect(Math.floor(clock.monotonic_ms())).toBe(180_000)
})

test('the monotonic clock has another fraction at each time, and never falls', async () => {
  const clock = new FakeClock()
  const read_ms = [clock.monotonic_ms()]
  for (const step_ms of [1, 999, 86_400_000]) {
    await clock.advance(step_ms)
    read_ms.push(clock.monotonic_ms())
    expect(Number.isInteger(clock.now_ms())).toBe(true)
    expect(Number.isInteger(read_ms.at(-1)! - read_ms.at(-2)!)).toBe(false)
    expect(read_ms.at(-1)! - read_ms.at(-2)!).toBeGreaterThanOrEqual(step_ms)
  }
})
