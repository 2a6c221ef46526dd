import { formatCount, formatDuration, formatSpan } from '../../base/text/format.ts'
import { type CronTimes, cronTimes } from '../../base/time/cron.ts'
import { day_ms, localTime, minute_ms } from '../../base/time/time.ts'
import type { RunFact } from '../../domain/run.ts'
import type { PromptState } from '../../ledger/prompt-work.ts'
import type { PromptSettings, Schedule } from '../prompt-settings.ts'

/** Later runs count as late. The scheduler steps once a minute, and may be delayed. */
const on_time_ms = 2 * minute_ms

/** A clock this far behind `checked_ms` was ahead before. Smaller steps: summer time or drift. */
const set_right_ms = day_ms

/** Maximum count of missed times: counting a year of minutes would take 20 s. */
const max_counted = 1_000

type ScheduleFact = Extract<RunFact, { type: 'run_due' | 'run_passed_over' | 'schedule_reset' }>

export interface DueQuestion {
  prompt: Pick<PromptSettings, 'name' | 'schedule' | 'catch_up_ms' | 'overlap'>
  times: CronTimes
  state: Pick<PromptState, 'checked_ms' | 'open_runs'>
  now_ms: number
}

export interface DueAnswer {
  /** At most two facts, to record in one transaction. */
  facts: ScheduleFact[]
  /** Next due time; undefined if there is none. */
  next_ms: number | undefined
}

/**
 * Facts about the due times since `checked_ms`. Only the latest can become a run; one note covers
 * the others, however many. If the clock was turned back by more than a day, `checked_ms` becomes
 * now. If by less, nothing repeats: nothing is due until it shows the earlier time again.
 */
export function whatIsDue(question: DueQuestion): DueAnswer {
  const { prompt, times, state, now_ms } = question
  if (state.checked_ms > now_ms + set_right_ms) {
    const reset: ScheduleFact = { type: 'schedule_reset', prompt: prompt.name, checked_ms: now_ms }
    return { facts: [reset], next_ms: times.next(now_ms) }
  }
  const next_ms = times.next(Math.max(now_ms, state.checked_ms))
  const latest_ms = times.previous(now_ms + 1)
  if (latest_ms === undefined || latest_ms <= state.checked_ms) return { facts: [], next_ms }
  return { facts: [...earlierOnes(question, latest_ms), latestOne(question, latest_ms)], next_ms }
}

function earlierOnes({ prompt, times, state }: DueQuestion, latest_ms: number): ScheduleFact[] {
  const newest_ms = times.previous(latest_ms)
  if (newest_ms === undefined || newest_ms <= state.checked_ms) return []
  const count = times.between(state.checked_ms, newest_ms, max_counted).length
  const among =
    count < 2 ? '' : `the last of ${formatCount(count)}${count === max_counted ? ' or more' : ''} `
  const why = `${among}missed while the daemon was not running or the machine slept: only the latest missed time can be made up`
  return [{ type: 'run_passed_over', prompt: prompt.name, due_ms: newest_ms, why }]
}

function latestOne({ prompt, state, now_ms }: DueQuestion, due_ms: number): ScheduleFact {
  const { name, catch_up_ms, overlap, schedule } = prompt
  const passedOver = (why: string): ScheduleFact => ({
    type: 'run_passed_over',
    prompt: name,
    due_ms,
    why,
  })
  const late_ms = now_ms - due_ms
  const on_time = late_ms <= on_time_ms
  if (!on_time && late_ms > catch_up_ms) {
    return passedOver(
      `the daemon was not running at ${localTime(due_ms, schedule.timezone)}, or the machine slept: ` +
        `it is ${formatSpan(due_ms, now_ms)} late, more than catch_up allows (${formatDuration(catch_up_ms)})`,
    )
  }
  const allowed = overlap === 'queue' ? 1 : 0
  const in_the_way = state.open_runs.at(allowed)
  if (in_the_way) {
    // A run by hand has seconds and milliseconds.
    const its_ms = in_the_way.due_ms - (in_the_way.due_ms % minute_ms)
    const its_time = localTime(its_ms, schedule.timezone)
    return passedOver(
      overlap === 'queue'
        ? `the run of ${its_time} was already waiting (overlap: queue, which lets one run wait)`
        : `the run of ${its_time} had not ended (overlap: skip)`,
    )
  }
  return { type: 'run_due', prompt: name, due_ms, cause: on_time ? 'schedule' : 'catch_up' }
}

/** The next due times after a moment, soonest first, with local time and UTC offset as text. */
export function nextTimes(
  schedule: Schedule,
  after_ms: number,
  count = 5,
): { at_ms: number; text: string }[] {
  const found = cronTimes(schedule.cron, schedule.timezone).between(
    after_ms,
    Number.POSITIVE_INFINITY,
    count,
  )
  return found.map((at_ms) => ({ at_ms, text: localTime(at_ms, schedule.timezone) }))
}
