import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { createKnownRanges, type KnownRange } from '../../../src/ledger/rows/differences.ts'
import { makeStore } from '../../rig/tree.ts'

type Step =
  | { do: 'learn'; range: KnownRange }
  | { do: 'touch'; path: string }
  | { do: 'flush' }
  /** Forgets what was not flushed, and nothing else. */
  | { do: 'restart' }

const places = ['a', 'b', 'b!', 'c', '\uFF5E', '\u{1F600}']
const place = fc.constantFrom(...places)
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const all_ranges = ['', ...places].flatMap((after_path) =>
  places
    .filter((through_path) => byBytes(after_path, through_path) < 0)
    .flatMap((through_path) =>
      ['one', 'two'].map((digest) => ({ after_path, through_path, digest })),
    ),
)
const range = fc.constantFrom(...all_ranges)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: range.map((range) => ({ do: 'learn' as const, range })) },
  { weight: 2, arbitrary: place.map((path) => ({ do: 'touch' as const, path })) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'flush' }, { do: 'restart' }) },
)

function overlap(a: KnownRange, b: KnownRange): boolean {
  return byBytes(a.after_path, b.through_path) < 0 && byBytes(b.after_path, a.through_path) < 0
}

function holds({ after_path, through_path }: KnownRange, path: string): boolean {
  return byBytes(after_path, path) < 0 && byBytes(path, through_path) <= 0
}

test('a learned range is known until a path in it is touched, before and after a restart', () => {
  const file = join(makeStore(), 'ledger.db')
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'NORMAL' })
  let folder = 0
  const property = fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
    folder += 1
    let ranges = createKnownRanges(database)
    /** Ranges that may be known: no path in them was touched since. */
    let right: KnownRange[] = []
    /** Ranges that must be known: no overlapping range was learned since. */
    let newest: KnownRange[] = []
    let flushed: KnownRange[] = []
    for (const next of steps) {
      switch (next.do) {
        case 'learn':
          ranges.learn(folder, next.range)
          right = [...right, next.range]
          newest = [...newest.filter((other) => !overlap(other, next.range)), next.range]
          // The range was learned again, and is not flushed yet.
          flushed = flushed.filter((other) => !overlap(other, next.range))
          break
        case 'touch':
          ranges.touch(folder, next.path)
          right = right.filter((other) => !holds(other, next.path))
          newest = newest.filter((other) => !holds(other, next.path))
          flushed = flushed.filter((other) => !holds(other, next.path))
          break
        case 'flush':
          ranges.flush()
          flushed = newest
          break
        case 'restart':
          ranges = createKnownRanges(database)
          newest = newest.filter((other) => flushed.includes(other))
      }
    }
    for (const range of all_ranges) {
      const isIn = (list: KnownRange[]) => list.some((other) => isDeepStrictEqual(other, range))
      const is_known = ranges.isKnown(folder, range)
      if (is_known) expect(isIn(right)).toBe(true)
      else expect(isIn(newest)).toBe(false)
    }
  })
  try {
    fc.assert(property, { numRuns: 1_000 })
  } finally {
    database.close()
  }
})
