import { expect, test } from 'vitest'
import { cronOf } from '../../../src/cli/init/when.ts'

test.each([
  ['Mondays 08:00', '0 8 * * 1'],
  ['monday 8', '0 8 * * 1'],
  ['every Friday at 17:00', '0 17 * * 5'],
  ['Tues, 9.30', '30 9 * * 2'],
  ['Thurs 0:00', '0 0 * * 4'],
  ['daily 12', '0 12 * * *'],
  ['every day 07:05', '5 7 * * *'],
  ['weekdays 7:30', '30 7 * * 1-5'],
  ['weekends 10:00', '0 10 * * 0,6'],
  ['*/15 8-18 * * 1-5', '*/15 8-18 * * 1-5'],
  ['', undefined],
  ['someday', undefined],
  ['Mondays', undefined],
  ['s 8:00', undefined],
  ['Mo 8:00', undefined],
  ['Mondays 24:00', undefined],
  ['Mondays 8:60', undefined],
  ['Mondays 5 pm', undefined],
  ['0 25 * * *', undefined],
  ['0 8 30 2 *', undefined],
])('%j is %j', (words, cron) => {
  expect(cronOf(words)).toBe(cron)
})
