import fc from 'fast-check'
import { expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { FolderFact } from '../../../src/domain/fact.ts'
import { Bench, type LedgerFactory } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

const grace_ms = 7 * day_ms
const removing: Partial<FolderFact> = { on_delete: 'remove', delete_grace_ms: grace_ms }

/** The contents that may be removed now, after a scan of everything. */
async function removable(bench: Bench): Promise<number[]> {
  await bench.scanned('docs')
  const { work } = await bench.ledger.claimToRemove(100, { except_projects: [] })
  for (const { content } of work) bench.free(content)
  return work.map(({ content }) => content)
}

async function readyFile(bench: Bench, path: string): Promise<number> {
  const content = await bench.settle('docs', path, path)
  await bench.makeReady(content)
  return content
}

/**
 * Lets time pass like a daemon at work, which asks for something every few minutes and so sees it.
 */
async function pass(bench: Bench, ms: number): Promise<void> {
  const step_ms = 5 * minute_ms
  for (let left_ms = ms; left_ms > 0; left_ms -= step_ms) {
    await bench.clock.advance(Math.min(left_ms, step_ms))
    await bench.ledger.claimToCheck(1)
  }
}

/**
 * Hours by which the clock is wrong, one after the other (0: right again), and the days of the
 * grace that this may cost.
 */
const wrong: [string, number[], number][] = [
  ['a month back, and right again', [-720, 0], 0],
  ['a day back, which is less than the grace', [-24, 0], 0],
  ['right again in two steps', [-720, -300, 0], 1],
  ['back twice', [-24, -720, 0], 0],
  ['back, nearly right, and back once more', [-720, -1, -400, 0], 1],
  ['a week too far ahead when it comes back', [-720, 168], 0],
]

export function wallClockContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  for (const is_restarted of [false, true]) {
    for (const [name, hours, days_lost] of wrong) {
      check(
        `grace: ${name}${is_restarted ? ', with a restart at each step' : ''}`,
        async (bench) => {
          await bench.online('docs', removing)
          const before = await readyFile(bench, 'gone before')
          const meanwhile = await readyFile(bench, 'gone meanwhile')
          await bench.gone('docs', 'gone before')
          await pass(bench, hour_ms)
          let wrong_by = 0
          for (const [index, next] of hours.entries()) {
            if (is_restarted) await bench.reopen()
            bench.clock.jumpWall((next - wrong_by) * hour_ms)
            wrong_by = next
            expect(await removable(bench)).toEqual([])
            if (index === 0) await bench.gone('docs', 'gone meanwhile')
            await pass(bench, hour_ms)
            expect(await removable(bench)).toEqual([])
          }
          await pass(bench, grace_ms - 8 * hour_ms - days_lost * day_ms)
          expect(await removable(bench), 'an hour before the soonest is over').toEqual([])
          await pass(bench, 9 * hour_ms + days_lost * day_ms)
          expect(new Set(await removable(bench))).toEqual(new Set([before, meanwhile]))
        },
      )
    }
  }

  check(
    'grace: after a clock that ran ahead for years is right, the grace ends at its time',
    async (bench) => {
      await bench.online('docs', removing)
      const content = await readyFile(bench, 'a')
      bench.clock.jumpWall(1_000 * day_ms)
      await bench.gone('docs', 'a')
      bench.clock.jumpWall(-1_000 * day_ms)
      expect(await removable(bench)).toEqual([])
      await pass(bench, grace_ms - hour_ms)
      expect(await removable(bench)).toEqual([])
      await pass(bench, hour_ms)
      expect(await removable(bench)).toEqual([content])
    },
  )

  check(
    'grace: after a clock that ran ahead for years, passes that are hours apart end the grace at its time',
    async (bench) => {
      await bench.online('docs', removing)
      const content = await readyFile(bench, 'a')
      bench.clock.jumpWall(1_000 * day_ms)
      await bench.gone('docs', 'a')
      bench.clock.jumpWall(-1_000 * day_ms)
      for (let hours = 0; hours < 7 * 24; hours += 12) {
        await bench.reopen()
        await bench.online('docs', removing)
        expect(await removable(bench)).toEqual([])
        await bench.clock.advance(12 * hour_ms)
      }
      expect(await removable(bench)).toEqual([content])
    },
  )

  test('however often the clock is wrong and right again, no grace is too short, and each ends', async () => {
    const act = fc.oneof(
      fc.record({
        kind: fc.constant('wrong' as const),
        hours: fc.integer({ min: -2_000, max: -2 }),
      }),
      fc.record({ kind: fc.constant('right' as const) }),
      fc.record({ kind: fc.constant('gone' as const) }),
      fc.record({ kind: fc.constant('restart' as const) }),
      fc.record({
        kind: fc.constant('hours pass' as const),
        hours: fc.integer({ min: 1, max: 12 }),
      }),
    )
    const short_grace_ms = 24 * hour_ms
    const property = fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 25 }),
      async (acts) => {
        const bench = await new Bench(factory).open()
        try {
          await bench.online('docs', { ...removing, delete_grace_ms: short_grace_ms })
          const gone_ms = new Map<number, number>()
          let wrong_by = 0
          let newest_ms = bench.clock.now_ms()
          let undetected_ms = 0
          const check = async () => {
            for (const content of await removable(bench)) {
              const seen_ms = bench.clock.monotonic_ms() - gone_ms.get(content)!
              // The ledger notes its clock every ten seconds, and a minute counts as no jump.
              expect(seen_ms).toBeGreaterThanOrEqual(
                short_grace_ms - undetected_ms - acts.length * minute_ms,
              )
              gone_ms.delete(content)
              await bench.record({ type: 'asset_removed', content })
            }
          }
          const setWrong = (hours: number) => {
            const jump_ms = (hours - wrong_by) * hour_ms
            // The clock was wrong until it came back to its old times. After that, the ledger
            // cannot tell a step ahead from hours that passed.
            if (jump_ms > 0 && bench.clock.now_ms() >= newest_ms - minute_ms)
              undetected_ms += jump_ms
            newest_ms = Math.max(newest_ms, bench.clock.now_ms())
            bench.clock.jumpWall(jump_ms)
            wrong_by = hours
          }
          for (const [index, one] of acts.entries()) {
            // A step ahead that does not make it right may cost a day; see above.
            if (one.kind === 'wrong') setWrong(Math.min(wrong_by, one.hours))
            else if (one.kind === 'right') setWrong(0)
            else if (one.kind === 'restart') await bench.reopen()
            else if (one.kind === 'hours pass') await pass(bench, one.hours * hour_ms)
            else {
              gone_ms.set(await readyFile(bench, `file ${index}`), bench.clock.monotonic_ms())
              await bench.gone('docs', `file ${index}`)
            }
            await check()
          }
          setWrong(0)
          await check()
          await pass(bench, short_grace_ms + hour_ms)
          await check()
          expect([...gone_ms.keys()], 'what is kept for ever').toEqual([])
        } finally {
          await bench.close()
        }
      },
    )
    await fc.assert(property, { numRuns: 15 })
  })
}
