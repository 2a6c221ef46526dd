import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countFault,
  durationFault,
  durationText,
  parseDuration_ms,
  parseRate_bytes,
  parseSize_bytes,
  rateFault,
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
  ['.5h', 1_800_000],
  ['1,5 h', 5_400_000],
  ['5 mins', 300_000],
  ['5 min.', 300_000],
  ['10 sec.', 10_000],
  ['1h, 30m', 5_400_000],
  ['1h,30m', 5_400_000],
  ['1h and 30m', 5_400_000],
  ['1 hour, 30 minutes and 5 s', 5_405_000],
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
  ['.5 GB', 5e8],
  ['1 GB, 500 MB', 1.5e9],
  ['10 MB.', 1e7],
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
  '1h.5m',
  '1h .5m',
  '1.5.2h',
  '5-10m',
  '1hand 30m',
  '½ h',
  '1h;30m',
  '',
])('%j is neither a duration nor a size', (text) => {
  expect(parseDuration_ms(text)).toBeNaN()
  expect(parseSize_bytes(text)).toBeNaN()
})

test.each([
  ['5M', /minutes or months/],
  ['1h 1h', /each unit once, the largest first/],
  ['30m 1h', /each unit once, the largest first/],
  ['one day', /before its unit \(for example 1d\)/],
  ['half an hour', /number in digits/],
  ['PT5M', /without P and T \(for example 1h30m\)/],
  ['P90D', /without P and T \(for example 1h30m\)/],
  ['1h30', /after each number \(for example 1h30m\)/],
  ['5m5', /after each number \(for example 1h30m\)/],
  ['10%', /no percentage: .* such as 90m/],
  ['3 mos', /differ in length/],
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
  ['1 Gig', /thousands or in steps of 1024/],
  ['500 megs', /thousands or in steps of 1024/],
  ['2 M bytes', /thousands or in steps of 1024/],
  ['1 Gb 500 MB', /bits/],
  ['1 MB 2 GB', /each unit once, the largest first/],
  ['10 MB 10 MB', /each unit once, the largest first/],
  ['2 GB/s', /must be a size alone, without a time \(for example 50GB\)/],
  ['50GB per day', /must be a size alone/],
  ['10%', /no percentage: .* such as 500MB/],
  ['one GB', /\(for example 1GB\)/],
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

test.each([
  ['2MB/s', 2e6],
  ['2 GB/s', 2e9],
  ['.5 MB/s', 5e5],
  ['1,5MB/s', 1.5e6],
  ['2 MB / sec', 2e6],
  ['2MB/S', 2e6],
  ['2 MBps', 2e6],
  ['2 MB per second', 2e6],
  ['2 MB per s', 2e6],
  ['500 bytes/s', 500],
])('%s as a rate', (text, bytes) => {
  expect(parseRate_bytes(text)).toBe(bytes)
  expect(rateFault(text)).toBeUndefined()
})

test.each([
  ['2MB', /in which time: write 2MB\/s$/],
  ['2 Mbit/s', /bits: write bytes with a capital B/],
  ['2mbps', /bits: write bytes with a capital B/],
  ['2 mb/s', /bits: write bytes with a capital B/],
  ['2MBPS', /bits: write bytes with a capital B/],
  ['2M/s', /thousands or in steps of 1024/],
  ['2 MB/min', /must be a size per second/],
  ['2MB per hour', /must be a size per second/],
  ['1,500 kB/s', /two ways/],
])('%s can be no rate, and the fault says why', (text, fault) => {
  expect(parseRate_bytes(text)).toBeNaN()
  expect(rateFault(text)).toMatch(fault)
})

test.each(['half', '10%', '2 GB/s/s', 'off'])('%s is no rate', (text) => {
  expect(parseRate_bytes(text)).toBeNaN()
})

test.each([
  ['90 days', /without % or days \(for example 10\)/],
  ['90d', /without % or days \(for example 10\)/],
  ['10%', /without % or days \(for example 10\)/],
  ['10 percent', /without % or days \(for example 10\)/],
  ['10k', /\(for example 10000\)/],
  ['1 million', /\(for example 10000\)/],
  ['3 months', undefined],
  ['90', undefined],
])('%s can be no count', (text, fault) => {
  if (fault === undefined) expect(countFault(text)).toBeUndefined()
  else expect(countFault(text)).toMatch(fault)
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
