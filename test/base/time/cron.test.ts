import { Cron } from 'croner'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cronFault, cronTimes, wakeAt } from '../../../src/base/time/cron.ts'
import {
  day_ms,
  hour_ms,
  localDate,
  localTime,
  minute_ms,
  zoneOffset_ms,
} from '../../../src/base/time/time.ts'

/** Days on which clocks are changed, by all kinds of rules. */
const changes: readonly [zone: string, day: string][] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['Asia/Tehran', '2021-03-22'],
  ['Asia/Tehran', '2021-09-22'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Africa/Casablanca', '2026-03-22'],
  ['America/Nuuk', '2026-03-29'],
  ['America/Nuuk', '2026-10-25'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Antarctica/Troll', '2026-10-25'],
  ['Pacific/Apia', '2011-12-30'],
  ['UTC', '2026-03-29'],
]

const change_days = fc.constantFrom(...changes)
const minutes = fc.oneof(
  fc.nat({ max: 59 }).map(String),
  fc.constantFrom('*', '*/15', '*/7', '0,30', '10-20', '5,59'),
)
const named_hours = fc.oneof(
  fc.nat({ max: 23 }).map(String),
  fc.constantFrom('2', '0', '23', '*/2', '2,14', '1-4', '8-18/2', '0,1,2,3'),
)

const offsets = new Map<string, number>()

function wall(at_ms: number, zone: string): number {
  const key = `${zone} ${at_ms}`
  const offset_ms = offsets.get(key) ?? zoneOffset_ms(at_ms, zone)
  offsets.set(key, offset_ms)
  return at_ms + offset_ms
}

/**
 * The rule, checked minute by minute: each local time counts when it is first shown or jumped over.
 */
function expectedTimes(cron: string, zone: string, from_ms: number, through_ms: number): number[] {
  const pattern = new Cron(cron, { timezone: 'UTC', mode: '5-part' })
  const every_hour = cron.split(' ')[1] === '*'
  const start_ms = from_ms - 0.2 * day_ms
  const found = new Set<number>()
  let latest_ms = wall(start_ms, zone)
  for (let at_ms = start_ms + minute_ms; at_ms <= through_ms; at_ms += minute_ms) {
    const wall_ms = wall(at_ms, zone)
    const left_out = wall_ms - latest_ms > day_ms
    const first_ms = every_hour || left_out ? wall_ms : latest_ms + minute_ms
    for (let shown_ms = first_ms; at_ms > from_ms && shown_ms <= wall_ms; shown_ms += minute_ms) {
      if (pattern.match(new Date(shown_ms))) found.add(at_ms)
    }
    latest_ms = Math.max(latest_ms, wall_ms)
  }
  return [...found]
}

function backwards(cron: string, zone: string, after_ms: number, through_ms: number): number[] {
  const times = cronTimes(cron, zone)
  const found: number[] = []
  for (
    let at_ms = times.previous(through_ms + 1);
    at_ms! > after_ms;
    at_ms = times.previous(at_ms!)
  )
    found.push(at_ms!)
  return found.reverse()
}

const shown = (times: readonly number[], zone: string) =>
  times.map((at_ms) => localTime(at_ms, zone))

function timesOf(cron: string, zone: string, day: string): string[] {
  const from_ms = Date.parse(day) - zoneOffset_ms(Date.parse(day), zone)
  const times = cronTimes(cron, zone).between(
    from_ms - 3 * hour_ms,
    from_ms + day_ms + 3 * hour_ms,
    2_000,
  )
  return shown(times, zone).filter((text) => text.startsWith(day))
}

describe('on the days on which the clocks are changed', () => {
  test.each(['named', 'every'])(
    '%s hours: the rule, forwards and backwards, whatever the expression',
    (kind) => {
      fc.assert(
        fc.property(
          change_days,
          minutes,
          kind === 'named' ? named_hours : fc.constant('*'),
          ([zone, day], minute, hour) => {
            const cron = `${minute} ${hour} * * *`
            const from_ms = Date.parse(day) - day_ms
            const through_ms = from_ms + 2.5 * day_ms
            const expected = shown(expectedTimes(cron, zone, from_ms, through_ms), zone)
            expect(shown(cronTimes(cron, zone).between(from_ms, through_ms, 10_000), zone)).toEqual(
              expected,
            )
            expect(shown(backwards(cron, zone, from_ms, through_ms), zone)).toEqual(expected)
          },
        ),
        { numRuns: kind === 'named' ? 12 : 6 },
      )
    },
  )

  test('a daily time comes once on each day, at its time or at the end of the jump over it', () => {
    fc.assert(
      fc.property(change_days, fc.nat({ max: 1439 }), ([zone, day], minute) => {
        const clock = `${Math.floor(minute / 60)}:${minute % 60}`.replace(/\b\d\b/g, '0$&')
        const clockAt = (at_ms: number) => localTime(at_ms, zone).slice(11, 16)
        const from_ms = Date.parse(day) - 3 * day_ms
        const every_hour = Array.from({ length: 6 * 24 }, (_, index) => from_ms + index * hour_ms)
        const days = [...new Set(every_hour.map((at_ms) => localDate(at_ms, zone)))].slice(1, -1)

        const times = cronTimes(`${minute % 60} ${Math.floor(minute / 60)} * * *`, zone)
        const its_days = times.between(from_ms, from_ms + 6 * day_ms, 99).map((at_ms) => {
          if (clockAt(at_ms) === clock) return localDate(at_ms, zone)
          const jump_ms = zoneOffset_ms(at_ms, zone) - zoneOffset_ms(at_ms - 1, zone)
          expect(jump_ms, `${localTime(at_ms, zone)} is not where a jump ends`).toBeGreaterThan(0)
          return localDate(clockAt(at_ms - 1) < clock ? at_ms - 1 : at_ms, zone)
        })
        expect(its_days.filter((its_day) => days.includes(its_day))).toEqual(days)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T03:00+02:00']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T02:30+02:00']],
    ['*/15 2 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T03:00+02:00']],
    ['0 2,3 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T03:00+02:00']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-04', ['2026-10-04T02:30+11:00']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05', ['2026-04-05T01:45+11:00']],
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-04', ['2018-11-04T01:00-02:00']],
    ['0 8 * * *', 'Pacific/Apia', '2011-12-30', []],
    ['0 8 * * *', 'Pacific/Apia', '2011-12-31', ['2011-12-31T08:00+14:00']],
    // The clocks jump over midnight: 23:30 of the 28th comes as the 29th begins.
    [
      '30 23 * * *',
      'America/Nuuk',
      '2026-03-29',
      ['2026-03-29T00:00-01:00', '2026-03-29T23:30-01:00'],
    ],
  ])('%s in %s on %s', (cron, zone, day, expected) => {
    expect(timesOf(cron, zone, day)).toEqual(expected)
  })

  test('an hourly expression follows the hours that really pass', () => {
    const spring = timesOf('30 * * * *', 'Europe/Berlin', '2026-03-29')
    expect(spring).toHaveLength(23)
    expect(spring.slice(1, 3)).toEqual(['2026-03-29T01:30+01:00', '2026-03-29T03:30+02:00'])
    const autumn = timesOf('30 * * * *', 'Europe/Berlin', '2026-10-25')
    expect(autumn).toHaveLength(25)
    expect(autumn.slice(2, 4)).toEqual(['2026-10-25T02:30+02:00', '2026-10-25T02:30+01:00'])
    expect(timesOf('30 0-23 * * *', 'Europe/Berlin', '2026-10-25')).toEqual(autumn)
  })
})

describe('times that are rare or close together', () => {
  const times = cronTimes('0 0 29 2 *', 'Europe/Berlin')

  test('finds a time that comes every four years', () => {
    expect(localTime(times.next(Date.UTC(2026, 0, 1))!, 'Europe/Berlin')).toBe(
      '2028-02-29T00:00+01:00',
    )
    expect(localTime(times.previous(Date.UTC(2026, 0, 1))!, 'Europe/Berlin')).toBe(
      '2024-02-29T00:00+01:00',
    )
  })

  test('a time is neither before nor after itself, and belongs to the range that ends with it', () => {
    const at_ms = times.next(Date.UTC(2026, 0, 1))!
    expect(times.next(at_ms - 1)).toBe(at_ms)
    expect(times.previous(at_ms + 1)).toBe(at_ms)
    expect(times.next(at_ms)).toBeGreaterThan(at_ms)
    expect(times.previous(at_ms)).toBeLessThan(at_ms)
    expect(times.between(at_ms - 1, at_ms, 5)).toEqual([at_ms])
    expect(times.between(at_ms, at_ms + day_ms, 5)).toEqual([])
  })

  test('returns at most the requested number of times of a range, oldest first', () => {
    const minutely = cronTimes('* * * * *', 'UTC')
    expect(minutely.between(0, 365 * day_ms, 2)).toEqual([minute_ms, 2 * minute_ms])
  })
})

describe('cronFault', () => {
  test.each([
    ['0 8 * * 1', 'Europe/Berlin'],
    ['*/5 8-18 * * MON-FRI', 'America/New_York'],
    ['0 0 29 2 *', 'UTC'],
    ['0 0 L * *', 'UTC'],
    // As in cron, the weekday or the day of the month has to fit: Mondays are enough.
    ['0 8 31 2 1', 'UTC'],
  ])('%s in %s is in order', (cron, zone) => {
    expect(cronFault(cron, zone)).toBeUndefined()
  })

  test.each([
    ['0 8 * * *', 'Europe/Berln', 'there is no time zone "Europe/Berln"'],
    ['0 8 * * *', '+01:00', 'there is no time zone "+01:00"'],
    ['0 8 * * *', '', 'there is no time zone ""'],
    [
      '0 0 8 * * *',
      'UTC',
      'has five fields (minute, hour, day of month, month, day of week), "0 0 8 * * *" has 6',
    ],
    ['@reboot', 'UTC', '"@reboot" has 1'],
    ['', 'UTC', '"" has 0'],
    ['60 8 * * *', 'UTC', '"60 8 * * *" is no cron expression: Invalid value for minute: 60'],
    ['0 8 * * FRY', 'UTC', 'is no cron expression: '],
    ['0 0 31 2 *', 'UTC', '"0 0 31 2 *" never comes true'],
  ])('%s in %s is a fault', (cron, zone, fault) => {
    expect(cronFault(cron, zone)).toContain(fault)
  })
})

describe('a wake by cron', () => {
  const start_ms = Date.UTC(2026, 1, 28, 23, 58, 30)
  afterEach(() => {
    vi.useRealTimers()
  })

  /** One wake a minute, each at the time that `next` gives for now. */
  function wakesFrom(now_ms: number) {
    vi.useFakeTimers({ now: now_ms, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const woken: string[] = []
    const { next } = cronTimes('* * * * *', 'Europe/Berlin')
    let last = arm()
    function arm() {
      return wakeAt(next(Date.now())!, () => {
        woken.push(new Date().toISOString().slice(11, 19))
        last = arm()
      })
    }
    return { woken, stop: () => last.stop() }
  }

  test('comes at the beginning of its minute and leaves no timer when stopped', async () => {
    const { woken, stop } = wakesFrom(start_ms)
    await vi.advanceTimersByTimeAsync(3 * minute_ms)
    expect(woken).toEqual(['23:59:00', '00:00:00', '00:01:00'])
    stop()
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(3 * minute_ms)
    expect(woken).toHaveLength(3)
  })

  test('notices a jump of years within a minute, without a step for each of them', async () => {
    const { woken, stop } = wakesFrom(start_ms)
    vi.setSystemTime(start_ms + 30 * 365 * day_ms)
    const began = performance.now()
    await vi.advanceTimersByTimeAsync(minute_ms)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(woken.length).toBeGreaterThan(0)
    const before = woken.length
    await vi.advanceTimersByTimeAsync(2 * minute_ms)
    expect(woken.length).toBe(before + 2)
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('comes once, months later, and in the hour that the clocks repeat', async () => {
    vi.useFakeTimers({ now: start_ms, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { next } = cronTimes('30 * 25 10 *', 'Europe/Berlin')
    const second_pass_ms = Date.UTC(2026, 9, 25, 1, 30)
    expect(next(second_pass_ms - hour_ms)).toBe(second_pass_ms)
    const woken: number[] = []
    wakeAt(second_pass_ms, () => woken.push(Date.now()))
    await vi.advanceTimersByTimeAsync(second_pass_ms - start_ms - 1)
    expect(woken).toEqual([])
    await vi.advanceTimersByTimeAsync(2 * 366 * day_ms)
    expect(woken).toEqual([second_pass_ms])
    expect(vi.getTimerCount()).toBe(0)
  })
})
