import { describe, expect, onTestFinished, test } from 'vitest'
import { allEnded, runWorker } from '../../src/base/run/worker.ts'
import { hour_ms, minute_ms } from '../../src/base/time/time.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { MovingClock } from '../rig/moving-clock.ts'
import { until } from '../rig/waiting.ts'

/**
 * A worker whose steps return the given waits one after the other, and then always the last one.
 */
function working(clock: FakeClock | MovingClock, waits: (number | Error)[], pace_ms = 100) {
  const ending = new AbortController()
  const begun_ms: number[] = []
  const errors: unknown[] = []
  const worker = runWorker({
    name: 'one',
    clock,
    pace_ms,
    signal: ending.signal,
    on_error: (error) => errors.push(error),
    async step() {
      const wait = waits[Math.min(begun_ms.length, waits.length - 1)]!
      begun_ms.push(Math.floor(clock.monotonic_ms()))
      if (wait instanceof Error) throw wait
      return { wait_ms: wait }
    },
  })
  onTestFinished(async () => {
    ending.abort()
    await worker.ended
  })
  return { worker, begun_ms, errors }
}

describe('a worker', () => {
  test('rests as long as its step asks, and its pace is part of the rest', async () => {
    const clock = new FakeClock()
    const { begun_ms } = working(clock, [0, 40, 1_000])
    await clock.advance(2_500)
    // Steps keep at least the pace, and the pace is part of the wait.
    expect(begun_ms).toEqual([0, 100, 200, 1_200, 2_200])
  })

  test('makes one step of many wakes', async () => {
    const clock = new FakeClock()
    const { worker, begun_ms } = working(clock, [minute_ms])
    await clock.advance(50)
    for (let wake = 0; wake < 20; wake++) worker.wake()
    await clock.advance(200)
    expect(begun_ms).toEqual([0, 100])
  })

  test('ends its rest when it is woken', async () => {
    const clock = new FakeClock()
    const { worker, begun_ms } = working(clock, [minute_ms])
    await clock.advance(5_000)
    worker.wake()
    await clock.advance(1)
    expect(begun_ms).toHaveLength(2)
  })

  test('does not rest twice when the clock jumps over its rest', async () => {
    const clock = new MovingClock()
    const { begun_ms } = working(clock, [hour_ms])
    await until('the first step', () => begun_ms.length === 1)
    clock.skip(2 * hour_ms)
    await until('the second step', () => begun_ms.length === 2)
  })

  test('reports a step that throws, and tries again later and later', async () => {
    const clock = new FakeClock()
    const fault = new Error('it fails')
    const { begun_ms, errors } = working(clock, [fault, fault, fault, minute_ms], 0)
    await clock.advance(10 * minute_ms)
    expect(errors).toEqual([fault, fault, fault])
    const [first = 0, second = 0, third = 0, fourth = 0] = begun_ms
    expect(second - first).toBeGreaterThan(0)
    expect(second - first).toBeLessThanOrEqual(500)
    expect(fourth - third).toBeLessThanOrEqual(60_000)
    expect(begun_ms.length).toBeGreaterThan(10)
  })
})

test('allEnded throws an error only once all of the work has ended', async () => {
  const order: string[] = []
  let end = () => {}
  const slow = new Promise<void>((resolve) => {
    end = resolve
  }).then(() => void order.push('the slow one has ended'))
  const all = allEnded([Promise.reject(new Error('no space')), slow]).catch((error: Error) =>
    order.push(error.message),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual([])
  end()
  await all
  expect(order).toEqual(['the slow one has ended', 'no space'])
})
