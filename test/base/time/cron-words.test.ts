import { expect, test } from 'vitest'
import { cronFault } from '../../../src/base/time/cron.ts'
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
    'at 00:00, 02:00, 04:00, 06:00, 08:00, 10:00, 12:00, 14:00, 16:00, 18:00, 20:00 and 22:00 every day',
  ],
  [
    '30 1-23/2 * * *',
    'at 01:30, 03:30, 05:30, 07:30, 09:30, 11:30, 13:30, 15:30, 17:30, 19:30, 21:30 and 23:30 every day',
  ],
  ['0 */12 * * *', 'at 00:00 and 12:00 every day'],
  // The night is shorter, so this is not every 5 hours.
  ['0 */5 * * *', 'at 00:00, 05:00, 10:00, 15:00 and 20:00 every day'],
  ['0 8 * * *', 'at 08:00 every day'],
  ['5 6 * * *', 'at 06:05 every day'],
  ['0 0 * * *', 'at 00:00 every day'],
  ['0 8,20 * * *', 'at 08:00 and 20:00 every day'],
  ['15,45 8,17 * * *', 'at 08:15, 08:45, 17:15 and 17:45 every day'],
  ['0 8-10 * * *', 'at 08:00, 09:00 and 10:00 every day'],
  ['0 8-17 * * *', 'every hour from 08:00 to 17:00'],
  ['30 8-17 * * 1-5', 'every hour from 08:30 to 17:30 on Mondays to Fridays'],
  ['*/15 8-17 * * *', 'every 15 minutes from 08:00 to 17:45'],
  ['* 8 * * *', 'every minute from 08:00 to 08:59'],
  ['*/30 8 * * *', 'every 30 minutes from 08:00 to 08:30'],
  ['0 8-18/2 * * *', 'at 08:00, 10:00, 12:00, 14:00, 16:00 and 18:00 every day'],
  ['*/7 8,9,17 * * *', 'by the cron expression */7 8,9,17 * * *'],
  [' 1-20   3,5 1 * * ', 'by the cron expression 1-20 3,5 1 * *'],
  [
    '*/10 8,12 * * *',
    'at 08:00, 08:10, 08:20, 08:30, 08:40, 08:50, 12:00, 12:10, 12:20, 12:30, 12:40 and 12:50 every day',
  ],
  // Weekdays.
  ['0 8 * * 1', 'at 08:00 on Mondays'],
  ['30 17 * * 7', 'at 17:30 on Sundays'],
  ['30 17 * * 0', 'at 17:30 on Sundays'],
  ['0 8 * * mon', 'at 08:00 on Mondays'],
  ['0 8 * * SUN', 'at 08:00 on Sundays'],
  ['0 7 * * 1-5', 'at 07:00 on Mondays to Fridays'],
  ['0 7 * * 0,6', 'at 07:00 on Saturdays and Sundays'],
  ['0 7 * * 5-7', 'at 07:00 on Fridays to Sundays'],
  ['0 7 * * 1-4,6', 'at 07:00 on Mondays to Thursdays and Saturdays'],
  ['0 8 * * 1-5/2', 'at 08:00 on Mondays, Wednesdays and Fridays'],
  ['0 8 * * */2', 'at 08:00 on Tuesdays, Thursdays, Saturdays and Sundays'],
  ['0 8 ? * MON', 'at 08:00 on Mondays'],
  ['0 * * * 1', 'every hour at :00 on Mondays'],
  ['*/5 * * * 1', 'every 5 minutes on Mondays'],
  ['0 8 * * 0-6', 'at 08:00 every day'],
  ['0 8 * * 1-7', 'at 08:00 every day'],
  ['0 8 * * MON#1', 'by the cron expression 0 8 * * MON#1'],
  ['0 8 * * MON#1,MON#3', 'by the cron expression 0 8 * * MON#1,MON#3'],
  ['0 8 * * 5L', 'by the cron expression 0 8 * * 5L'],
  ['0 8 * * WED,FRI#L', 'by the cron expression 0 8 * * WED,FRI#L'],
  // Days of the month.
  ['0 8 1 * *', 'at 08:00 on the 1st of the month'],
  ['0 8 2 * *', 'at 08:00 on the 2nd of the month'],
  ['0 8 3 * ?', 'at 08:00 on the 3rd of the month'],
  ['0 8 11,12,13 * *', 'at 08:00 on the 11th to 13th of the month'],
  ['0 8 1,15 * *', 'at 08:00 on the 1st and 15th of the month'],
  ['0 8 21,22,31 * *', 'at 08:00 on the 21st, 22nd and 31st of the month'],
  ['0 8 1-7 * *', 'at 08:00 on the 1st to 7th of the month'],
  ['0 8 */10 * *', 'at 08:00 on the 1st, 11th, 21st and 31st of the month'],
  ['0 8 1-31 * *', 'at 08:00 every day'],
  ['0 8 L * *', 'by the cron expression 0 8 L * *'],
  ['0 8 15,L * *', 'by the cron expression 0 8 15,L * *'],
  ['0 8 LW * *', 'by the cron expression 0 8 LW * *'],
  ['0 8 15W * *', 'by the cron expression 0 8 15W * *'],
  // Both: either is enough.
  ['0 8 1 * 1', 'at 08:00 on Mondays and on the 1st of the month'],
  ['0 8 1,15 * 1-5', 'at 08:00 on Mondays to Fridays and on the 1st and 15th of the month'],
  ['0 * 1 * 1', 'every hour at :00 on Mondays and on the 1st of the month'],
  ['0 8 13 * 5', 'at 08:00 on Fridays and on the 13th of the month'],
  // One of both names every day, so the other has no effect.
  ['0 8 1-31 * 1', 'at 08:00 every day'],
  ['0 8 */1 * 1', 'at 08:00 every day'],
  ['0 8 1 * 0-6', 'at 08:00 every day'],
  ['* * 1 * 0-6', 'every minute'],
  // Both, by the `+` of croner.
  ['0 8 13 * +5', 'by the cron expression 0 8 13 * +5'],
  ['0 8 1-31 * +5', 'by the cron expression 0 8 1-31 * +5'],
  ['0 8 13 * +0-6', 'by the cron expression 0 8 13 * +0-6'],
  // Months.
  ['0 8 1 1 *', 'at 08:00 on the 1st of the month, only in January'],
  ['0 8 25 DEC *', 'at 08:00 on the 25th of the month, only in December'],
  ['0 8 1 */3 *', 'at 08:00 on the 1st of the month, only in January, April, July and October'],
  ['0 8 * 6-8 *', 'at 08:00 every day, only in June to August'],
  ['0 8 1 1,7 1', 'at 08:00 on Mondays and on the 1st of the month, only in January and July'],
  ['* * * 2 *', 'every minute, only in February'],
  ['0 8 * 1-12 *', 'at 08:00 every day'],
]

test.each(cases)('%s is %s', (cron, words) => {
  expect(cronFault(cron, 'UTC')).toBeUndefined()
  expect(cronWords(cron)).toBe(words)
})

test('the names for whole expressions, which cron knows', () => {
  const named = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly']
  expect(named.map(cronWords)).toEqual([
    'every hour at :00',
    'at 00:00 every day',
    'at 00:00 on Sundays',
    'at 00:00 on the 1st of the month',
    'at 00:00 on the 1st of the month, only in January',
  ])
})
