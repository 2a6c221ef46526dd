import { expect, test } from 'vitest'
import { createSlowDown } from '../../../src/page/access/slow-down.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

/** Checks that end when the test says so. */
function begin() {
  const clock = new FakeClock()
  const slowDown = createSlowDown(clock)
  const running: ((is_right: boolean) => void)[] = []
  const ended: string[] = []
  let checks = 0
  const attempt = (...keys: string[]) => {
    const check = () => {
      checks++
      return new Promise<boolean>((resolve) => running.push(resolve))
    }
    const done = slowDown(keys, check)
    void done.then(
      (is_right) => ended.push(is_right ? 'right' : 'wrong'),
      (error: { code: string }) => ended.push(error.code),
    )
    return done
  }
  const settle = async (is_right: boolean) => {
    while (running.length > 0) {
      running.shift()!(is_right)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { clock, attempt, settle, ended, running, checks: () => checks }
}

test('two checks run at once, twenty wait in a line, and more are asked to come again', async () => {
  const { attempt, settle, ended, running } = begin()
  const tries = Array.from({ length: 25 }, () => attempt('name ada'))
  await Promise.allSettled(tries.slice(22))
  expect(running).toHaveLength(2)
  expect(ended).toEqual(Array(3).fill('page.slow_down'))
  await settle(true)
  expect(ended.slice(3)).toEqual(Array(22).fill('right'))
  const last = attempt('name ada')
  await settle(true)
  expect(await last, 'all turns were given back').toBe(true)
})

test('wrong tries in a line slow down those behind them, unchecked, and nobody else', async () => {
  const { clock, attempt, settle, ended, checks } = begin()
  for (let tries = 0; tries < 10; tries++)
    void attempt('name ada', 'from 203.0.113.7').catch(() => {})
  await settle(false)
  expect(checks(), 'three, and one that ran beside the third').toBeLessThanOrEqual(4)
  expect(ended.filter((end) => end === 'page.slow_down')).toHaveLength(10 - checks())
  const other = attempt('name eve')
  await settle(true)
  expect(await other).toBe(true)
  await expect(attempt('name ada')).rejects.toMatchObject({ code: 'page.slow_down' })
  await clock.advance(60_000)
  const later = attempt('name ada')
  await settle(true)
  expect(await later).toBe(true)
})
