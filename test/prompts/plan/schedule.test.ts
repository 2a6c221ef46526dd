import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cronTimes } from '../../../src/base/time/cron.ts'
import { day_ms, hour_ms, localTime, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { nextTimes, whatIsDue } from '../../../src/prompts/plan/schedule.ts'
import type { PromptSettings } from '../../../src/prompts/prompt-settings.ts'

const zone = 'Europe/Berlin'
const at = (text: string) => Date.parse(text)
/** A Monday. */
const due_ms = at('2026-11-23T08:00+01:00')

type Prompt = Pick<PromptSettings, 'name' | 'schedule' | 'catch_up_ms' | 'overlap'>
interface Given {
  cron?: string
  checked_ms?: number
  now_ms: number
  overlap?: Prompt['overlap']
  catch_up_ms?: number
  open?: readonly number[]
}

function ask(given: Given) {
  const {
    cron = '0 8 * * *',
    checked_ms = due_ms - hour_ms,
    now_ms,
    overlap = 'skip',
    catch_up_ms = 6 * hour_ms,
  } = given
  const prompt: Prompt = {
    name: 'digest',
    schedule: { cron, timezone: zone },
    catch_up_ms,
    overlap,
  }
  const open_runs = (given.open ?? []).map((open_ms, run) => ({
    run,
    due_ms: open_ms,
    state: 'asked' as const,
  }))
  return whatIsDue({
    prompt,
    times: cronTimes(cron, zone),
    state: { checked_ms, open_runs },
    now_ms,
  })
}

/** A recorded fact as `schedule 2026-11-23T08:00+01:00`, without its messages. */
type ScheduleFact = ReturnType<typeof whatIsDue>['facts'][number]

function brief(fact: ScheduleFact): string {
  if (fact.type === 'schedule_reset') return `reset ${localTime(fact.checked_ms, zone)}`
  return `${fact.type === 'run_due' ? fact.cause : 'passed over'} ${localTime(fact.due_ms, zone)}`
}
const recorded = (given: Given) => ask(given).facts.map(brief)
const words = (given: Given) =>
  ask(given).facts.map((fact) => (fact.type === 'run_passed_over' ? fact.why : ''))

describe('one due time', () => {
  test('is not due before it, and due from its first millisecond on', () => {
    expect(ask({ now_ms: due_ms - 1 })).toEqual({ facts: [], next_ms: due_ms })
    expect(ask({ now_ms: due_ms })).toEqual({
      facts: [{ type: 'run_due', prompt: 'digest', due_ms, cause: 'schedule' }],
      next_ms: due_ms + day_ms,
    })
  })

  test('is due once: a time that was checked is not checked again', () => {
    expect(ask({ checked_ms: due_ms, now_ms: due_ms + second_ms }).facts).toEqual([])
  })

  test.each([
    [2 * minute_ms, 'schedule'],
    [2 * minute_ms + 1, 'catch_up'],
    [6 * hour_ms, 'catch_up'],
    [6 * hour_ms + 1, 'passed over'],
  ])('%d ms late is %s', (late_ms, what) => {
    expect(recorded({ now_ms: due_ms + late_ms })).toEqual([`${what} 2026-11-23T08:00+01:00`])
  })

  test('without catch-up, a time is still on time a minute later', () => {
    expect(recorded({ now_ms: due_ms + minute_ms, catch_up_ms: 0 })).toEqual([
      'schedule 2026-11-23T08:00+01:00',
    ])
    expect(recorded({ now_ms: due_ms + 3 * minute_ms, catch_up_ms: 0 })).toEqual([
      'passed over 2026-11-23T08:00+01:00',
    ])
  })

  test('a run that is too late says when, how late, and which limit applies', () => {
    expect(words({ now_ms: due_ms + 7 * hour_ms })).toEqual([
      'the daemon was not running at 2026-11-23T08:00+01:00, or the machine slept: it is 7 h late, more than catch_up allows (6 h)',
    ])
  })
})

describe('several due times', () => {
  test('a week of sleep: the run catches up on the latest time, and one note counts the others', () => {
    const week = { checked_ms: due_ms - 7 * day_ms, now_ms: due_ms + hour_ms }
    expect(recorded(week)).toEqual([
      'passed over 2026-11-22T08:00+01:00',
      'catch_up 2026-11-23T08:00+01:00',
    ])
    expect(words(week)[0]).toMatch(/^the last of 6 missed while /)
  })

  test('after a week that ends outside the window no run catches up', () => {
    const week = { checked_ms: due_ms - 7 * day_ms, now_ms: due_ms + 7 * hour_ms }
    expect(recorded(week)).toEqual([
      'passed over 2026-11-22T08:00+01:00',
      'passed over 2026-11-23T08:00+01:00',
    ])
  })

  test('years of minutes make two facts, without counting one by one', () => {
    const years = { cron: '* * * * *', checked_ms: due_ms - 3_000 * day_ms, now_ms: due_ms }
    expect(recorded(years)).toEqual([
      'passed over 2026-11-23T07:59+01:00',
      'schedule 2026-11-23T08:00+01:00',
    ])
    expect(words(years)[0]).toMatch(/^the last of 1,000 or more missed /)
  })

  test('one earlier time is not shown as a list', () => {
    expect(words({ checked_ms: due_ms - day_ms - 1, now_ms: due_ms })[0]).toMatch(/^missed while /)
  })
})

describe('a run that has not ended', () => {
  const open_ms = due_ms - day_ms

  test('skip: the time is skipped, and the note names the earlier run', () => {
    const skip = { now_ms: due_ms, open: [open_ms] }
    expect(recorded(skip)).toEqual(['passed over 2026-11-23T08:00+01:00'])
    const named = ['the run of 2026-11-22T08:00+01:00 had not ended (overlap: skip)']
    expect(words(skip)).toEqual(named)
    const by_hand_ms = open_ms + 12_345
    expect(words({ ...skip, open: [by_hand_ms] })).toEqual(named)
  })

  test('queue: one run waits, but no second one', () => {
    const queue = { now_ms: due_ms, overlap: 'queue' as const }
    expect(recorded({ ...queue, open: [open_ms] })).toEqual(['schedule 2026-11-23T08:00+01:00'])
    const two = { ...queue, open: [open_ms - day_ms, open_ms] }
    expect(recorded(two)).toEqual(['passed over 2026-11-23T08:00+01:00'])
    expect(words(two)[0]).toContain('the run of 2026-11-22T08:00+01:00 was already waiting')
  })
})

describe('a changed clock', () => {
  test('an hour back repeats nothing, and the next time is the one after', () => {
    expect(ask({ checked_ms: due_ms, now_ms: due_ms - hour_ms + minute_ms })).toEqual({
      facts: [],
      next_ms: due_ms + day_ms,
    })
  })

  test('far back: due times count from now on', () => {
    expect(ask({ checked_ms: due_ms + day_ms, now_ms: due_ms - 1 })).toEqual({
      facts: [{ type: 'schedule_reset', prompt: 'digest', checked_ms: due_ms - 1 }],
      next_ms: due_ms,
    })
    expect(recorded({ checked_ms: due_ms + day_ms, now_ms: due_ms })).toEqual([])
  })
})

/** Applies the facts like the ledger: rows by due time, and checked_ms. */
function keep(
  rows: Map<number, string>,
  state: { checked_ms: number },
  facts: readonly ScheduleFact[],
): void {
  for (const fact of facts) {
    if (fact.type !== 'schedule_reset' && !rows.has(fact.due_ms)) rows.set(fact.due_ms, brief(fact))
    state.checked_ms =
      fact.type === 'schedule_reset' ? fact.checked_ms : Math.max(state.checked_ms, fact.due_ms)
  }
}

test('property: with any clock, a time runs at most once, and a time that one check leaves open is not closed later', () => {
  const moves = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 90 }).map((minutes) => minutes * minute_ms),
      fc.integer({ min: 1, max: 20 }).map((hours) => hours * hour_ms),
      fc.integer({ min: 1, max: 23 }).map((hours) => -hours * hour_ms),
      fc.constantFrom(7 * day_ms, -40 * day_ms),
    ),
    { minLength: 1, maxLength: 12 },
  )
  // The last Sundays of October and March are in range.
  const starts = fc.constantFrom(at('2026-10-24T12:00Z'), at('2026-03-28T12:00Z'))
  const crons = fc.constantFrom('30 2 * * *', '0 8 * * *', '15 * * * *', '*/20 1-3 * * *')
  fc.assert(
    fc.property(starts, crons, moves, (start_ms, cron, all) => {
      const rows = new Map<number, string>()
      const state = { checked_ms: start_ms }
      const runs: number[] = []
      let now_ms = start_ms
      for (const move_ms of all) {
        now_ms += move_ms
        const before_ms = state.checked_ms
        const { facts, next_ms } = ask({ cron, checked_ms: before_ms, now_ms })
        expect(facts.length).toBeLessThanOrEqual(2)
        for (const fact of facts) {
          if (fact.type === 'schedule_reset') continue
          expect(cronTimes(cron, zone).previous(fact.due_ms + 1), 'is a time of the schedule').toBe(
            fact.due_ms,
          )
          expect(fact.due_ms).toBeGreaterThan(before_ms)
          expect(fact.due_ms).toBeLessThanOrEqual(now_ms)
          if (fact.type === 'run_due' && !rows.has(fact.due_ms)) runs.push(fact.due_ms)
        }
        keep(rows, state, facts)
        expect(
          ask({ cron, checked_ms: state.checked_ms, now_ms }).facts,
          'a second look finds nothing',
        ).toEqual([])
        expect(next_ms).toBeGreaterThan(now_ms)
      }
      expect(new Set(runs).size).toBe(runs.length)
    }),
    { numRuns: 25 },
  )
})

test('property: with a check every five minutes, each day of a time change has its one run, on time', () => {
  for (const [start, expected] of [
    [
      '2026-03-28T00:00+01:00',
      ['2026-03-28T02:30+01:00', '2026-03-29T03:00+02:00', '2026-03-30T02:30+02:00'],
    ],
    [
      '2026-10-24T00:00+02:00',
      ['2026-10-24T02:30+02:00', '2026-10-25T02:30+02:00', '2026-10-26T02:30+01:00'],
    ],
  ] as const) {
    const rows = new Map<number, string>()
    const state = { checked_ms: at(start) }
    const times = cronTimes('30 2 * * *', zone)
    const prompt: Prompt = {
      name: 'digest',
      schedule: { cron: '30 2 * * *', timezone: zone },
      catch_up_ms: 0,
      overlap: 'skip',
    }
    for (let now_ms = at(start); now_ms < at(start) + 2.5 * day_ms; now_ms += 5 * minute_ms) {
      keep(
        rows,
        state,
        whatIsDue({ prompt, times, state: { ...state, open_runs: [] }, now_ms }).facts,
      )
    }
    expect([...rows.values()]).toEqual(expected.map((text) => `schedule ${text}`))
  }
})

describe('nextTimes', () => {
  test('the next five with their local text, across a time change', () => {
    const five = nextTimes({ cron: '0 8 * * 6,0', timezone: zone }, at('2026-10-20T00:00Z'))
    expect(five.map(({ text }) => text)).toEqual([
      '2026-10-24T08:00+02:00',
      '2026-10-25T08:00+01:00',
      '2026-10-31T08:00+01:00',
      '2026-11-01T08:00+01:00',
      '2026-11-07T08:00+01:00',
    ])
    expect(five.every(({ at_ms, text }) => at(text) === at_ms)).toBe(true)
  })

  test('as many as requested', () => {
    expect(
      nextTimes({ cron: '* * * * *', timezone: 'UTC' }, 0, 2).map(({ at_ms }) => at_ms),
    ).toEqual([60_000, 120_000])
  })
})
