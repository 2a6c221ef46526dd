import { describe, expect, test } from 'vitest'
import {
  hour_ms,
  isZone,
  localDate,
  localTime,
  minute_ms,
  zoneOffset_ms,
} from '../../../src/base/time/time.ts'

const at_ms = Date.UTC(2026, 10, 23, 7, 0)

describe('localTime', () => {
  test.each([
    [at_ms, 'Europe/Berlin', '2026-11-23T08:00+01:00'],
    [at_ms, 'UTC', '2026-11-23T07:00+00:00'],
    [at_ms, 'America/St_Johns', '2026-11-23T03:30-03:30'],
    [at_ms, 'Pacific/Apia', '2026-11-23T20:00+13:00'],
    [at_ms + 5_000, 'Europe/Berlin', '2026-11-23T08:00:05+01:00'],
    [at_ms + 5_040, 'Europe/Berlin', '2026-11-23T08:00:05.040+01:00'],
    [at_ms + 40, 'Europe/Berlin', '2026-11-23T08:00:00.040+01:00'],
    [-1, 'UTC', '1969-12-31T23:59:59.999+00:00'],
    // Midnight begins a day: it is never written as hour 24.
    [Date.UTC(2026, 10, 22, 23, 0), 'Europe/Berlin', '2026-11-23T00:00+01:00'],
  ])('%d in %s is %s', (at, zone, text) => {
    expect(localTime(at, zone)).toBe(text)
    expect(Date.parse(text)).toBe(at)
  })

  test('gives the two passes of a repeated hour different texts', () => {
    const first_ms = Date.UTC(2026, 9, 25, 0, 30)
    expect(localTime(first_ms, 'Europe/Berlin')).toBe('2026-10-25T02:30+02:00')
    expect(localTime(first_ms + hour_ms, 'Europe/Berlin')).toBe('2026-10-25T02:30+01:00')
  })
})

test('the date is the local date', () => {
  expect(localDate(Date.UTC(2026, 10, 22, 23, 30), 'Europe/Berlin')).toBe('2026-11-23')
  expect(localDate(Date.UTC(2026, 10, 22, 23, 30), 'America/New_York')).toBe('2026-11-22')
})

test('an offset can have half an hour', () => {
  expect(zoneOffset_ms(at_ms, 'Asia/Kolkata')).toBe(5.5 * hour_ms)
  expect(zoneOffset_ms(at_ms, 'America/St_Johns')).toBe(-210 * minute_ms)
})

test('a zone has a name', () => {
  expect(
    ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].every(isZone),
  ).toBe(true)
  expect(['', '+01:00', 'Europe/Berln', 'Berlin', 'Europe/Berlin '].filter(isZone)).toEqual([])
  expect(() => localTime(at_ms, 'Europe/Berln')).toThrow(RangeError)
})
