import { Cron, CronPattern } from 'croner'
import { day_ms, isZone, minute_ms, zoneOffset_ms } from './time.ts'

/**
 * The times of a cron expression in a zone, as Unix milliseconds. What happens on the two days of the year on which the clocks
 * are changed depends on the hour field:
 *
 * - It names hours (`0 8 * * *`, `30 2,14 * * *`, also with steps: `0 8-18/2 * * *`): each named time comes once on each day.
 *   One that the clocks jump over comes at the end of the jump, several of them together as one; of two that look the same
 *   the first counts. A day that a zone leaves out (Apia, 30 December 2011) has no times.
 * - It lets every hour pass (`* * * * *`, `30 * * * *`): the schedule follows the time that really goes by. The repeated
 *   hour is another hour and has its times again; an hour that is jumped over did not happen and has none.
 */
export interface CronTimes {
  /** The first time later than this; undefined when there is none before the year 3000. */
  next(after_ms: number): number | undefined
  /** The last time earlier than this. */
  previous(before_ms: number): number | undefined
  /** Times in (after_ms, through_ms], oldest first, `most` of them at the most. */
  between(after_ms: number, through_ms: number, most: number): number[]
}

/** Five fields, see cronFault; throws (TypeError, RangeError) where that finds a fault. */
export function cronTimes(cron: string, timezone: string): CronTimes {
  const { times, every_hour } = expand(cron)
  const { next, previous } = every_hour ? passingHours(times, timezone) : namedHours(times, timezone)
  return {
    next,
    previous,
    between(after_ms, through_ms, most) {
      const found: number[] = []
      for (let at_ms = next(after_ms); at_ms !== undefined && at_ms <= through_ms; at_ms = next(at_ms)) {
        if (found.length === most) break
        found.push(at_ms)
      }
      return found
    },
  }
}

/** The fault of a schedule, as the end of a sentence about it; undefined for a valid one. */
export function cronFault(cron: string, timezone: string): string | undefined {
  if (!isZone(timezone)) return `there is no time zone ${JSON.stringify(timezone)}; write one like Europe/Berlin or UTC`
  const count = cron.split(/\s+/).filter(Boolean).length
  if (count !== 5) {
    return `a cron expression has five fields (minute, hour, day of month, month, day of week), ${JSON.stringify(cron)} has ${count}`
  }
  let times: CronTimes
  try {
    times = cronTimes(cron, timezone)
  } catch (error) {
    const reason = String((error as Error).message).replace(/^CronPattern: /, '')
    return `${JSON.stringify(cron)} is no cron expression: ${reason}`
  }
  return times.next(reference_ms) === undefined ? `${JSON.stringify(cron)} never comes true` : undefined
}

/** The calendar repeats itself after 400 years: what comes true at all does so after any day. */
const reference_ms = Date.UTC(2026, 0, 1)

/** The minutes and the hours written as lists: for croner a step makes an expression one that does not name its times. */
function expand(cron: string): { times: string; every_hour: boolean } {
  const { minute, hour } = new CronPattern(cron, undefined, { mode: '5-part' })
  const every_hour = hour.every(Boolean)
  const [, , ...days] = cron.trim().split(/\s+/)
  return { times: [listOf(minute), every_hour ? '*' : listOf(hour), ...days].join(' '), every_hour }
}

function listOf(field: readonly number[]): string {
  return field.flatMap((on, value) => (on ? [value] : [])).join(',')
}

type Walk = Pick<CronTimes, 'next' | 'previous'>

/** croner in the zone: with `*` for hours it gives both passes of a repeated hour their times, and a missing hour none. */
function passingHours(times: string, timezone: string): Walk {
  const cron = new Cron(times, { timezone, mode: '5-part' })
  return {
    next: (after_ms) => cron.nextRun(new Date(after_ms))?.getTime(),
    previous: (before_ms) => cron.previousRuns(1, new Date(before_ms))[0]?.getTime(),
  }
}

/**
 * croner counts in what the clock on the wall shows, as if that were UTC; each such time comes when the clock shows it, or
 * something later, for the first time. (croner's own rule for zones loses a time in a jump over midnight: 23:30 in Nuuk on the
 * last Saturday of March.)
 */
function namedHours(times: string, zone: string): Walk {
  const wall = passingHours(times, 'UTC')
  function firstThatComes(from_wall_ms: number | undefined, further: Walk['next']): number | undefined {
    for (let wall_ms = from_wall_ms; wall_ms !== undefined; wall_ms = further(wall_ms)) {
      const at_ms = firstShown_ms(wall_ms, zone)
      if (at_ms !== undefined) return at_ms
    }
    return undefined
  }
  return {
    next: (after_ms) => firstThatComes(wall.next(latestShown_ms(after_ms, zone)), wall.next),
    previous: (before_ms) => firstThatComes(wall.previous(latestShown_ms(before_ms - 1, zone) + 1), wall.previous),
  }
}

/** The latest that the clocks have shown up to that moment: more than they show now while an hour is repeated. */
function latestShown_ms(at_ms: number, zone: string): number {
  const now_offset_ms = zoneOffset_ms(at_ms, zone)
  const old_offset_ms = zoneOffset_ms(at_ms - day_ms, zone)
  const shown_ms = at_ms + now_offset_ms
  if (old_offset_ms <= now_offset_ms) return shown_ms
  return Math.max(shown_ms, changeBetween_ms(at_ms - day_ms, at_ms, zone) + old_offset_ms - 1)
}

/** When the clocks first show this or something later; undefined on a day that is left out. */
function firstShown_ms(wall_ms: number, zone: string): number | undefined {
  const old_offset_ms = zoneOffset_ms(wall_ms - day_ms, zone)
  const new_offset_ms = zoneOffset_ms(wall_ms + day_ms, zone)
  const by_old_ms = wall_ms - old_offset_ms
  if (old_offset_ms === new_offset_ms) return by_old_ms
  const change_ms = changeBetween_ms(wall_ms - day_ms, wall_ms + day_ms, zone)
  if (by_old_ms < change_ms) return by_old_ms
  const by_new_ms = wall_ms - new_offset_ms
  if (by_new_ms < change_ms && new_offset_ms - old_offset_ms >= day_ms) return undefined
  return Math.max(by_new_ms, change_ms)
}

/** The moment from which on the offset is the one at `to_ms`; clocks are changed on whole minutes. One change lies in between. */
function changeBetween_ms(from_ms: number, to_ms: number, zone: string): number {
  const new_offset_ms = zoneOffset_ms(to_ms, zone)
  let before = Math.floor(from_ms / minute_ms)
  let since = Math.ceil(to_ms / minute_ms)
  while (since - before > 1) {
    const middle = Math.floor((before + since) / 2)
    if (zoneOffset_ms(middle * minute_ms, zone) === new_offset_ms) since = middle
    else before = middle
  }
  return since * minute_ms
}
