import { parsedCron } from './cron.ts'

/** A longer list of times is no easier to read than the expression. */
const max_times = 12
/** croner's mark of a weekday for every week of a month; its bits stand for `weeks`. */
const every_week = 63
const weeks = ['first', 'second', 'third', 'fourth', 'fifth', 'last']
const week = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const monday_first = [1, 2, 3, 4, 5, 6, 0]
const months_text =
  'January February March April May June July August September October November December'
const year = months_text.split(' ')

/**
 * A cron expression in words, as croner reads it. With a weekday and a day of the month, either one
 * is enough. Where the times are no short list, the expression itself stands for them.
 */
export function cronWords(cron: string): string {
  const { minute, hour, month, ...days } = parsedCron(cron)
  const times = timesText(valuesOf(minute), valuesOf(hour))
  const months = valuesOf(month)
  const only = months.length === year.length ? '' : `, only in ${rangesText(months, monthName)}`
  const of_days = daysText(days) || (times?.startsWith('every') ? '' : 'every day')
  const written = `by the cron expression ${cron.trim().replace(/\s+/g, ' ')}:`
  return [times ?? written, of_days].filter(Boolean).join(' ') + only
}

function timesText(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const [first_minute = 0] = minutes
  const [first_hour = 0] = hours
  const last_hour = hours.at(-1) ?? 0
  const are_hours_in_a_row = last_hour - first_hour + 1 === hours.length
  const pace = paceText(minutes, 60, 'minute')
  const has_one_an_hour = minutes.length === 1 && hours.length > 3
  const hour_pace = has_one_an_hour ? paceText(hours, 24, 'hour') : undefined
  if (hours.length === 24 && pace !== undefined) return pace
  if (hours.length === 24 && minutes.length <= max_times) {
    const past = joined(minutes.map((minute) => `:${two(minute)}`))
    return past === ':00' ? 'every hour' : `every hour at ${past}`
  }
  if (hour_pace !== undefined) return `${hour_pace} from ${timeText(first_hour, first_minute)}`
  const every = has_one_an_hour ? 'every hour' : pace
  if (every !== undefined && are_hours_in_a_row)
    return `${every} from ${timeText(first_hour, first_minute)} to ${timeText(last_hour, minutes.at(-1)!)}`
  if (minutes.length * hours.length > max_times) return undefined
  return `at ${joined(hours.flatMap((hour) => minutes.map((minute) => timeText(hour, minute))))}`
}

/** `every 15 minutes`, if equal steps go on from one hour (day) into the next. */
function paceText(values: readonly number[], size: number, unit: string): string | undefined {
  const [first = 0, second = 0] = values
  const step = second - first
  const is_even = values.every((value, at) => value === first + at * step)
  if (!is_even || step * values.length !== size) return undefined
  if (unit === 'minute' && first > 0) return undefined
  return step === 1 ? `every ${unit}` : `every ${step} ${unit}s`
}

type Days = Pick<
  ReturnType<typeof parsedCron>,
  | 'day'
  | 'dayOfWeek'
  | 'lastDayOfMonth'
  | 'lastWeekday'
  | 'nearestWeekdays'
  | 'starDOM'
  | 'starDOW'
  | 'useAndLogic'
>

/** Empty for every day. */
function daysText({ dayOfWeek, starDOM, starDOW, useAndLogic, ...of_month }: Days): string {
  const weekdays = weekdayTexts(dayOfWeek)
  const dates = dateTexts(of_month)
  const is_any_weekday = weekdays.length === 0
  const is_any_date = dates.length === 0
  if (useAndLogic && !is_any_weekday && !is_any_date)
    return `on ${joined(dates)} if that is one of ${joined(weekdays)}`
  // Either is enough: a field that names every day without a star leaves the other without effect.
  const is_every_day = (is_any_weekday && !starDOW) || (is_any_date && !starDOM)
  if (is_every_day && !useAndLogic) return ''
  return joined([...weekdays, ...dates].map((text) => `on ${text}`))
}

function weekdayTexts(marks: readonly number[]): string[] {
  const always = monday_first.filter((day) => marks[day] === every_week)
  if (always.length === week.length) return []
  const some = monday_first.flatMap((day) => {
    const of_month = weeks.filter((_, bit) => (marks[day]! >> bit) & 1)
    const is_some = of_month.length > 0 && !always.includes(day)
    return is_some ? [`the ${joined(of_month)} ${week[day]} of the month`] : []
  })
  const ranks = always.map((day) => monday_first.indexOf(day))
  const name = (rank: number) => `${week[monday_first[rank]!]}s`
  return [...(ranks.length > 0 ? [rangesText(ranks, name)] : []), ...some]
}

function dateTexts(days: Pick<Days, 'day' | 'lastDayOfMonth' | 'lastWeekday' | 'nearestWeekdays'>) {
  const dates = valuesOf(days.day)
  if (dates.length === days.day.length) return []
  const texts = valuesOf(days.nearestWeekdays).map((at) => `weekday nearest to the ${dateName(at)}`)
  if (dates.length > 0) texts.unshift(rangesText(dates, dateName))
  if (days.lastDayOfMonth) texts.push('last day')
  if (days.lastWeekday) texts.push('last weekday')
  return texts.map((text) => `the ${text} of the month`)
}

/** Three and more in a row become a range: `Mondays to Fridays and Sundays`. */
function rangesText(values: readonly number[], nameOf: (value: number) => string): string {
  const texts: string[] = []
  for (let at = 0; at < values.length; ) {
    const first = values[at]!
    let length = 1
    while (values[at + length] === first + length) length++
    const is_range = length > 2
    texts.push(is_range ? `${nameOf(first)} to ${nameOf(first + length - 1)}` : nameOf(first))
    at += is_range ? length : 1
  }
  return joined(texts)
}

function valuesOf(field: readonly number[]): number[] {
  return field.flatMap((on, value) => (on ? [value] : []))
}

function monthName(month: number): string {
  return year[month]!
}

/** `day`: from 0, as croner counts. */
function dateName(day: number): string {
  const date = day + 1
  const last = date > 10 && date < 14 ? 0 : date % 10
  return `${date}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`
}

function timeText(hour: number, minute: number): string {
  return `${two(hour)}:${two(minute)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function joined(texts: readonly string[]): string {
  const last = texts.at(-1) ?? ''
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`
}
