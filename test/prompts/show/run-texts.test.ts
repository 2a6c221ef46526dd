import { expect, test } from 'vitest'
import { scheduleText } from '../../../src/prompts/show/run-texts.ts'

test.each([
  ['0 8 * * 1', 'Mondays 08:00 UTC'],
  ['30 17 * * 7', 'Sundays 17:30 UTC'],
  ['5 6 * * *', 'daily 06:05 UTC'],
  ['0 7 * * 1-5', 'Mondays to Fridays 07:00 UTC'],
  ['5 *  * * *', 'hourly at :05 UTC'],
  ['0 8 1 * *', '0 8 1 * * UTC'],
  ['*/5 * * * *', '*/5 * * * * UTC'],
  ['0 * * * 1', '0 * * * 1 UTC'],
])('describes %s in words', (cron, text) =>
  expect(scheduleText({ cron, timezone: 'UTC' })).toBe(text),
)
