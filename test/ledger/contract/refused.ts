import { expect } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import {
  type Bench,
  contentFact,
  type LedgerFactory,
  md5Of,
  project_id,
  statOf,
} from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

const settled = (path: string, size: number): Fact => {
  return { type: 'file_settled', folder: 'docs', path, stat: statOf(size), md5: md5Of(path) }
}

const troublesOf = (bench: Bench) => bench.see.troubles().map(({ about }) => about)

export function refusedContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'a fact with a fraction is refused, and the facts of other things are stored',
    async (bench) => {
      const record = bench.record(settled('a', 1), settled('odd', 1.5), settled('b', 2))
      await expect(record).rejects.toMatchObject({
        code: 'ledger.refused',
        message: 'docs/odd: cannot record file_settled: stat.size is 1.5, not a whole number',
      })
      expect(bench.see.file('docs', 'a')?.state).toBe('present')
      expect(bench.see.file('docs', 'b')?.state).toBe('present')
      expect(bench.see.file('docs', 'odd')).toBeUndefined()
      expect(bench.see.troubles()).toMatchObject([
        { about: 'fact:docs/odd', code: 'ledger.refused' },
      ])
    },
  )

  for (const [what, odd] of [
    ['a text in place of a size', { ...statOf(1), size: 'x' }],
    ['a number beyond 64 bits', { ...statOf(1), size: 1, mtime_ns: 2n ** 70n }],
    ['nothing in place of an object', null],
    ['nothing in place of a time', { ...statOf(1), mtime_ns: null }],
    ['an object in place of a time', { ...statOf(1), mtime_ns: {} }],
  ] as const) {
    check(`${what}: the facts of other things are stored, and the thing rests`, async (bench) => {
      const settled_odd = { ...settled('odd', 1), stat: odd } as unknown as Fact
      const record = bench.record(settled('a', 1), settled_odd, settled('b', 2))
      await expect(record).rejects.toMatchObject({
        code: 'ledger.refused',
        message: expect.stringContaining('docs/odd: cannot record file_settled: '),
      })
      expect(bench.see.file('docs', 'a')?.state).toBe('present')
      expect(bench.see.file('docs', 'b')?.state).toBe('present')
      expect(bench.see.file('docs', 'odd')).toBeUndefined()
      expect(troublesOf(bench)).toEqual(['fact:docs/odd'])
      await bench.record(settled('odd', 1))
      expect(troublesOf(bench)).toEqual([])
    })
  }

  for (const [what, odd] of [
    ['nothing in place of a name', { name: null }],
    ['nothing in place of a folder', null],
    ['nothing in place of labels', { name: 'odd', labels: null }],
  ] as const) {
    check(`a folder with ${what} is refused, and the others are configured`, async (bench) => {
      const sound = (name: string) => ({
        name,
        root: `/data/${name}`,
        project_id,
        labels: [],
        label_from: 'none' as const,
        rules: '',
      })
      const folder = odd === null ? null : { ...sound('odd'), ...odd }
      const record = bench.record(
        { type: 'daemon_started' },
        { type: 'folder_configured', folder: sound('one') },
        { type: 'folder_configured', folder } as unknown as Fact,
        { type: 'folder_configured', folder: sound('two') },
        { type: 'folders_removed_except', names: ['one', 'odd', 'two'] },
      )
      await expect(record).rejects.toMatchObject({ code: 'ledger.refused' })
      const names = (await bench.ledger.folders()).map(({ name }) => name)
      expect(names.filter((name) => name !== 'odd')).toEqual(['one', 'two'])
      expect(troublesOf(bench)).toHaveLength(1)
    })
  }

  check('a fault without a code refuses its content alone', async (bench) => {
    const odd = await bench.settle('docs', 'odd', 'odd')
    const plain = await bench.settle('docs', 'plain', 'plain')
    const error = { code: null, message: 'no' }
    const deferred = { type: 'deferred', content: odd, not_before_ms: 1, error } as unknown as Fact
    const refused = { type: 'content_refused', content: odd, error } as unknown as Fact
    const intended: Fact = { type: 'slot_intended', content: plain }
    for (const fact of [deferred, refused]) {
      await expect(bench.record(fact, intended)).rejects.toThrow('error.code is null')
    }
    expect(bench.see.stateOf(plain)).toBe('reserving')
    expect(bench.see.stateOf(odd)).toBe('wanted')
  })

  check('no other fact of the same thing in the record is stored', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    const deferred = { ...contentFact('deferred', content, 0), not_before_ms: 0.5 } as Fact
    const record = bench.record(contentFact('slot_intended', content, 0), deferred)
    await expect(record).rejects.toMatchObject({ code: 'ledger.refused' })
    expect(bench.see.stateOf(content)).toBe('wanted')
  })

  check('a trouble names the thing until a later fact of it is stored', async (bench) => {
    await expect(bench.record(settled('odd', Number.NaN))).rejects.toThrow('not a whole number')
    await bench.settle('docs', 'other', 'text')
    expect(troublesOf(bench)).toEqual(['fact:docs/odd'])
    await expect(bench.record(settled('odd', 0.1))).rejects.toThrow('0.1')
    expect(troublesOf(bench)).toEqual(['fact:docs/odd'])
    await bench.settle('docs', 'odd', 'text')
    expect(troublesOf(bench)).toEqual([])
  })

  check(
    'the work on such a thing rests for half an hour, and other work goes on',
    async (bench) => {
      const odd = await bench.settle('docs', 'odd', 'odd')
      const plain = await bench.settle('docs', 'plain', 'plain')
      await bench.sendable()
      const deferred = { ...contentFact('deferred', odd, 0), not_before_ms: 0.5 } as Fact
      await expect(bench.record(deferred)).rejects.toThrow()
      bench.free(odd)
      bench.free(plain)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([plain])
      bench.free(plain)
      expect((await bench.ledger.pending(0)).send).toBe(1)
      await bench.clock.advance(30 * minute_ms)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([odd, plain])
      expect(troublesOf(bench)).toEqual([`fact:content ${odd}`])
    },
  )

  check('a deferral does not end the rest', async (bench) => {
    const odd = await bench.settle('docs', 'odd', 'odd')
    await bench.sendable()
    const intended = { type: 'slot_intended', content: odd, not_before_ms: Infinity } as Fact
    await expect(bench.record(intended)).rejects.toThrow('Infinity')
    bench.free(odd)
    await bench.setBack(odd, 0)
    expect(await bench.sendable()).toEqual([])
    expect(troublesOf(bench)).toEqual([`fact:content ${odd}`])
    await bench.record({ type: 'slot_intended', content: odd })
    expect(troublesOf(bench)).toEqual([])
  })
}
