import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../src/base/time/time.ts'
import { type BandwidthSpan, bandwidthAt } from '../../src/domain/bandwidth.ts'
import { builtModule } from '../rig/unprivileged.ts'

const at_ms = (hours: number, minutes = 0) => new Date(2026, 5, 1, hours, minutes, 20).getTime()
const span = (from_hour: number, to_hour: number, bytes_per_s: number): BandwidthSpan => ({
  from_minute: from_hour * 60,
  to_minute: to_hour * 60,
  bytes_per_s,
})
const office = [span(8, 18, 2e6), span(22, 24, 5e6), span(0, 6, 5e6)]

test.each([
  ['within a span', office, at_ms(9), 2e6, at_ms(18) - 20_000],
  ['between two', office, at_ms(18), undefined, at_ms(22) - 20_000],
  ['in one that goes over midnight', office, at_ms(23), 5e6, at_ms(30) - 20_000],
  ['the same limit all day', [span(0, 24, 1e6)], at_ms(9), 1e6, undefined],
  ['the same limit in two parts', [span(0, 9, 1e6), span(9, 24, 1e6)], at_ms(9), 1e6, undefined],
  ['no timetable', [], at_ms(9), undefined, undefined],
])('%s', (_what, spans, now_ms, bytes_per_s, until_ms) => {
  expect(bandwidthAt(spans, now_ms)).toEqual({ bytes_per_s, until_ms })
})

test('the limit holds until its end, and not longer', () => {
  const bound = fc.integer({ min: 0, max: 24 })
  const timetable = fc.uniqueArray(bound, { minLength: 2, maxLength: 6 }).map((hours) => {
    const sorted = hours.toSorted((one, other) => one - other)
    return sorted
      .slice(1)
      .flatMap((hour, at) => (at % 3 === 2 ? [] : [span(sorted[at]!, hour, (at % 2) + 1)]))
  })
  fc.assert(
    fc.property(timetable, fc.integer({ min: 0, max: 23 }), (spans, hour) => {
      const { bytes_per_s, until_ms } = bandwidthAt(spans, at_ms(hour, 30))
      const end_ms = until_ms ?? at_ms(hour, 30) + 24 * hour_ms
      for (let ms = at_ms(hour, 30); ms < end_ms; ms += 30 * minute_ms) {
        expect(bandwidthAt(spans, ms).bytes_per_s).toBe(bytes_per_s)
      }
      if (until_ms !== undefined)
        expect(bandwidthAt(spans, until_ms).bytes_per_s).not.toBe(bytes_per_s)
    }),
  )
})

test('a clock change repeats or skips a time of the day', () => {
  const script = `
    import { bandwidthAt } from '${builtModule('domain/bandwidth')}'
    const span = { from_minute: 165, to_minute: 480, bytes_per_s: 1 }
    const until = (from_minute, at) => {
      const { until_ms } = bandwidthAt([{ ...span, from_minute }], Date.parse(at))
      return new Date(until_ms).toISOString()
    }
    console.log(JSON.stringify([
      until(165, '2026-10-25T00:50:00Z'),
      until(165, '2026-10-25T01:30:00Z'),
      until(150, '2026-03-29T00:50:00Z'),
    ]))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'Europe/Berlin' },
  })
  expect(JSON.parse(stdout)).toEqual([
    // The first 02:50 is in the range; ten minutes later it is 02:00 again.
    '2026-10-25T01:00:00.000Z',
    // The second 02:30.
    '2026-10-25T01:45:00.000Z',
    // There is no 02:30 that day, so the range begins at 03:00.
    '2026-03-29T01:00:00.000Z',
  ])
})
