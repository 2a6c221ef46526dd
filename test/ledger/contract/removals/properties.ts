import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bench, type LedgerFactory } from '../../fixture.ts'
import { type Ending, grace_ms, RemovalWorld } from './removal-world.ts'

function often<Word>(word: Word): Word[] {
  return Array.from({ length: 5 }, () => word)
}

const path = fc.constantFrom('left/a', 'left/b', 'right/a', 'right/b')
const text = fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six', 'foreign')
const ending = fc.constantFrom<Ending>(
  ...often<Ending>('well'),
  'crash before',
  'crash after',
  'answer lost',
)
const side = fc.constantFrom<0 | 1>(0, 1)
const policy = fc.record({
  on_delete: fc.constantFrom(...often('remove' as const), 'keep' as const),
  on_change: fc.constantFrom(...often('remove_old' as const), 'keep' as const),
})

type Act = (world: RemovalWorld) => void | Promise<void>

const act: fc.Arbitrary<[string, Act]> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(path, text)
      .map(([to, bytes]) => named(`write ${to}`, (w) => w.write(to, bytes))),
  },
  { weight: 2, arbitrary: path.map((at) => named(`delete ${at}`, (w) => w.delete(at))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, path)
      .map(([from, to]) => named(`move ${from} ${to}`, (w) => w.move(from, to))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(path, path)
      .map(([from, to]) => named(`copy ${from} ${to}`, (w) => w.copy(from, to))),
  },
  {
    weight: 10,
    arbitrary: ending.map((ends) => named(`scan and upload ${ends}`, (w) => w.scanAndUpload(ends))),
  },
  {
    weight: 4,
    arbitrary: ending.map((ends) => named(`later, remove ${ends}`, (w) => w.later(ends))),
  },
  { weight: 2, arbitrary: fc.constant(named('scan', (w) => w.scan())) },
  { weight: 2, arbitrary: fc.constant(named('notice', (w) => w.notice())) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(side, policy, fc.constantFrom({}, { root: '/data/other' }))
      .map(([one, says, place]) => {
        return named(`configure ${one} ${JSON.stringify({ ...says, ...place })}`, (w) =>
          w.configure(one, { ...says, ...place }),
        )
      }),
  },
  { weight: 1, arbitrary: ending.map((ends) => named(`upload ${ends}`, (w) => w.upload(ends))) },
  { weight: 2, arbitrary: ending.map((ends) => named(`remove ${ends}`, (w) => w.remove(ends))) },
  { weight: 1, arbitrary: fc.constant(named('time passes', (w) => w.pass(grace_ms + 1))) },
  { weight: 1, arbitrary: side.map((one) => named(`offline ${one}`, (w) => w.offline(one))) },
  { weight: 1, arbitrary: fc.constant(named('online', (w) => w.backOnline())) },
  { weight: 1, arbitrary: fc.constant(named('crash', (w) => w.crash())) },
)

function named(name: string, run: Act): [string, Act] {
  return [name, run]
}

export function removalPropertyContract(factory: LedgerFactory, histories = 20): void {
  test('after any edits, deletes, renames, copies and crashes: only unneeded assets of ours are removed, and every file has its asset', async () => {
    const bench = await new Bench(factory, {
      removal: { files: 1_000, percent: 100, per_ms: 1, wiped: { files: 1_000, percent: 100 } },
    }).open()
    let run = 0
    let removed = 0
    const property = fc.asyncProperty(
      fc.array(act, { minLength: 15, maxLength: 50, size: 'max' }),
      fc.tuple(policy, policy),
      async (acts, policies) => {
        const world = new RemovalWorld(bench, ++run)
        await world.begin(policies)
        for (const [, run_act] of acts) {
          await run_act(world)
          world.check()
        }
        await world.settle()
        expect(world.has('foreign'), 'the asset of another user').toBe(true)
        removed += world.removed
      },
    )
    try {
      await fc.assert(property, { numRuns: histories })
      // Without removals the test would show nothing. A history removes one asset on average, and
      // four of ten remove none.
      expect(removed).toBeGreaterThan(histories / 40)
    } finally {
      await bench.close()
    }
  })
}
