import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterAtWork } from '../../src/status/health/problems.ts'

const moment = fc.nat(200)
const absences = fc
  .array(
    fc.record({
      why: fc.constant('away' as const),
      from_ms: moment,
      length: fc.integer({ min: 1, max: 60 }),
    }),
    {
      maxLength: 6,
    },
  )
  .map((some) =>
    some.map(({ why, from_ms, length }) => ({ why, from_ms, to_ms: from_ms + length })),
  )
  .map((some) => some.sort((one, other) => one.from_ms - other.from_ms))

test('without an absence all time counts', () => {
  expect(afterAtWork(100, 50, [])).toBe(150)
})

test('property: the time between two moments is the time without an absence', () => {
  fc.assert(
    fc.property(moment, moment, absences, (from_ms, span_ms, some) => {
      const until_ms = afterAtWork(from_ms, span_ms, some)
      const is_away = (at_ms: number) =>
        some.some((absence) => absence.from_ms <= at_ms && at_ms < absence.to_ms)
      let worked_ms = 0
      for (let at_ms = from_ms; at_ms < until_ms; at_ms += 1) worked_ms += is_away(at_ms) ? 0 : 1
      expect(worked_ms).toBe(span_ms)
      expect(is_away(until_ms), 'never due while nobody is there').toBe(false)
    }),
  )
})
