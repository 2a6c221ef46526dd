import { expect, test } from 'vitest'
import { costRange, type MeasuredPart } from '../../../src/cli/text/cost-range.ts'

const part = (ms: number, files: number, bytes: number, unseen_bytes = 0): MeasuredPart => {
  return { ms, files, bytes, unseen_bytes }
}
const small = part(10_000, 100, 1_000)
const large = part(10_000, 1, 1_000_000)

test.each([
  ['the same again', [small], { files: 100, bytes: 1_000 }, 10_000],
  ['files only, after files', [small, small], { files: 50, bytes: 500 }, 5_000],
  ['bytes only, after both kinds', [small, large], { files: 2, bytes: 2_000_000 }, 20_000],
  ['both kinds, after both', [small, large], { files: 102, bytes: 2_001_000 }, 30_000],
  ['a file half sent', [part(5_000, 0.5, 500_000)], { files: 0.5, bytes: 500_000 }, 5_000],
])('%s: the time follows from the costs', (_, parts, rest, expected_ms) => {
  const { low, likely, high } = costRange(parts, rest, 0)!
  expect(low).toBeLessThanOrEqual(expected_ms)
  expect(high).toBeGreaterThanOrEqual(expected_ms)
  expect(likely / expected_ms).toBeGreaterThan(0.8)
  expect(likely / expected_ms).toBeLessThan(1.25)
  expect(high / low).toBeLessThan(2)
})

test.each([
  ['large files, after small ones', [small], { files: 1, bytes: 1_000_000 }],
  ['small files, after large ones', [large], { files: 100, bytes: 1_000 }],
  ['bytes, after empty files', [part(1_000, 10, 0)], { files: 1, bytes: 1 }],
  ['what nothing was measured of', [part(1_000, 0, 0)], { files: 1, bytes: 1 }],
])('%s: the range is open, or there is none', (_, parts, rest) => {
  const range = costRange(parts, rest, 0)
  expect(range === undefined || range.high > 8 * range.low).toBe(true)
})

test('no costs explain a pace that has changed by four times', () => {
  expect(costRange([small, part(10_000, 25, 250)], { files: 1, bytes: 10 }, 0)).toBeUndefined()
})

test('bytes that may have moved unseen widen the range', () => {
  const rest = { files: 1, bytes: 1_000_000 }
  const seen = costRange([large], rest, 0)!
  const unseen = costRange([part(10_000, 1, 1_000_000, 3_000_000)], rest, 500_000)!
  expect(unseen.low).toBeLessThan(seen.low / 2)
  expect(unseen.high).toBeGreaterThanOrEqual(seen.high)
})
