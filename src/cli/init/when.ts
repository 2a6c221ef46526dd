import { cronFault } from '../../base/time/cron.ts'

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const groups: Record<string, string> = { daily: '*', day: '*', weekday: '1-5', weekend: '0,6' }
/** A day has at least three letters: fewer fit several days. */
const in_words =
  /^(?:every )?(?<day>[a-z]{3,}?)s?,?(?: at)? (?<hour>\d{1,2})(?:[:.](?<minute>\d\d))?$/

/**
 * The cron expression of a time in words, such as `Mondays 08:00`, `daily 7:30` or `every Friday at
 * 17:00`; of a valid expression, itself. Undefined for other texts.
 */
export function cronOf(text: string): string | undefined {
  if (isCron(text)) return text
  const found = in_words.exec(text.trim().toLowerCase())?.groups
  if (found === undefined) return undefined
  const { day = '', hour, minute = '0' } = found
  const weekday = groups[day] ?? days.findIndex((name) => name.startsWith(day))
  const cron = `${Number(minute)} ${Number(hour)} * * ${weekday}`
  return isCron(cron) ? cron : undefined
}

function isCron(text: string): boolean {
  return cronFault(text, 'UTC') === undefined
}
