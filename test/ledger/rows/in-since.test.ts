import { describe, expect } from 'vitest'
import { withLedger } from '../contract/with-ledger.ts'
import { type Bench, statOf } from '../fixture.ts'
import { sqlite_factory } from '../sqlite-factory.ts'

/** What happens to `a.txt`, which is in with the bytes `text`, and since when it is in then. */
type Case = [name: string, in_since: 'the first time' | 'now', happens: (bench: Bench) => unknown]

const skipped = { type: 'file_skipped', folder: 'docs', path: 'a.txt' } as const
const blocked = { type: 'file_blocked', folder: 'docs', path: 'a.txt' } as const

const cases: Case[] = [
  ['touched, or saved with equal bytes', 'the first time', (bench) => bench.seen('docs', 'a.txt')],
  ['checked again without a first sight', 'the first time', () => {}],
  [
    'changed, and changed back before anyone read it',
    'the first time',
    (bench) => bench.seen('docs', 'a.txt', 'longer text'),
  ],
  [
    'emptied for a while, as some programs save',
    'the first time',
    (bench) =>
      bench.record({ ...skipped, stat: statOf(0), reason: 'empty', rule: 'it has no bytes' }),
  ],
  [
    'unreadable for a while',
    'the first time',
    (bench) =>
      bench.record({
        ...blocked,
        stat: statOf(4),
        reason: 'unreadable',
        detail: 'EACCES',
        not_before_ms: 0,
      }),
  ],
  [
    'gone and back, while the service kept it',
    'the first time',
    (bench) => bench.gone('docs', 'a.txt'),
  ],
  [
    'touched, and Sluice restarted',
    'the first time',
    async (bench) => {
      await bench.seen('docs', 'a.txt')
      await bench.reopen()
    },
  ],
  [
    'under another root with the same files',
    'the first time',
    async (bench) => {
      await bench.online('docs', { root: '/elsewhere/docs' })
      await bench.seen('docs', 'a.txt')
    },
  ],
  [
    'changed to other bytes, and back',
    'now',
    (bench) => bench.settle('docs', 'a.txt', 'other bytes'),
  ],
  [
    'taken off the list by a rule, and back',
    'now',
    (bench) => bench.record({ type: 'file_ignored', folder: 'docs', path: 'a.txt' }),
  ],
]

describe('since when a file is in', () => {
  const check = withLedger(sqlite_factory)

  for (const [name, in_since, happens] of cases) {
    check(`${name}: in since ${in_since}`, async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a.txt', 'text'))
      const first_ms = bench.clock.now_ms()
      await bench.clock.advance(86_400_000)
      await happens(bench)
      await bench.clock.advance(1_000)
      await bench.settle('docs', 'a.txt', 'text')
      const now_ms = bench.clock.now_ms()
      expect(bench.see.file('docs', 'a.txt')?.ready_ms).toBe(in_since === 'now' ? now_ms : first_ms)
      expect(bench.see.arrivals('docs'), 'it is no arrival').toHaveLength(1)
    })
  }

  check('a rename and a copy are in since now, under their own paths', async (bench) => {
    await bench.makeReady(await bench.settle('docs', 'a.txt', 'text'))
    const first_ms = bench.clock.now_ms()
    await bench.clock.advance(86_400_000)
    const now_ms = bench.clock.now_ms()
    await bench.settle('docs', 'copy.txt', 'text')
    expect(bench.see.file('docs', 'a.txt')?.ready_ms).toBe(first_ms)
    expect(bench.see.file('docs', 'copy.txt')?.ready_ms).toBe(now_ms)
    await bench.gone('docs', 'a.txt')
    await bench.settle('docs', 'renamed.txt', 'text')
    expect(bench.see.file('docs', 'renamed.txt')?.ready_ms).toBe(now_ms)
    expect(bench.see.arrivals('docs'), 'neither is an arrival').toHaveLength(1)
  })

  check(
    'what the service lost and got again is in since then, also a file that was away meanwhile',
    async (bench) => {
      const content = await bench.settle('docs', 'a.txt', 'text')
      await bench.settle('docs', 'copy.txt', 'text')
      await bench.makeReady(content)
      await bench.clock.advance(86_400_000)
      await bench.gone('docs', 'a.txt')
      await bench.record(
        { type: 'asset_missing', content },
        { type: 'content_wanted_again', content, not_before_ms: 0 },
      )
      await bench.makeReady(content)
      const again_ms = bench.clock.now_ms()
      await bench.clock.advance(1_000)
      await bench.settle('docs', 'a.txt', 'text')
      for (const path of ['a.txt', 'copy.txt'])
        expect(bench.see.file('docs', path)?.ready_ms).toBe(again_ms)
    },
  )
})
