import { expect, test } from 'vitest'
import { cronFault, cronTimes } from '../../../src/base/time/cron.ts'
import { cronWords } from '../../../src/base/time/cron-words.ts'

const cases: readonly (readonly [cron: string, words: string])[] = [
  // Times.
  ['* * * * *', 'every minute'],
  ['*/1 * * * *', 'every minute'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['0-59/15 * * * *', 'every 15 minutes'],
  ['*/15 0-23 * * *', 'every 15 minutes'],
  // The last step of an hour is shorter, so this is not every 25 minutes.
  ['*/25 * * * *', 'every hour at :00, :25 and :50'],
  ['*/7 * * * *', 'every hour at :00, :07, :14, :21, :28, :35, :42, :49 and :56'],
  ['5-59/15 * * * *', 'every hour at :05, :20, :35 and :50'],
  ['0 * * * *', 'every hour at :00'],
  ['5 *  * * *', 'every hour at :05'],
  ['0,30 * * * *', 'every 30 minutes'],
  ['10,40 * * * *', 'every hour at :10 and :40'],
  ['0 */1 * * *', 'every hour at :00'],
  [
    '0 */2 * * *',
    'every day at 00:00, 02:00, 04:00, 06:00, 08:00, 10:00, 12:00, 14:00, 16:00, 18:00, 20:00 and 22:00',
  ],
  [
    '30 1-23/2 * * *',
    'every day at 01:30, 03:30, 05:30, 07:30, 09:30, 11:30, 13:30, 15:30, 17:30, 19:30, 21:30 and 23:30',
  ],
  ['0 */12 * * *', 'every day at 00:00 and 12:00'],
  // The night is shorter, so this is not every 5 hours.
  ['0 */5 * * *', 'every day at 00:00, 05:00, 10:00, 15:00 and 20:00'],
  ['0 8 * * *', 'every day at 08:00'],
  ['5 6 * * *', 'every day at 06:05'],
  ['0 0 * * *', 'every day at 00:00'],
  ['0 8,20 * * *', 'every day at 08:00 and 20:00'],
  ['15,45 8,17 * * *', 'every day at 08:15, 08:45, 17:15 and 17:45'],
  ['0 8-10 * * *', 'every day at 08:00, 09:00 and 10:00'],
  ['0 8-17 * * *', 'every hour from 08:00 to 17:00'],
  ['30 8-17 * * 1-5', 'Mondays to Fridays every hour from 08:30 to 17:30'],
  ['*/15 8-17 * * *', 'every 15 minutes from 08:00 to 17:45'],
  ['* 8 * * *', 'every minute from 08:00 to 08:59'],
  ['*/30 8 * * *', 'every 30 minutes from 08:00 to 08:30'],
  ['0 8-18/2 * * *', 'every day at 08:00, 10:00, 12:00, 14:00, 16:00 and 18:00'],
  ['*/7 8,9,17 * * *', 'by the cron expression */7 8,9,17 * * *'],
  [' 1-20   3,5 1 * * ', 'by the cron expression 1-20 3,5 1 * *'],
  [
    '*/10 8,12 * * *',
    'every day at 08:00, 08:10, 08:20, 08:30, 08:40, 08:50, 12:00, 12:10, 12:20, 12:30, 12:40 and 12:50',
  ],
  // Weekdays.
  ['0 8 * * 1', 'Mondays at 08:00'],
  ['30 17 * * 7', 'Sundays at 17:30'],
  ['30 17 * * 0', 'Sundays at 17:30'],
  ['0 8 * * mon', 'Mondays at 08:00'],
  ['0 8 * * SUN', 'Sundays at 08:00'],
  ['0 7 * * 1-5', 'Mondays to Fridays at 07:00'],
  ['0 7 * * 0,6', 'Saturdays and Sundays at 07:00'],
  ['0 7 * * 5-7', 'Fridays to Sundays at 07:00'],
  ['0 7 * * 1-4,6', 'Mondays to Thursdays and Saturdays at 07:00'],
  ['0 8 * * 1-5/2', 'Mondays, Wednesdays and Fridays at 08:00'],
  ['0 8 * * */2', 'Tuesdays, Thursdays, Saturdays and Sundays at 08:00'],
  ['0 8 ? * MON', 'Mondays at 08:00'],
  ['0 * * * 1', 'Mondays every hour at :00'],
  ['*/5 * * * 1', 'Mondays every 5 minutes'],
  ['0 8 * * 0-6', 'every day at 08:00'],
  ['0 8 * * 1-7', 'every day at 08:00'],
  ['0 8 * * MON#1', 'the first Monday of the month at 08:00'],
  ['0 8 * * MON#1,MON#3', 'the first and third Monday of the month at 08:00'],
  ['0 8 * * 5L', 'the last Friday of the month at 08:00'],
  ['0 8 * * WED,FRI#L', 'Wednesdays and the last Friday of the month at 08:00'],
  // Days of the month.
  ['0 8 1 * *', 'the 1st of the month at 08:00'],
  ['0 8 2 * *', 'the 2nd of the month at 08:00'],
  ['0 8 3 * ?', 'the 3rd of the month at 08:00'],
  ['0 8 11,12,13 * *', 'the 11th to 13th of the month at 08:00'],
  ['0 8 1,15 * *', 'the 1st and 15th of the month at 08:00'],
  ['0 8 21,22,31 * *', 'the 21st, 22nd and 31st of the month at 08:00'],
  ['0 8 1-7 * *', 'the 1st to 7th of the month at 08:00'],
  ['0 8 */10 * *', 'the 1st, 11th, 21st and 31st of the month at 08:00'],
  ['0 8 1-31 * *', 'every day at 08:00'],
  ['0 8 L * *', 'the last day of the month at 08:00'],
  ['0 8 15,L * *', 'the 15th and last day of the month at 08:00'],
  ['0 8 LW * *', 'the last weekday of the month at 08:00'],
  ['0 8 15W * *', 'the weekday nearest the 15th of the month at 08:00'],
  // Both: either is enough.
  ['0 8 1 * 1', 'Mondays and the 1st of the month at 08:00'],
  ['0 8 1,15 * 1-5', 'Mondays to Fridays and the 1st and 15th of the month at 08:00'],
  ['0 * 1 * 1', 'Mondays and the 1st of the month every hour at :00'],
  ['0 8 13 * 5', 'Fridays and the 13th of the month at 08:00'],
  // One of both names every day, so the other has no effect.
  ['0 8 1-31 * 1', 'every day at 08:00'],
  ['0 8 */1 * 1', 'every day at 08:00'],
  ['0 8 1 * 0-6', 'every day at 08:00'],
  ['* * 1 * 0-6', 'every minute'],
  ['0 8 L * 1', 'Mondays and the last day of the month at 08:00'],
  [
    '0 8 1,15W * 1#2',
    'the second Monday of the month, the 1st of the month and the weekday nearest the 15th of the month at 08:00',
  ],
  // Both, by the `+` of croner.
  ['0 8 13 * +5', 'Fridays falling on the 13th of the month at 08:00'],
  ['0 8 1-31 * +5', 'Fridays at 08:00'],
  ['0 8 13 * +0-6', 'the 13th of the month at 08:00'],
  // Months.
  ['0 8 1 1 *', 'the 1st of the month at 08:00, only in January'],
  ['0 8 25 DEC *', 'the 25th of the month at 08:00, only in December'],
  ['0 8 1 */3 *', 'the 1st of the month at 08:00, only in January, April, July and October'],
  ['0 8 * 6-8 *', 'every day at 08:00, only in June to August'],
  ['0 8 1 1,7 1', 'Mondays and the 1st of the month at 08:00, only in January and July'],
  ['* * * 2 *', 'every minute, only in February'],
  ['0 8 * 1-12 *', 'every day at 08:00'],
]

test.each(cases)('%s is %s', (cron, words) => {
  expect(cronFault(cron, 'UTC')).toBeUndefined()
  expect(cronWords(cron)).toBe(words)
})

test('the names for whole expressions, which cron knows', () => {
  const named = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@ANNUALLY ']
  expect(named.map((cron) => cronFault(cron, 'UTC'))).toEqual(named.map(() => undefined))
  expect(named.map(cronWords)).toEqual([
    'every hour at :00',
    'every day at 00:00',
    'every day at 00:00',
    'Sundays at 00:00',
    'the 1st of the month at 00:00',
    'the 1st of the month at 00:00, only in January',
    'the 1st of the month at 00:00, only in January',
  ])
  const after_ms = Date.UTC(2026, 10, 28, 12)
  expect(cronTimes('@daily', 'Europe/Berlin').next(after_ms)).toBe(Date.UTC(2026, 10, 28, 23))
  expect(cronFault('@reboot', 'UTC')).toMatch(/has five fields/)
})
