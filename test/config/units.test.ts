import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  durationFault,
  durationText,
  parseDuration_ms,
  parseSize_bytes,
  sizeFault,
  sizeText,
} from '../../src/config/schema/units.ts'

test.each([
  ['300ms', 300],
  ['1.5s', 1_500],
  ['1,5s', 1_500],
  ['20m', 1_200_000],
  ['20 min', 1_200_000],
  ['90 minutes', 5_400_000],
  ['1 hour', 3_600_000],
  ['2 hrs', 7_200_000],
  ['12 h', 43_200_000],
  ['12 H', 43_200_000],
  ['1h30m', 5_400_000],
  ['1 h 30 min', 5_400_000],
  ['90d', 7_776_000_000],
  ['7 days', 604_800_000],
  ['2w', 1_209_600_000],
  ['1 week', 604_800_000],
  ['10 secs', 10_000],
  ['500 milliseconds', 500],
])('%s', (text, ms) => {
  expect(parseDuration_ms(text)).toBe(ms)
  expect(durationFault(text)).toBeUndefined()
})

test.each([
  ['0B', 0],
  ['64 KiB', 65_536],
  ['100kB', 100_000],
  ['100KB', 100_000],
  ['10mb', 10_000_000],
  ['2 gb', 2e9],
  ['2 gigabytes', 2e9],
  ['500 bytes', 500],
  ['2 MBytes', 2e6],
  ['4GB', 4e9],
  ['4gib', 2 ** 32],
  ['4GiB', 2 ** 32],
  ['4 gibibytes', 2 ** 32],
  ['1.5TB', 1.5e12],
  ['1,5 TB', 1.5e12],
  ['2\u00a0GB', 2e9],
])('%s', (text, bytes) => {
  expect(parseSize_bytes(text)).toBe(bytes)
  expect(sizeFault(text)).toBeUndefined()
})

test.each([
  '5',
  '5 apples',
  '-1s',
  '1e3s',
  '5M',
  's',
  '1/2 s',
  'one hour',
  'PT1H',
  '.5s',
  '1s.',
  '',
])('%j is neither a duration nor a size', (text) => {
  expect(parseDuration_ms(text)).toBeNaN()
  expect(parseSize_bytes(text)).toBeNaN()
})

test.each([
  ['5M', /minutes or months/],
  ['3 months', /differ in length/],
  ['1 yr', /differ in length/],
  ['1:30', /no time of the day/],
  ['1,500s', /two ways.*without a separator/],
  ['1.500s', /two ways/],
  ['1 500 s', /two ways/],
])('%s can be no duration, and the fault says why', (text, fault) => {
  expect(parseDuration_ms(text)).toBeNaN()
  expect(durationFault(text)).toMatch(fault)
})

test.each([
  ['10M', /thousands or in steps of 1024/],
  ['10k', /thousands or in steps of 1024/],
  ['4Gi', /thousands or in steps of 1024/],
  ['10 Mb', /bits/],
  ['10 Mbit', /bits/],
  ['4 Gib', /bits/],
  ['1.000MB', /two ways/],
  ['1,000,000', /two ways/],
  ["1'000 MB", /two ways/],
])('%s can be no size, and the fault says why', (text, fault) => {
  expect(parseSize_bytes(text)).toBeNaN()
  expect(sizeFault(text)).toMatch(fault)
})

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
