import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { createKnownStretches, type KnownStretch } from '../../../src/ledger/rows/differences.ts'
import { makeStore } from '../../rig/tree.ts'

type Step =
  | { do: 'learn'; stretch: KnownStretch }
  | { do: 'touch'; path: string }
  | { do: 'flush' }
  /** What was not flushed is forgotten; nothing else is. */
  | { do: 'restart' }

const places = ['a', 'b', 'b!', 'c', '\uFF5E', '\u{1F600}']
const place = fc.constantFrom(...places)
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const all_stretches = ['', ...places].flatMap((after_path) =>
  places
    .filter((through_path) => byBytes(after_path, through_path) < 0)
    .flatMap((through_path) => ['one', 'two'].map((digest) => ({ after_path, through_path, digest }))),
)
const stretch = fc.constantFrom(...all_stretches)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: stretch.map((stretch) => ({ do: 'learn' as const, stretch })) },
  { weight: 2, arbitrary: place.map((path) => ({ do: 'touch' as const, path })) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'flush' }, { do: 'restart' }) },
)

function overlap(a: KnownStretch, b: KnownStretch): boolean {
  return byBytes(a.after_path, b.through_path) < 0 && byBytes(b.after_path, a.through_path) < 0
}

function holds({ after_path, through_path }: KnownStretch, path: string): boolean {
  return byBytes(after_path, path) < 0 && byBytes(path, through_path) <= 0
}

test('what was learned is known until a path in it is touched, before a restart and after it; nothing else is', () => {
  const file = join(makeStore(), 'ledger.db')
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'NORMAL' })
  let folder = 0
  const property = fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
    folder += 1
    let stretches = createKnownStretches(database)
    /** May be known: no path in them was touched since. */
    let right: KnownStretch[] = []
    /** Must be known: nothing that overlaps was learned since. */
    let newest: KnownStretch[] = []
    let flushed: KnownStretch[] = []
    for (const next of steps) {
      switch (next.do) {
        case 'learn':
          stretches.learn(folder, next.stretch)
          right = [...right, next.stretch]
          newest = [...newest.filter((other) => !overlap(other, next.stretch)), next.stretch]
          // The same one, learned again, is not kept yet.
          flushed = flushed.filter((other) => !overlap(other, next.stretch))
          break
        case 'touch':
          stretches.touch(folder, next.path)
          right = right.filter((other) => !holds(other, next.path))
          newest = newest.filter((other) => !holds(other, next.path))
          flushed = flushed.filter((other) => !holds(other, next.path))
          break
        case 'flush':
          stretches.flush()
          flushed = newest
          break
        case 'restart':
          stretches = createKnownStretches(database)
          newest = newest.filter((other) => flushed.includes(other))
      }
    }
    for (const stretch of all_stretches) {
      const isIn = (list: KnownStretch[]) => list.some((other) => isDeepStrictEqual(other, stretch))
      const is_known = stretches.isKnown(folder, stretch)
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
