import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../src/base/time/time.ts'
import { defer, deferUnsent, type RunTools } from '../../src/prompts/run-tools.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { due_ms, runOf } from './settings.ts'

const error = { code: 'ENOSPC', message: 'the disk is full' }
const failure = {
  about: 'later',
  call: 'chat',
  status: 429,
  message: 'too many',
  retry_after_ms: 20 * minute_ms,
} as const

function after(passed_ms: number, attempts: number) {
  const tools = { clock: new FakeClock(due_ms + passed_ms) } as unknown as RunTools
  const work = runOf({ began_ms: due_ms, attempts })
  return [defer(work, error, tools), deferUnsent(work, failure, tools)]
}

test('retries with growing rests for a day', () => {
  const waits = [0, 4, 20].map((attempts) => {
    return after(minute_ms, attempts).map((fact) =>
      'not_before_ms' in fact ? fact.not_before_ms - due_ms : undefined,
    )
  })
  const [own, asked_for] = [0, 1].map((at) => waits.map((both) => both[at]!))
  // Each rest is random between a tenth of its maximum and the maximum. 4 tries later the maximum
  // is 16 times as high.
  expect(own![0]!).toBeLessThan(own![1]!)
  expect(Math.max(...own!)).toBeLessThanOrEqual(16 * minute_ms)
  // The service named a longer pause.
  expect(asked_for).toEqual([21, 21, 21].map((minutes) => minutes * minute_ms))
  expect(after(day_ms, 500).map(({ type }) => type)).toEqual(['run_deferred', 'turn_unsent'])
})

test('after a day the run fails with the last error', () => {
  const given_up = after(day_ms + 1, 5)
  expect(given_up).toMatchObject([
    {
      type: 'run_failed',
      error: { code: 'ENOSPC', message: 'given up after a day of tries: the disk is full' },
    },
    {
      type: 'run_failed',
      error: { code: 'http.429', message: 'given up after a day of tries: too many' },
    },
  ])
})

test('a clock that was set forward does not end a run at its first failures', () => {
  expect(after(30 * day_ms, 4).map(({ type }) => type)).toEqual(['run_deferred', 'turn_unsent'])
})
