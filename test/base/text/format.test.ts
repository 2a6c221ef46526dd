import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatSpan,
  printable,
} from '../../../src/base/text/format.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_949, '9.9 kB'],
  [12_345, '12 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [4 * 2 ** 30, '4.3 GB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [0, '0 s'],
  [1, '0.1 s'],
  [99, '0.1 s'],
  [350, '0.3 s'],
  [2_500, '2.5 s'],
  [3_000, '3 s'],
  [42_300, '42 s'],
  [59_700, '1 min'],
  [185_000, '3 min 5 s'],
  [3_599_900, '1 h'],
  [7_800_000, '2 h 10 min'],
  [90 * 86_400_000, '90 d'],
  [-2_500, '-2.5 s'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

const day_ms = 86_400_000
test.each([
  [0, 0, '0 s'],
  [0, 90_000, '1 min 30 s'],
  // Time servers turn a clock back by less than a minute.
  [60_000, 0, '0 s'],
  [60_001, 0, 'an unknown time (a clock was wrong)'],
  [0, 366 * day_ms, '366 d'],
  [0, 3_650 * day_ms, '3650 d'],
  [Date.UTC(1972, 0, 1), Date.UTC(2026, 0, 1), 'an unknown time (a clock was wrong)'],
  [Date.UTC(2026, 0, 1), Date.UTC(1972, 0, 1), 'an unknown time (a clock was wrong)'],
  [Number.NaN, 0, 'an unknown time (a clock was wrong)'],
])('from %d to %d is %s', (from_ms, to_ms, text) => expect(formatSpan(from_ms, to_ms)).toBe(text))

test('every amount is shown in a unit that fits its size', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 50 }), (n) => {
      expect(formatBytes(n)).toMatch(/^(\d{1,3}|\d\.\d) (B|kB|MB|GB|TB|PB)$/)
      expect(formatDuration(n)).not.toMatch(/\b(60 s|60 min|24 h|1000 ms)\b/)
    }),
  )
  expect(formatCount(1_234_567)).toBe('1,234,567')
})

test('an escaped name cannot steer a terminal or hide its characters', () => {
  expect(printable('a\u001b[2Jb\nc\td')).toBe('a\\x1b[2Jb\\nc\\td')
  expect(printable('invoice\u202efdp.exe')).toBe('invoice\\u{202e}fdp.exe')
  expect(printable('Übersicht 📈 報告.pdf')).toBe('Übersicht 📈 報告.pdf')
})
