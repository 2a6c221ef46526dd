import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { FileStat, KnownFile } from '../../../src/domain/file.ts'
import { block_reasons, skip_reasons } from '../../../src/domain/file-reasons.ts'
import { type SettleInput, settle } from '../../../src/sync/intake/settle.ts'

const now_ms = Date.UTC(2026, 0, 1)
const settle_ms = 5_000
const settle_cap_ms = 10 * minute_ms

/**
 * A file whose bytes were written `age_ms` ago, and that was moved or renamed `ctime_age_ms` ago.
 */
function aged(age_ms: number, ctime_age_ms = age_ms): FileStat {
  const ns = (age: number) => BigInt(now_ms - age) * 1_000_000n
  return { size: 4, mtime_ns: ns(age_ms), ctime_ns: ns(ctime_age_ms), inode: 1n }
}

function known(change: Partial<KnownFile>): KnownFile {
  const plain = {
    path: 'a',
    state: 'seen',
    stat: aged(0),
    seen_ms: now_ms,
    since_ms: now_ms,
    not_before_ms: now_ms,
  } as const
  return {
    ...plain,
    reason: undefined,
    accepted: false,
    is_evidence: true,
    arrived_ms: undefined,
    detail: undefined,
    ...change,
  }
}

function settled(stat: FileStat, before?: KnownFile, change: Partial<SettleInput> = {}) {
  return settle({
    folder: { settle_ms, settle_cap_ms },
    stat,
    known: before,
    now_ms,
    clock_doubt_ms: 0,
    ...change,
  })
}

const wait = { kind: 'wait', until_ms: now_ms + settle_ms }
const quiet = { kind: 'quiet' }

describe('at the first check', () => {
  test('a new file waits; an old one has settled at once', () => {
    expect(settled(aged(0))).toEqual(wait)
    expect(settled(aged(settle_ms))).toEqual(wait)
    expect(settled(aged(settle_ms + 2_000))).toEqual(quiet)
  })

  test('both times count: a new ctime (a move, a chmod) or a new mtime makes a file recent', () => {
    expect(settled(aged(hour_ms, 0))).toEqual(wait)
    expect(settled(aged(0, hour_ms))).toEqual(wait)
  })

  test('a time in the future proves nothing', () => {
    expect(settled(aged(-hour_ms))).toEqual(wait)
    expect(settled(aged(hour_ms, -hour_ms))).toEqual(wait)
    expect(settled({ ...aged(0), mtime_ns: 2n ** 62n })).toEqual(wait)
  })

  test('does not trust the clock of a share', () => {
    expect(settled(aged(minute_ms), undefined, { clock_doubt_ms: hour_ms })).toEqual(wait)
    expect(settled(aged(2 * hour_ms), undefined, { clock_doubt_ms: hour_ms })).toEqual(quiet)
  })
})

describe('while a file waits', () => {
  test('the same stat after settle_ms: settled, even with a time in the future', () => {
    for (const stat of [aged(settle_ms), aged(-hour_ms)]) {
      expect(settled(stat, known({ stat }))).toEqual(quiet)
      const until_ms = now_ms + 1
      expect(settled(stat, known({ stat, not_before_ms: until_ms }))).toEqual({
        kind: 'wait',
        until_ms,
      })
    }
  })

  test('a change of size, mtime, ctime or inode starts the wait again', () => {
    const stat = aged(0)
    const moved = [
      { size: 5 },
      { mtime_ns: stat.mtime_ns - 1n },
      { ctime_ns: stat.ctime_ns - 1n },
      { inode: 2n },
    ]
    for (const change of moved)
      expect(settled({ ...stat, ...change }, known({ stat }))).toEqual(wait)
  })

  test('a file that still changes after the cap is reported and checked later; then it can settle as usual', () => {
    const changing = known({ stat: aged(minute_ms), since_ms: now_ms - settle_cap_ms })
    const until_ms = now_ms + settle_cap_ms
    expect(settled(aged(0), changing)).toEqual({ kind: 'still_changing', until_ms })
    expect(settled(aged(0), { ...changing, since_ms: now_ms - settle_cap_ms + 1 })).toEqual(wait)
    const blocked = known({ ...changing, state: 'blocked', reason: 'changing' })
    expect(settled(aged(0), blocked)).toEqual({ kind: 'still_changing', until_ms })
    expect(settled(blocked.stat, blocked)).toEqual(quiet)
  })

  const long = { since_ms: now_ms - settle_cap_ms, stat: aged(hour_ms) }
  type Case = [name: string, before: Partial<KnownFile>, expected: 'wait' | 'still_changing']
  const other_reasons = [
    ...Object.keys(skip_reasons).map((reason) => ({ state: 'skipped', reason }) as const),
    ...Object.keys(block_reasons).map((reason) => ({ state: 'blocked', reason }) as const),
  ].filter(({ reason }) => reason !== 'changing')
  test.each<Case>([
    ['it settles', { ...long }, 'still_changing'],
    ['it changed before, too', { ...long, state: 'blocked', reason: 'changing' }, 'still_changing'],
    ['a user asked for a check', { ...long, accepted: true }, 'still_changing'],
    ['it settles, and nothing says since when', { ...long, since_ms: undefined }, 'wait'],
    ['it was known long ago, and settles since now', { stat: aged(hour_ms), seen_ms: 0 }, 'wait'],
    ['it is in', { ...long, state: 'present' }, 'wait'],
    ['it was gone', { ...long, state: 'gone' }, 'wait'],
    ...other_reasons.map(
      (was): Case => [`it was ${was.state}: ${was.reason}`, { ...long, ...was }, 'wait'],
    ),
    ['its check is late', { ...long, not_before_ms: now_ms - 10 * minute_ms }, 'still_changing'],
    [
      'no daemon checked it for long',
      { ...long, not_before_ms: now_ms - 10 * minute_ms - 1 },
      'wait',
    ],
    ['the clock was set back', { ...long, since_ms: now_ms + hour_ms }, 'wait'],
  ])('changes now; before, %s: %s', (_name, before, expected) => {
    // The mtime of a file that is put back may be old: its ctime is not.
    for (const stat of [aged(0), aged(hour_ms, 0)])
      expect(settled(stat, known(before)).kind).toBe(expected)
  })
})

test('a writer that touches the file before every check keeps it from settling; after it stops, the file always settles', () => {
  const property = fc.property(
    fc.array(fc.nat(4_999), { maxLength: 30 }),
    fc.nat(10_000),
    (pauses, extra) => {
      let at_ms = now_ms
      let stat = aged(0)
      let row = known({ stat, since_ms: at_ms, not_before_ms: at_ms + settle_ms })
      for (const pause of pauses) {
        at_ms += pause
        stat = {
          ...stat,
          size: stat.size + 1,
          mtime_ns: BigInt(at_ms) * 1_000_000n,
          ctime_ns: BigInt(at_ms) * 1_000_000n,
        }
        const verdict = settled(stat, row, { now_ms: at_ms })
        expect(verdict).toEqual({ kind: 'wait', until_ms: at_ms + settle_ms })
        row = known({ stat, since_ms: row.since_ms, not_before_ms: at_ms + settle_ms })
      }
      const early = settled(stat, row, { now_ms: at_ms + settle_ms - 1 })
      expect(early.kind).toBe('wait')
      expect(settled(stat, row, { now_ms: at_ms + settle_ms + extra })).toEqual(quiet)
    },
  )
  fc.assert(property, { numRuns: 300 })
})

test('property: a file settles only if two checks agree or both times are old; no wait ends in the past', () => {
  const age = fc.integer({ min: -2 * hour_ms, max: 2 * hour_ms })
  const property = fc.property(age, age, age, fc.boolean(), (mtime_age, ctime_age, due, same) => {
    const stat = aged(mtime_age, ctime_age)
    const row = known({ stat: same ? stat : { ...stat, size: 9 }, not_before_ms: now_ms + due })
    const verdict = settled(stat, row)
    if (verdict.kind !== 'quiet') expect(verdict.until_ms).toBeGreaterThan(now_ms)
    else
      expect((same && due <= 0) || Math.min(mtime_age, ctime_age) >= settle_ms + 2_000).toBe(true)
  })
  fc.assert(property, { numRuns: 1_000 })
})
