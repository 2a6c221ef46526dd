import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { nextScan_ms, type PaceLimits } from '../../../src/sync/folder/scan-pace.ts'
import { watching } from './usual-watching.ts'

const limits: PaceLimits = { ...watching, rescan_interval_ms: hour_ms }

/** The intervals after each scan in turn. */
function intervals(
  covered: Parameters<typeof nextScan_ms>[0]['covered'],
  scans: { changed?: number; missed?: number }[],
  over: PaceLimits = limits,
) {
  let last_ms: number | undefined
  return scans.map(({ changed = 0, missed = 0 }) => {
    last_ms = nextScan_ms({ covered, changed, missed, took_ms: second_ms, last_ms }, over)
    return last_ms
  })
}

const quiet = {}
const busy = { changed: 3 }
const missed = { missed: 3 }

test('a watched folder has the configured interval; missed events shorten it, and reported events restore it', () => {
  expect(
    intervals('all', [quiet, missed, missed, missed, quiet, quiet, quiet, quiet, quiet, quiet]),
  ).toEqual([60, 15, 3.75, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * minute_ms))
})

test('an unwatched folder is scanned by a timer: sooner after changes, later without', () => {
  expect(intervals('none', [quiet, quiet, quiet, busy, busy, busy])).toEqual(
    [30, 45, 67.5, 33.75, 30, 30].map((s) => s * second_ms),
  )
  expect(intervals('none', Array(20).fill(quiet)).at(-1)).toBe(15 * minute_ms)
})

test('a folder that the watcher covers in part is scanned every two minutes', () => {
  expect(intervals('part', [quiet, busy])).toEqual([2 * minute_ms, 2 * minute_ms])
})

test('the interval never exceeds that of the folder', () => {
  const often = { ...limits, rescan_interval_ms: 10 * second_ms }
  for (const covered of ['all', 'part', 'none'] as const) {
    expect(intervals(covered, [quiet, quiet, quiet], often)).toEqual(
      [10, 10, 10].map((s) => s * second_ms),
    )
  }
})

test('property: whatever a scan finds, the interval is never shorter than the share of the time that scans may use', () => {
  const scan = fc.record({
    covered: fc.constantFrom('all' as const, 'part' as const, 'none' as const),
    changed: fc.nat(1e6),
    missed: fc.nat(1e6),
    took_ms: fc.nat(minute_ms),
    last_ms: fc.option(fc.nat(hour_ms), { nil: undefined }),
  })
  fc.assert(
    fc.property(scan, (scan) => {
      const next_ms = nextScan_ms(scan, { ...limits, rescan_interval_ms: 24 * hour_ms })
      expect(next_ms).toBeGreaterThanOrEqual(Math.max(30 * second_ms, scan.took_ms * 9))
      if (scan.covered === 'none')
        expect(next_ms).toBeLessThanOrEqual(Math.max(15 * minute_ms, scan.took_ms * 9))
    }),
  )
})
