import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  duration_pattern,
  durationText,
  parseDuration_ms,
  parseSize_bytes,
  size_pattern,
  sizeText,
} from '../../src/config/schema/units.ts'

test.each([
  ['300ms', 300],
  ['1.5s', 1_500],
  ['20m', 1_200_000],
  ['12 h', 43_200_000],
  ['90d', 7_776_000_000],
  ['2w', 1_209_600_000],
])('%s', (text, ms) => {
  expect(text).toMatch(duration_pattern)
  expect(parseDuration_ms(text)).toBe(ms)
})

test.each([
  ['0B', 0],
  ['64 KiB', 65_536],
  ['100kB', 100_000],
  ['4GB', 4e9],
  ['4GiB', 2 ** 32],
  ['1.5TB', 1.5e12],
])('%s', (text, bytes) => {
  expect(text).toMatch(size_pattern)
  expect(parseSize_bytes(text)).toBe(bytes)
})

test.each(['5', '5 apples', '-1s', '1e3s', '5M', 's', '1 s ', '5 mins', ''])(
  '%j is neither a duration nor a size',
  (text) => {
    expect(text).not.toMatch(duration_pattern)
    expect(text).not.toMatch(size_pattern)
  },
)

test('the written text is read back as the same amount', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 45 }), (n) => {
      expect(parseDuration_ms(durationText(n))).toBe(n)
      expect(parseSize_bytes(sizeText(n))).toBe(n)
    }),
  )
  expect([
    durationText(7_776_000_000),
    durationText(1_500),
    sizeText(2 ** 32),
    sizeText(4e9),
  ]).toEqual(['90d', '1500ms', '4GiB', '4GB'])
})
