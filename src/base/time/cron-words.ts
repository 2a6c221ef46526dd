import { parsedCron } from './cron.ts'

/** A longer list of times is no easier to read than the expression. */
const max_times = 12
/** croner's mark of a weekday in every week of a month. */
const every_week = 63
const week = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const months_text =
  'January February March April May June July August September October November December'
const year = months_text.split(' ')

/**
 * A cron expression in words, as croner reads it. With a weekday and a day of the month, either one
 * is enough. An expression without a short text stays as it is.
 */
export function cronWords(cron: string): string {
  const { minute, hour, month, ...days } = parsedCron(cron)
  const times = timesText(valuesOf(minute), valuesOf(hour))
  const of_days = daysText(days)
  if (times === undefined || of_days === undefined)
    return `by the cron expression ${cron.trim().replace(/\s+/g, ' ')}`
  const months = valuesOf(month)
  const only = months.length === year.length ? '' : `, only in ${rangesText(months, nameOfMonth)}`
  const shown = of_days === 'every day' && times.startsWith('every') ? '' : ` ${of_days}`
  return times + shown + only
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

/** Undefined for days that depend on the week or the length of the month. */
function daysText(
  days: Omit<ReturnType<typeof parsedCron>, 'minute' | 'hour' | 'month'>,
): string | undefined {
  const { day, dayOfWeek, nearestWeekdays, starDOM, starDOW } = days
  const is_special = days.lastDayOfMonth || days.lastWeekday || days.useAndLogic
  const is_of_weeks = dayOfWeek.some((mark) => mark > 0 && mark !== every_week)
  if (is_special || is_of_weeks || nearestWeekdays.some(Boolean)) return undefined
  const weekdays = valuesOf([...dayOfWeek.slice(1), dayOfWeek[0]!])
  const dates = valuesOf(day)
  const is_any_weekday = weekdays.length === week.length
  const is_any_date = dates.length === day.length
  // A field that names every day without a star leaves the other without effect.
  if ((is_any_weekday && !starDOW) || (is_any_date && !starDOM)) return 'every day'
  const texts = [
    ...(is_any_weekday ? [] : [`on ${rangesText(weekdays, (at) => week[at]!)}`]),
    ...(is_any_date ? [] : [`on the ${rangesText(dates, nameOfDate)} of the month`]),
  ]
  return texts.length === 0 ? 'every day' : joined(texts)
}

/** Three and more in a row become a range: `Mondays to Fridays and Sundays`. */
function rangesText(values: readonly number[], nameOf: (value: number) => string): string {
  const starts = values.filter((value, at) => value - 1 !== values[at - 1])
  return joined(
    starts.flatMap((first) => {
      let last = first
      while (values.includes(last + 1)) last++
      if (last > first + 1) return `${nameOf(first)} to ${nameOf(last)}`
      return last === first ? nameOf(first) : [nameOf(first), nameOf(last)]
    }),
  )
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
