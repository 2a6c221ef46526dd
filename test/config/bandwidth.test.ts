import { expect, test } from 'vitest'
import type { z } from 'zod'
import { bandwidthText } from '../../src/config/schema/bandwidth-text.ts'
import { bandwidth } from '../../src/config/schema/schema-bandwidth.ts'

const read = (value: unknown) => bandwidth.parse(value)

test('takes off, a rate, or times of the day; a time over midnight becomes two ranges', () => {
  expect(read(undefined)).toEqual([])
  expect(read('off')).toEqual([])
  expect(read(false)).toEqual([])
  expect(read('2MB/s')).toEqual([{ from_minute: 0, to_minute: 1_440, bytes_per_s: 2_000_000 }])
  expect(read({ '08:00-18:00': '1.5 MB/s', '18:00-20:00': 'off' })).toEqual([
    { from_minute: 480, to_minute: 1_080, bytes_per_s: 1_500_000 },
  ])
  expect(read({ '22:00-06:30': '512KiB/s' })).toEqual([
    { from_minute: 1_320, to_minute: 1_440, bytes_per_s: 524_288 },
    { from_minute: 0, to_minute: 390, bytes_per_s: 524_288 },
  ])
  expect(read({ '22:00-00:00': '1GB/s' })).toEqual([
    { from_minute: 1_320, to_minute: 1_440, bytes_per_s: 1e9 },
  ])
})

test('the shown text is read back as the same value', () => {
  for (const written of [
    'off',
    '2MB/s',
    '1500kB/s',
    '524288B/s',
    { '08:00-18:00': '2MB/s', '20:15-24:00': '10kB/s' },
  ]) {
    expect(bandwidthText(read(written))).toEqual(written)
  }
  const over_midnight = read({ '22:00-06:00': '2MB/s' })
  expect(read(bandwidthText(over_midnight))).toEqual(over_midnight)
})

test('refuses values that make no sense', () => {
  const faults = (value: unknown) => {
    const result = bandwidth.safeParse(value)
    return result.success ? [] : result.error.issues.flatMap(messages)
  }
  expect(faults('2MB')).toContainEqual('must say in which time: write 2MB/s')
  expect(faults('1kB/s')).toContainEqual(expect.stringMatching(/10kB\/s or more/))
  expect(faults({ 'all day': '1MB/s' })).toContainEqual(
    'must be times of the day, such as 08:00-18:00',
  )
  expect(faults({ '08:00-18:00': '1MB/s', '17:00-19:00': '2MB/s' })).toContainEqual(
    'must not have two rates for the same time',
  )
  expect(faults({ '08:00-18:00': '1MB/s', '12:00-13:00': 'off' })).toContainEqual(
    'must not have two rates for the same time',
  )
  expect(faults({ '22:00-06:00': '1MB/s', '05:00-07:00': '2MB/s' })).toContainEqual(
    'must not have two rates for the same time',
  )
  expect(faults(7)).not.toEqual([])
})

/** All messages of an issue, including those of the branches of a union. */
function messages(issue: z.core.$ZodIssue): string[] {
  const inner =
    issue.code === 'invalid_union'
      ? issue.errors.flat()
      : issue.code === 'invalid_key'
        ? issue.issues
        : []
  return [issue.message, ...inner.flatMap(messages)]
}
