import { expect } from 'vitest'
import { type LedgerFactory, md5Of } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

export function arrivalContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'an arrival is written when the content is usable, in that order, whatever the clock does',
    async (bench) => {
      const slow = await bench.settle('docs', 'slow', 'slow')
      const fast = await bench.settle('docs', 'fast', 'fast')
      await bench.makeReady(fast)
      bench.clock.jumpWall(-3_600_000)
      await bench.send(slow)
      expect(bench.see.arrivals('docs')).toEqual([md5Of('fast')])
      await bench.record({ type: 'asset_ready', content: slow })
      expect(bench.see.arrivals('docs')).toEqual([md5Of('fast'), md5Of('slow')])
    },
  )

  check(
    'an edit makes a second arrival, but a rename, a copy and a revert do not',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a', 'text'))
      await bench.gone('docs', 'a')
      await bench.settle('docs', 'renamed', 'text')
      await bench.settle('docs', 'copy', 'text')
      expect(bench.see.arrivals('docs')).toEqual([md5Of('text')])
      await bench.seen('docs', 'copy', 'edited')
      await bench.makeReady(await bench.settle('docs', 'copy', 'edited'))
      await bench.seen('docs', 'copy', 'text')
      await bench.settle('docs', 'copy', 'text')
      await bench.seen('docs', 'copy', 'edited')
      await bench.settle('docs', 'copy', 'edited')
      expect(bench.see.arrivals('docs')).toEqual([md5Of('text'), md5Of('edited')])
    },
  )

  check('each folder has its own arrival of the same content', async (bench) => {
    await bench.online('second')
    const content = await bench.settle('docs', 'a', 'text')
    await bench.settle('second', 'b', 'text')
    await bench.makeReady(content)
    await bench.online('third')
    await bench.settle('third', 'c', 'text')
    for (const folder of ['docs', 'second', 'third'])
      expect(bench.see.arrivals(folder)).toEqual([md5Of('text')])
    expect(bench.see.sequence()).toEqual([...new Set(bench.see.sequence())])
  })

  check(
    'a file that was moving when its content became ready arrives when it has settled again',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.send(content)
      await bench.seen('docs', 'a', 'text')
      await bench.record({ type: 'asset_ready', content })
      expect(bench.see.arrivals('docs')).toEqual([])
      await bench.settle('docs', 'a', 'text')
      expect(bench.see.arrivals('docs')).toEqual([md5Of('text')])
    },
  )

  check('a content that vanished and is sent again keeps its one arrival', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.send(content)
    await bench.record({ type: 'asset_vanished', content })
    expect(await bench.sendable()).toMatchObject([{ content, state: 'wanted' }])
    await bench.makeReady(content)
    expect(bench.see.arrivals('docs')).toEqual([md5Of('text')])
  })
}
