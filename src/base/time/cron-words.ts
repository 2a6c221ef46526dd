import { type CronPattern, parsedCron } from './cron.ts'

/** A longer list of times is no easier to read than the expression. */
const max_times = 12
/** croner's mark of a weekday in every week of a month. */
const every_week = 63
const every_day = 'every day'
/** In the order of croner's bits. */
const weeks_of_month = ['first', 'second', 'third', 'fourth', 'fifth', 'last']
const week = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const months_text =
  'January February March April May June July August September October November December'
const year = months_text.split(' ')

/**
 * A cron expression in words, as croner reads it, the days first. With a weekday and a day of the
 * month, either one is enough. An expression with a long list of times stays as it is.
 */
export function cronWords(cron: string): string {
  const { minute, hour, month, ...days } = parsedCron(cron)
  const times = timesText(valuesOf(minute), valuesOf(hour))
  if (times === undefined) return `by the cron expression ${cron.trim().replace(/\s+/g, ' ')}`
  const of_days = daysText(days)
  const months = valuesOf(month)
  const only =
    months.length === year.length ? '' : `, only in ${joined(rangeTexts(months, nameOfMonth))}`
  const shown = of_days === every_day && times.startsWith('every') ? '' : `${of_days} `
  return shown + times + only
}

/** Undefined for a long list of times. */
function timesText(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const pace = paceText(minutes)
  if (hours.length === 24) {
    const past = minutes.map((minute) => `:${two(minute)}`)
    return pace ?? (past.length > max_times ? undefined : `every hour at ${joined(past)}`)
  }
  const all = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`))
  const every = minutes.length === 1 && hours.length > 3 ? 'every hour' : pace
  const is_in_a_row = hours.at(-1)! - hours[0]! < hours.length
  if (every !== undefined && is_in_a_row) return `${every} from ${all[0]} to ${all.at(-1)}`
  return all.length > max_times ? undefined : `at ${joined(all)}`
}

/** `every 15 minutes`, if equal steps go on from one hour into the next. */
function paceText(minutes: readonly number[]): string | undefined {
  const step = 60 / minutes.length
  if (step === 60 || minutes.some((minute, at) => minute !== at * step)) return undefined
  return step === 1 ? 'every minute' : `every ${step} minutes`
}

type Days = Pick<
  CronPattern,
  | 'day'
  | 'dayOfWeek'
  | 'lastDayOfMonth'
  | 'lastWeekday'
  | 'nearestWeekdays'
  | 'starDOM'
  | 'starDOW'
  | 'useAndLogic'
>

function daysText(days: Days): string {
  const is_any_weekday = days.dayOfWeek.every((mark) => mark === every_week)
  const is_any_date = days.day.every(Boolean)
  const weekdays = is_any_weekday ? [] : weekdayTexts(days.dayOfWeek)
  const dates = is_any_date ? [] : dateTexts(days)
  const both = [...weekdays, ...dates]
  if (days.useAndLogic && weekdays.length > 0 && dates.length > 0)
    return `${joined(weekdays)} falling on ${joined(dates)}`
  // A field that names every day without a star leaves the other without effect.
  const is_every = (is_any_weekday && !days.starDOW) || (is_any_date && !days.starDOM)
  return both.length === 0 || (is_every && !days.useAndLogic) ? every_day : joined(both)
}

/** `Mondays to Fridays`, `the first and third Monday of the month`. */
function weekdayTexts(dayOfWeek: readonly number[]): string[] {
  const marks = [...dayOfWeek.slice(1), dayOfWeek[0]!]
  const whole = valuesOf(marks.map((mark) => (mark === every_week ? 1 : 0)))
  const others = marks.flatMap((mark, at) => {
    if (mark === 0 || mark === every_week) return []
    const weeks = weeks_of_month.filter((_, bit) => mark & (1 << bit))
    return [`the ${joined(weeks)} ${week[at]!.slice(0, -1)} of the month`]
  })
  return [...rangeTexts(whole, (at) => week[at]!), ...others]
}

function dateTexts({ day, lastDayOfMonth, lastWeekday, nearestWeekdays }: Days): string[] {
  const dates = rangeTexts(valuesOf(day), nameOfDate)
  if (lastDayOfMonth) dates.push('last day')
  if (lastWeekday) dates.push('last weekday')
  const near = valuesOf(nearestWeekdays).map(nameOfDate)
  return [
    ...(dates.length > 0 ? [`the ${joined(dates)} of the month`] : []),
    ...(near.length > 0 ? [`the weekday nearest the ${joined(near)} of the month`] : []),
  ]
}

/** Three and more in a row become a range: `Mondays to Fridays and Sundays`. */
function rangeTexts(values: readonly number[], nameOf: (value: number) => string): string[] {
  const starts = values.filter((value, at) => value - 1 !== values[at - 1])
  return starts.flatMap((first) => {
    let last = first
    while (values.includes(last + 1)) last++
    if (last > first + 1) return `${nameOf(first)} to ${nameOf(last)}`
    return last === first ? nameOf(first) : [nameOf(first), nameOf(last)]
  })
}

function valuesOf(field: readonly number[]): number[] {
  return field.flatMap((on, value) => (on ? [value] : []))
}

function nameOfMonth(month: number): string {
  return year[month]!
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** `day`: from 0, as croner counts. */
function nameOfDate(day: number): string {
  return `${day + 1}${endings[ordinals.select(day + 1)] ?? 'th'}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function joined(texts: readonly string[]): string {
  const last = texts.at(-1) ?? ''
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`
}
