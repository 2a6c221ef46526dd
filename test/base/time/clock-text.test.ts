import { expect, test } from 'vitest'
import { clockText, promptTimeText, wallText, zonedText } from '../../../src/base/time/time.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const at_ms = Date.UTC(2026, 10, 23, 16, 24, 59)

test('a time is shown as the clock of this machine has it, with its day unless that is today', () => {
  const local = wallText(at_ms, zone)
  expect(local).toMatch(/^2026-11-2\d \d\d:24$/)
  expect(clockText(at_ms)).toBe(local)
  expect(clockText(at_ms, at_ms + 1)).toBe(local.slice(11))
  expect(clockText(at_ms, at_ms + 86_400_000)).toBe(local)
})

test.each([
  ['UTC', '2026-11-23 16:24'],
  ['Europe/Berlin', '2026-11-23 17:24'],
  ['Asia/Kathmandu', '2026-11-23 22:09'],
  ['Pacific/Auckland', '2026-11-24 05:24'],
])('a time in %s has the clock of that zone', (name, text) => {
  expect(wallText(at_ms, name)).toBe(text)
})

test('a time for readers anywhere names its zone; here, only a time of another zone does', () => {
  const [other, time] =
    zone === 'Asia/Kathmandu'
      ? ['Pacific/Auckland', '2026-11-24 05:24']
      : ['Asia/Kathmandu', '2026-11-23 22:09']
  expect(zonedText(at_ms, other)).toBe(`${time} ${other}`)
  expect(zonedText(at_ms)).toBe(`${wallText(at_ms, zone)} ${zone}`)
  expect(promptTimeText(at_ms, other)).toBe(`${time} ${other}`)
  expect(promptTimeText(at_ms, zone)).toBe(wallText(at_ms, zone))
})
