import { createRequire } from 'node:module'
import { Cron, CronPattern } from 'croner'
import { day_ms, isZone, minute_ms, zoneOffset_ms } from './time.ts'

/**
 * The times of a cron expression in a zone, Unix ms. If it names hours (`0 8 * * *`), each time
 * comes once a day. Times that the clocks skip come right after the skip, several of them as one.
 * Of a repeated time, only the first counts. A skipped day (Apia, 30 December 2011) has no times.
 * If it allows every hour (`30 * * * *`), the schedule follows elapsed time: a repeated hour has
 * its times twice, and a skipped hour has none.
 */
export interface CronTimes {
  /** The first time after this; undefined if none comes before the year 3000. */
  next(after_ms: number): number | undefined
  /** The last time before this; undefined if there is none. */
  previous(before_ms: number): number | undefined
  /** Times in (after_ms, through_ms], oldest first, at most `max` of them. */
  between(after_ms: number, through_ms: number, max: number): number[]
}

export type { CronPattern }

/** The schedule must have passed `cronFault`. For others, this or the methods may throw. */
export function cronTimes(cron: string, timezone: string): CronTimes {
  const { times, every_hour } = expand(cron)
  const { next, previous } = every_hour
    ? passingHours(times, timezone)
    : namedHours(times, timezone)
  return {
    next,
    previous,
    between(after_ms, through_ms, max) {
      const found: number[] = []
      for (
        let at_ms = next(after_ms);
        at_ms !== undefined && at_ms <= through_ms;
        at_ms = next(at_ms)
      ) {
        if (found.length === max) break
        found.push(at_ms)
      }
      return found
    },
  }
}

const cron_parts = 'each field is *, a number, a list (1,3), a range (1-5) or a step (*/5)'

/** The fault of a schedule, as the end of a sentence about it; undefined for a valid one. */
export function cronFault(cron: string, timezone: string): string | undefined {
  if (!isZone(timezone))
    return `there is no time zone ${JSON.stringify(timezone)}; write one like Europe/Berlin or UTC`
  const count = cron.split(/\s+/).filter(Boolean).length
  if (count !== 5 && !nickname.test(cron)) {
    return `a cron expression has five fields (minute, hour, day of month, month, day of week), ${JSON.stringify(cron)} has ${count}`
  }
  let times: CronTimes
  try {
    times = cronTimes(cron, timezone)
  } catch (error) {
    // Other messages of croner are about its parts.
    const reason = /Invalid value for .*/.exec(String((error as Error).message))?.[0] ?? cron_parts
    return `${JSON.stringify(cron)} is no cron expression: ${reason}`
  }
  return times.next(reference_ms) === undefined
    ? `${JSON.stringify(cron)} never comes true`
    : undefined
}

/** The calendar repeats every 400 years, so any date shows whether a schedule ever comes true. */
const reference_ms = Date.UTC(2026, 0, 1)

/** The names of croner for whole expressions; `@reboot` is none, because it names no time. */
const nickname = /^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly)\s*$/i

/** The values of each field, as croner reads them. It throws if the expression is none. */
export function parsedCron(cron: string): CronPattern {
  return new CronPattern(cron, undefined, { mode: '5-part' })
}

/** Rewrites steps as lists: croner treats a field with a step as one without named times. */
function expand(cron: string): { times: string; every_hour: boolean } {
  const { minute, hour, pattern } = parsedCron(cron)
  const every_hour = hour.every(Boolean)
  const [, , ...days] = pattern.trim().split(/\s+/)
  return { times: [listOf(minute), every_hour ? '*' : listOf(hour), ...days].join(' '), every_hour }
}

function listOf(field: readonly number[]): string {
  return field.flatMap((on, value) => (on ? [value] : [])).join(',')
}

type Walk = Pick<CronTimes, 'next' | 'previous'>

/** croner in the zone. With `*` for hours, repeated hours count twice, skipped ones not at all. */
function passingHours(times: string, timezone: string): Walk {
  const cron = new Cron(times, { timezone, mode: '5-part' })
  return {
    next: (after_ms) => cron.nextRun(new Date(after_ms))?.getTime(),
    previous: (before_ms) => cron.previousRuns(1, new Date(before_ms))[0]?.getTime(),
  }
}

/**
 * croner counts in wall-clock time as if that were UTC. Its own rule for zones loses a time when
 * clocks jump over midnight: 23:30 in Nuuk on the last Saturday of March.
 */
function namedHours(times: string, zone: string): Walk {
  const wall = passingHours(times, 'UTC')
  function firstThatComes(
    from_wall_ms: number | undefined,
    further: Walk['next'],
  ): number | undefined {
    for (let wall_ms = from_wall_ms; wall_ms !== undefined; wall_ms = further(wall_ms)) {
      const at_ms = firstShown_ms(wall_ms, zone)
      if (at_ms !== undefined) return at_ms
    }
    return undefined
  }
  return {
    next: (after_ms) => firstThatComes(wall.next(latestShown_ms(after_ms, zone)), wall.next),
    previous: (before_ms) =>
      firstThatComes(wall.previous(latestShown_ms(before_ms - 1, zone) + 1), wall.previous),
  }
}

/** The latest wall-clock time shown so far. In a repeated hour it is later than the current one. */
function latestShown_ms(at_ms: number, zone: string): number {
  const now_offset_ms = zoneOffset_ms(at_ms, zone)
  const old_offset_ms = zoneOffset_ms(at_ms - day_ms, zone)
  const shown_ms = at_ms + now_offset_ms
  if (old_offset_ms <= now_offset_ms) return shown_ms
  return Math.max(shown_ms, changeBetween_ms(at_ms - day_ms, at_ms, zone) + old_offset_ms - 1)
}

/** When the clocks first show this time or a later one; undefined on a skipped day. */
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

/** Start of the offset that holds at `to_ms`. One change lies in between, on a whole minute. */
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

/**
 * Calls `on_time` once, when the wall clock shows this minute. If the clock is set, that may be
 * early, late or never: it is only a wake. `on_time` must not throw.
 */
export type WakeAt = (at_ms: number, on_time: () => void) => { stop(): void }

/**
 * One node-cron task for one minute of the year. A `* * * * *` task would walk through each missed
 * minute after a long sleep: 1 s after a week, 50 s after a year. node-cron cannot limit that.
 */
export const wakeAt: WakeAt = (at_ms, on_time) => {
  // Loaded only on use: a configuration without prompts needs no timer.
  const { schedule } = createRequire(import.meta.url)('node-cron') as typeof import('node-cron')
  const at = new Date(at_ms)
  const minute = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
  const task = schedule(minute, end, { timezone: 'UTC', suppressMissedWarning: true })
  task.on('execution:missed', end)
  function end(): void {
    // After a jump over years, one task reports several missed minutes.
    if (task.getStatus() === 'destroyed') return
    void task.destroy()
    on_time()
  }
  return { stop: () => void task.destroy() }
}
