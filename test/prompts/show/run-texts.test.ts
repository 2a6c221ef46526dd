import { expect, test } from 'vitest'
import { scheduleText } from '../../../src/prompts/show/run-texts.ts'

test('a schedule is shown in words, with its zone', () => {
  expect(scheduleText({ cron: '0 8 1 * 1', timezone: 'Europe/Berlin' })).toBe(
    'Mondays and the 1st of the month at 08:00 (Europe/Berlin)',
  )
})
