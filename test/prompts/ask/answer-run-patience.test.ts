import { expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { Patience } from '../../../src/prompts/prompt-settings.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

test('time that passed before a restart counts', async () => {
  const clock = new FakeClock()
  const patience = new Patience(clock, clock.now_ms() - 20 * minute_ms, 30 * minute_ms)
  expect(patience.left_ms()).toBe(10 * minute_ms)
  await clock.advance(10 * minute_ms)
  expect(patience.isOver()).toBe(true)
})

test('a changed clock during the wait has no effect', async () => {
  const clock = new FakeClock()
  const patience = new Patience(clock, clock.now_ms(), 30 * minute_ms)
  for (const jump_ms of [5 * hour_ms, -10 * hour_ms]) {
    clock.jumpWall(jump_ms)
    expect(patience.left_ms()).toBe(30 * minute_ms)
  }
})

test('a clock that was changed between two starts neither ends the wait at once nor makes it endless', () => {
  const clock = new FakeClock()
  const left_ms = (began_ms: number, max_ms: number) =>
    new Patience(clock, began_ms, max_ms).left_ms()
  expect(left_ms(clock.now_ms() - 5 * hour_ms, 30 * minute_ms)).toBe(minute_ms)
  expect(left_ms(clock.now_ms() - 5 * hour_ms, 10)).toBe(10)
  expect(left_ms(clock.now_ms() + 5 * hour_ms, 30 * minute_ms)).toBe(30 * minute_ms)
  expect(left_ms(clock.now_ms(), 0)).toBe(0)
})
