import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMuch, mostWithin } from '../../src/domain/removal.ts'

const limits = { files: 100, percent: 10, per_ms: 1, wiped: { files: 10, percent: 50 } }

test.each<[what: string, removing: number, deleted: number, present: number, is_much: boolean]>([
  ['a few of many', 5, 5, 1_000, false],
  ['hundreds of thousands', 101, 101, 100_000, false],
  ['hundreds of hundreds', 101, 101, 500, true],
  ['all of a small folder', 11, 11, 0, true],
  ['most of a small folder', 40, 40, 20, true],
  ['half of a small folder', 20, 20, 20, false],
  ['all of a few', 10, 10, 0, false],
  ['old versions of all files', 40, 0, 40, false],
])('%s', (_what, removing, deleted, present, is_much) => {
  expect(isMuch({ removing, deleted, present }, limits)).toBe(is_much)
})

test('mostWithin finds the highest count within a period that begins at any of the times', () => {
  const property = fc.property(
    fc.array(fc.nat(50)),
    fc.integer({ min: 1, max: 20 }),
    (times, per) => {
      const counts = times.map((from) => times.filter((at) => at >= from && at < from + per).length)
      expect(mostWithin(times, per)).toBe(Math.max(0, ...counts))
    },
  )
  fc.assert(property)
})
