import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { AuditState } from '../../../src/ledger/audit-work.ts'
import { assets_a_page } from '../../../src/remote/assets.ts'
import { pauseAfterTurn_ms, reads_a_turn } from '../../../src/sync/audit/audit-round.ts'

type Running = NonNullable<AuditState['running']>

const no_counts = {
  usable: 0,
  unready: 0,
  failed: 0,
  missing: 0,
  unanswered: 0,
  unknown: 0,
  slots: 0,
}
const began_ms = Date.UTC(2025, 0, 1)
const settings = { pages_per_minute: 6, round_ms: day_ms }

function running(change: Partial<Running> = {}): Running {
  return {
    began_ms,
    asked: false,
    cursor: undefined,
    listed: false,
    pages: 0,
    counts: no_counts,
    ...change,
  }
}

function pause(
  expected: number,
  change: Partial<Running> = {},
  now_ms = began_ms,
  last?: AuditState['last'],
): number {
  return pauseAfterTurn_ms({ running: running(change), last, expected }, settings, now_ms)
}

/**
 * A whole round whose turns take no time but their rest. `lost` assets were on no page, so each is
 * requested singly.
 */
function round(of: { expected: number; lost: number; pages_per_minute: number; asked: boolean }): {
  took_ms: number
  shortest_ms: number
} {
  const { expected, lost, pages_per_minute, asked } = of
  let now_ms = began_ms
  let shortest_ms = Number.POSITIVE_INFINITY
  const rest = (state: Running) => {
    const ms = pauseAfterTurn_ms(
      { running: state, last: undefined, expected },
      { pages_per_minute, round_ms: day_ms },
      now_ms,
    )
    now_ms += ms
    shortest_ms = Math.min(shortest_ms, ms)
  }
  for (let pages = 1; pages < expected / assets_a_page; pages++) rest(running({ asked, pages }))
  const seen = expected - lost
  for (let read = 0; read < lost; read += reads_a_turn) {
    rest(running({ asked, listed: true, counts: { ...no_counts, usable: seen, missing: read } }))
  }
  return { took_ms: now_ms - began_ms, shortest_ms }
}

describe('the rest after a turn', () => {
  test('is zero before a round begins', () => {
    expect(
      pauseAfterTurn_ms(
        { running: undefined, last: undefined, expected: 1_000_000 },
        settings,
        began_ms,
      ),
    ).toBe(0)
  })

  test('keeps the configured pace with few assets, and is not shorter', () => {
    expect(pause(0)).toBe(10_000)
    expect(pause(200)).toBe(10_000)
    expect(pause(200, { pages: 2, listed: true })).toBe(10_000)
  })

  test('allows two pages a second while a user waits', () => {
    expect(pause(200, { asked: true })).toBe(500)
  })

  test('is shorter if the assets do not fit into a round: by their number, or by the pages of the last round if that was larger', () => {
    // 30,000 pages in 80 % of a day.
    expect(pause(3_000_000)).toBeCloseTo((0.8 * day_ms) / 30_000)
    const last = { began_ms, ended_ms: began_ms, pages: 60_000, counts: no_counts }
    expect(pause(3_000_000, {}, began_ms, last)).toBeCloseTo((0.8 * day_ms) / 60_000)
    // A late round spreads the remaining pages over a hundredth of its time.
    expect(pause(3_000_000, { pages: 29_900 }, began_ms + 2 * day_ms)).toBeCloseTo(
      (0.01 * day_ms) / 100,
    )
  })

  test('is never below a tenth of a second, unless the configuration says so', () => {
    expect(pause(1e12)).toBe(100)
    const fast = { pages_per_minute: 6_000, round_ms: day_ms }
    expect(
      pauseAfterTurn_ms({ running: running(), last: undefined, expected: 1e12 }, fast, began_ms),
    ).toBe(10)
  })

  test('does not treat a round as late after the clock was set back', () => {
    expect(pause(200, {}, began_ms - 10 * day_ms)).toBe(10_000)
  })
})

const states = fc.record({
  running: fc.record({
    began_ms: fc.constant(began_ms),
    asked: fc.boolean(),
    cursor: fc.constant(undefined),
    listed: fc.boolean(),
    pages: fc.nat(1_000_000),
    counts: fc.record({
      usable: fc.nat(100_000_000),
      unready: fc.nat(1_000),
      failed: fc.nat(1_000),
      missing: fc.nat(1_000_000),
      unanswered: fc.constant(0),
      unknown: fc.nat(1_000_000),
      slots: fc.nat(1_000),
    }),
  }),
  last: fc.constant(undefined),
  expected: fc.nat(100_000_000),
})
const paces = fc.record({
  pages_per_minute: fc.integer({ min: 1, max: 6_000 }),
  round_ms: fc.integer({ min: 1, max: 24 }).map((hours) => hours * hour_ms),
})
const elapsed = fc.integer({ min: -day_ms, max: 30 * day_ms })

describe('always', () => {
  test('is at most the rest of the configured pace, and at least a tenth of a second', () => {
    fc.assert(
      fc.property(states, paces, elapsed, (state, pace, elapsed_ms) => {
        const ms = pauseAfterTurn_ms(state, pace, began_ms + elapsed_ms)
        expect(ms).toBeLessThanOrEqual(minute_ms / pace.pages_per_minute)
        expect(ms).toBeGreaterThanOrEqual(Math.min(100, minute_ms / pace.pages_per_minute))
      }),
    )
  })

  test('gets shorter with time, with more assets, and with more waiting users', () => {
    fc.assert(
      fc.property(
        states,
        paces,
        elapsed,
        fc.nat(day_ms),
        fc.nat(1_000_000),
        (state, pace, at, later, more) => {
          const now_ms = began_ms + at
          const ms = pauseAfterTurn_ms(state, pace, now_ms)
          expect(pauseAfterTurn_ms(state, pace, now_ms + later)).toBeLessThanOrEqual(ms)
          expect(
            pauseAfterTurn_ms({ ...state, expected: state.expected + more }, pace, now_ms),
          ).toBeLessThanOrEqual(ms)
          const asked = { ...state, running: { ...state.running, asked: true } }
          expect(pauseAfterTurn_ms(asked, pace, now_ms)).toBeLessThanOrEqual(ms)
        },
      ),
    )
  })

  // A day at ten turns a second has time for 864,000 pages.
  test('ends a round within its time, with millions of assets and many that are requested singly', () => {
    const sizes = fc.record({
      expected: fc.integer({ min: 0, max: 3_000_000 }),
      share_lost: fc.double({ min: 0, max: 0.1, noNaN: true }),
      pages_per_minute: fc.integer({ min: 1, max: 100 }),
      asked: fc.boolean(),
    })
    fc.assert(
      fc.property(sizes, ({ share_lost, ...of }) => {
        const { took_ms, shortest_ms } = round({
          ...of,
          lost: Math.floor(of.expected * share_lost),
        })
        expect(took_ms).toBeLessThan(day_ms)
        expect(shortest_ms).toBeGreaterThanOrEqual(100)
      }),
      { numRuns: 30 },
    )
  })
})
