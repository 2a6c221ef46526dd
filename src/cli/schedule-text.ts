import type { Schedule } from '../prompts/prompt-settings.ts'

const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']

/** A schedule in words where it is a usual one, else the cron expression; with its zone. */
export function scheduleText({ cron, timezone }: Schedule): string {
  return `${inWords(cron.trim().replace(/\s+/g, ' ')) ?? cron} ${timezone}`
}

function inWords(cron: string): string | undefined {
  const fields = /^(\d+) (\d+|\*) \* \* (\*|1-5|[0-7])$/.exec(cron)
  if (!fields) return undefined
  const [, minute = '', hour = '', day = ''] = fields
  if (hour === '*') return day === '*' ? `hourly at :${minute.padStart(2, '0')}` : undefined
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*') return `daily ${time}`
  return `${day === '1-5' ? 'Mondays to Fridays' : days[Number(day)]} ${time}`
}
