import fc from 'fast-check'
import { expect } from 'vitest'
import { Bench, contentFact, type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { type LedgerTest, withLedger } from './with-ledger.ts'

const ids = (work: readonly { content: number }[]) => work.map(({ content }) => content)

/** The order of uploads, and the contents that must not wait behind others. */
export function orderContract(factory: LedgerFactory): void {
  const as_found = withLedger(factory)
  const newest: LedgerTest = (name, body) => as_found(name, body, { newest_first: true })

  newest(
    'the content that was changed last is sent first, whenever Sluice found it',
    async (bench) => {
      const old = await changedAt(bench, 'old', 10)
      const young = await changedAt(bench, 'young', 30)
      const between = await changedAt(bench, 'between', 20)
      expect(ids(await bench.sendable(1))).toEqual([young])
      expect(ids(await bench.sendable())).toEqual([between, old])
    },
  )

  newest(
    'a probe takes the longest due content, and skips one that only lacks complete',
    async (bench) => {
      const probed: number[] = []
      const contents: number[] = []
      for (const name of ['old', 'young', 'between'])
        contents.push(await changedAt(bench, name, 10 + contents.length))
      const [first] = contents
      for (const type of ['slot_intended', 'slot_reserved', 'bytes_accepted'] as const)
        await bench.record(contentFact(type, first!, bench.clock.now_ms()))
      for (let round = 0; round < 6; round++) {
        await bench.clock.advance(1_000)
        const { work } = await bench.ledger.claimToSend(1, { except_projects: [], is_probe: true })
        probed.push(...ids(work))
        await bench.record({
          type: 'deferred',
          content: work[0]!.content,
          not_before_ms: bench.clock.now_ms(),
        })
        bench.free(work[0]!.content)
      }
      expect(probed.slice(0, 3).sort()).toEqual([...contents].sort())
      expect(probed.slice(3)).toEqual(probed.slice(0, 3))
      // A pause sends no bytes, but a content whose bytes are there continues.
      await bench.record({ type: 'paused', by: 'anna', why: undefined, until_ms: undefined })
      const { work } = await bench.ledger.claimToSend(1, { except_projects: [], is_probe: true })
      expect(ids(work)).toEqual([first])
    },
  )

  newest(
    'a content that only lacks complete goes before all newer ones, also after a start',
    async (bench) => {
      const old = await changedAt(bench, 'old', 10)
      await bench.reserve(old)
      await bench.record({ type: 'bytes_accepted', content: old })
      await changedAt(bench, 'young', 30)
      await bench.reopen()
      expect(ids(await bench.sendable(1))).toEqual([old])
    },
  )

  newest(
    'a deferred content is skipped until its time, and then goes by its age',
    async (bench) => {
      const old = await changedAt(bench, 'old', 10)
      const young = await changedAt(bench, 'young', 30)
      await bench.setBack(young, 30_000)
      expect(ids(await bench.sendable(1))).toEqual([old])
      bench.ledger.release('send', [old])
      await bench.clock.advance(30_000)
      expect(ids(await bench.sendable())).toEqual([young, old])
    },
  )

  newest(
    'a content that is wanted again goes by the age of the file that wants it',
    async (bench) => {
      const back = await changedAt(bench, 'back', 10)
      await bench.sendable()
      await bench.gone('docs', 'back')
      await bench.record({ type: 'content_orphaned', content: back })
      bench.free(back)
      const other = await changedAt(bench, 'other', 20)
      await bench.record({
        type: 'file_settled',
        folder: 'docs',
        path: 'young',
        stat: statOf(4, 30n),
        md5: md5Of('back'),
      })
      expect(ids(await bench.sendable())).toEqual([back, other])
    },
  )

  as_found(
    'large files wait while enough of them are in work, and small ones behind them continue',
    async (bench) => {
      const large = { over_bytes: 100, max: 2 }
      const larges = []
      for (const text of ['a', 'b', 'c', 'd'])
        larges.push(await bench.settle('docs', text, text, 1_000))
      const small = await bench.settle('docs', 'small', 'small')
      const claim = async (max: number) =>
        ids((await bench.claimToSend(3, [], { ...large, max })).work)
      expect(await claim(2)).toEqual([larges[0], larges[1], small])
      expect(await claim(0)).toEqual([])
      expect(await claim(1)).toEqual([larges[2]])
    },
  )

  as_found('a content that only lacks complete counts as small', async (bench) => {
    const content = await bench.settle('docs', 'large', 'large', 1_000)
    await bench.sendable()
    for (const type of ['slot_intended', 'slot_reserved', 'bytes_accepted', 'deferred'] as const)
      await bench.record(contentFact(type, content, bench.clock.now_ms()))
    bench.free(content)
    expect(ids((await bench.claimToSend(1, [], { over_bytes: 100, max: 0 })).work)).toEqual([
      content,
    ])
  })

  newest('each content is claimed exactly once, in whatever way it is claimed', async () => {
    const files = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 200 }), at: fc.integer({ min: 1, max: 9 }) }),
      {
        maxLength: 12,
      },
    )
    const claims = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 4 }), max: fc.integer({ min: 0, max: 3 }) }),
      {
        maxLength: 8,
      },
    )
    await fc.assert(
      fc.asyncProperty(files, claims, fc.boolean(), async (made, asked, newest_first) => {
        const bench = await new Bench(factory, { newest_first }).open('docs')
        try {
          const wanted = []
          for (const [at, file] of made.entries())
            wanted.push(await changedAt(bench, `${at}`, file.at, file.size))
          const claimed: number[] = []
          for (const { limit, max } of asked) {
            const { work } = await bench.claimToSend(limit, [], { over_bytes: 100, max })
            expect(work.filter(({ size }) => size > 100).length).toBeLessThanOrEqual(max)
            claimed.push(...ids(work))
          }
          claimed.push(...ids(await bench.sendable()))
          expect([...claimed].sort((one, other) => one - other)).toEqual(wanted)
        } finally {
          await bench.close()
        }
      }),
      { numRuns: 15 },
    )
  })
}

async function changedAt(
  bench: Bench,
  text: string,
  at_s: number,
  size = text.length,
): Promise<number> {
  const stat = statOf(size, BigInt(at_s))
  await bench.record({ type: 'file_settled', folder: 'docs', path: text, stat, md5: md5Of(text) })
  return bench.see.file('docs', text)?.content ?? 0
}
