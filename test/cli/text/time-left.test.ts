import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TimeLeft } from '../../../src/cli/text/time-left.ts'
import { no_throttle, playQueue, type Throttle } from './throttled-queue.ts'

interface Figure {
  at_ms: number
  left_ms: number
}

/** Plays a pass, and returns its time and what was shown on the way. */
function play(sizes: readonly number[], throttle: Throttle, beside = false) {
  const took_ms = playQueue(sizes, throttle, Number.POSITIVE_INFINITY, () => {})
  const time_left = new TimeLeft()
  const shown: Figure[] = []
  playQueue(sizes, throttle, Math.max(250, took_ms / 200), (amounts, at_ms) => {
    const seen = beside ? { ...amounts, moved: undefined } : amounts
    const left_ms = time_left.estimate(seen, at_ms)
    if (left_ms !== undefined) shown.push({ at_ms, left_ms })
  })
  return { took_ms, shown }
}

/** Figures that a user would call wrong: early ones, and those off by more than a factor of 3. */
function wrong({ took_ms, shown }: ReturnType<typeof play>): Figure[] {
  return shown.filter(({ at_ms, left_ms }) => {
    const ratio = left_ms / (took_ms - at_ms)
    return at_ms < 0.08 * took_ms || ratio > 3 || ratio < 1 / 3
  })
}

/** Mixes by a fixed rule, so that a failure can be played again. */
function mixed(sizes: readonly number[]): number[] {
  const keyed = sizes.map((size, at) => ({ size, key: (at * 7_919) % 10_007 }))
  return keyed.sort((one, other) => one.key - other.key).map(({ size }) => size)
}

function orders(small: readonly number[], large: readonly number[]) {
  return {
    small,
    large,
    'small then large': [...small, ...large],
    'large then small': [...large, ...small],
    mixed: mixed([...small, ...large]),
  }
}

const orderNames = ['small', 'large', 'small then large', 'large then small', 'mixed'] as const

/**
 * The part of the pass by which a user must have seen a figure. Files of one kind alone say nothing
 * of the other kind, which may take most of the time, so that a figure would be a guess:
 * - The small files come first and take 0.3 of the time: one tenth of it later there is a figure.
 * - The large ones come first. The small ones take up their places at about 0.84, and cost by
 *   number what no large file has shown. The figures come at the very end, and help nobody much.
 */
const latest_first: Record<(typeof orderNames)[number], number> = {
  small: 0.3,
  large: 0.3,
  mixed: 0.3,
  'small then large': 0.4,
  'large then small': 1,
}

describe('10,000 small files and 20 large ones at a throttled service', () => {
  const small = Array.from({ length: 10_000 }, (_, at) => 1_000 + (at % 97) * 200)
  const large = Array.from({ length: 20 }, (_, at) => (80 + at) * 1_000_000)
  const throttle = { ...no_throttle, latency_ms: 80, bytes_per_s: 5_000_000 }
  test.each(orderNames)('%s: figures are shown, and none is wrong', (order) => {
    const pass = play(orders(small, large)[order], throttle)
    expect(wrong(pass)).toEqual([])
    expect(pass.shown[0]!.at_ms / pass.took_ms).toBeLessThan(latest_first[order])
  })

  test.each(orderNames)('%s, sent by another process: no figure is wrong', (order) => {
    expect(wrong(play(orders(small, large)[order], throttle, true))).toEqual([])
  })
})

const logarithmic = (min: number, max: number) =>
  fc.double({ min: Math.log(min), max: Math.log(max), noNaN: true }).map(Math.exp)

const throttles = fc.record({
  places: logarithmic(2, 32).map(Math.round),
  latency_ms: logarithmic(2, 800),
  bytes_per_s: logarithmic(200_000, 100_000_000),
  bytes_per_s_each: fc.constant(Number.POSITIVE_INFINITY),
  requests_per_minute: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), logarithmic(200, 6_000)),
  ingest_ms: logarithmic(50, 3_000),
  grows: fc.boolean(),
})
const sizes = fc.record({
  small: fc.record({ count: fc.integer({ min: 2_000, max: 6_000 }), mean: logarithmic(500, 2e5) }),
  large: fc.record({ count: fc.integer({ min: 10, max: 40 }), mean: logarithmic(3e6, 3e8) }),
})
/** Sizes from a third to five thirds of the mean. */
const around = ({ count, mean }: { count: number; mean: number }) =>
  Array.from({ length: count }, (_, at) => Math.ceil((mean * (1 + ((at * 31) % 61) / 15)) / 3))

test('no figure is wrong at other rates, sizes and throttles, and most passes show one', {
  timeout: 60_000,
}, () => {
  let passes = 0
  let silent = 0
  fc.assert(
    fc.property(throttles, sizes, fc.constantFrom(...orderNames), (throttle, files, order) => {
      const pass = play(orders(around(files.small), around(files.large))[order], throttle)
      expect(wrong(pass)).toEqual([])
      if (pass.took_ms < 30_000) return
      passes++
      if (pass.shown.length === 0) silent++
    }),
    // How many passes show nothing differs from draw to draw, so these are always the same.
    { numRuns: 12, seed: 1 },
  )
  expect(silent).toBeLessThanOrEqual(Math.max(2, passes / 3))
})

test('nothing is shown in the first seconds, nor of what was never measured', () => {
  const time_left = new TimeLeft()
  const amounts = (files: number) => ({
    total: { files: 1_020, bytes: 2_000_000_000 },
    done: { files, bytes: files * 1_000 },
    sent: { files, bytes: files * 1_000 },
    sending: { files: 0, bytes: 0 },
    moved: { files: 0, bytes: 0, count: 0, largest_left_bytes: 0 },
  })
  for (let second = 0; second <= 100; second++)
    expect(time_left.estimate(amounts(second * 10), second * 1_000)).toBeUndefined()
})
