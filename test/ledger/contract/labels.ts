import { expect } from 'vitest'
import { type Bench, type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

/** Sets labels as the labeler does, and returns what it was asked to set. */
async function settleLabels(bench: Bench): Promise<{ wanted: string[]; attached: string[] }[]> {
  const { work } = await bench.label()
  for (const { content, wanted, attached } of work) {
    for (const name of wanted)
      await bench.record({ type: 'label_attached', content, name, label_id: `label ${name}` })
    for (const { name } of attached) {
      if (!wanted.includes(name)) await bench.record({ type: 'label_detached', content, name })
    }
    await bench.record({ type: 'labels_settled', content, wanted })
    bench.free(content)
  }
  return work.map(({ wanted, attached }) => ({
    wanted,
    attached: attached.map(({ name }) => name),
  }))
}

export function labelContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check('without labels in a folder nothing is ever due', async (bench) => {
    await bench.makeReady(await bench.settle('docs', 'a', 'text'))
    expect(await bench.label()).toEqual({ work: [], next_due_ms: undefined })
  })

  check(
    'the labels of the folder and of the first subfolder are set once, when the asset is ready',
    async (bench) => {
      await bench.configure('docs', { labels: ['zeta', 'alpha'], label_from: 'first_folder' })
      const content = await bench.settle('docs', 'Berlin/deep/a.txt', 'text')
      await bench.settle('docs', 'x/short-name-is-no-label.txt', 'other')
      expect((await bench.label()).work).toEqual([])
      const asset_id = await bench.makeReady(content)
      expect((await bench.label()).work).toMatchObject([
        {
          content,
          asset_id,
          name: 'docs/Berlin/deep/a.txt',
          wanted: ['Berlin', 'alpha', 'zeta'],
          attached: [],
        },
      ])
      expect((await bench.label()).work, 'claimed').toEqual([])
      bench.ledger.release('label', [content])
      expect(await settleLabels(bench)).toHaveLength(1)
      expect(bench.see.attached(content)).toEqual(['Berlin', 'alpha', 'zeta'])
      expect(await settleLabels(bench)).toEqual([])
    },
  )

  check(
    'an asset gets the labels of all its present paths, and a move takes its labels along',
    async (bench) => {
      await bench.configure('docs', { label_from: 'first_folder' })
      const content = await bench.settle('docs', 'Berlin/a.txt', 'text')
      await bench.makeReady(content)
      await settleLabels(bench)
      await bench.settle('docs', 'Paris/copy.txt', 'text')
      expect(await settleLabels(bench)).toEqual([
        { wanted: ['Berlin', 'Paris'], attached: ['Berlin'] },
      ])
      await bench.gone('docs', 'Berlin/a.txt')
      expect(await settleLabels(bench)).toEqual([
        { wanted: ['Paris'], attached: ['Berlin', 'Paris'] },
      ])
      await bench.gone('docs', 'Paris/copy.txt')
      await bench.settle('docs', 'Rome/moved.txt', 'text')
      expect(await settleLabels(bench)).toEqual([{ wanted: ['Rome'], attached: ['Paris'] }])
      expect(bench.see.attached(content)).toEqual(['Rome'])
    },
  )

  check('rules give labels by path, and a changed rule attaches and detaches', async (bench) => {
    const legal = { path: '/contracts/**', add: ['legal'] }
    await bench.configure('docs', { labels: ['team', legal], label_from: 'every_folder' })
    const content = await bench.settle('docs', 'contracts/2026/a.txt', 'text')
    await bench.settle('docs', 'copies/a.txt', 'text')
    await bench.makeReady(content)
    const both = ['2026', 'contracts', 'copies', 'legal', 'team']
    expect(await settleLabels(bench)).toEqual([{ wanted: both, attached: [] }])
    await bench.reopen()
    await bench.configure('docs', { labels: ['team', legal], label_from: 'every_folder' })
    expect(await settleLabels(bench), 'the same rules').toEqual([])
    await bench.configure('docs', { labels: [{ path: 'copies/', add: ['copy'] }] })
    expect(await settleLabels(bench)).toEqual([{ wanted: ['copy'], attached: both }])
    await bench.gone('docs', 'copies/a.txt')
    expect(await settleLabels(bench)).toEqual([{ wanted: [], attached: ['copy'] }])
  })

  check('contents that need no change do not delay others', async (bench) => {
    await bench.configure('docs', { label_from: 'first_folder' })
    for (const name of ['a', 'b', 'c'])
      await bench.makeReady(await bench.settle('docs', `Berlin/${name}`, name))
    await settleLabels(bench)
    // A second path in the same subfolder asks for the labels that are there already.
    for (const name of ['a', 'b', 'c']) await bench.settle('docs', `Berlin/copy of ${name}`, name)
    const fresh = await bench.settle('docs', 'Paris/d', 'd')
    await bench.makeReady(fresh)
    const claimed = await bench.label(2)
    expect(claimed).toEqual({ work: [], next_due_ms: bench.clock.now_ms() })
    expect((await bench.label(2)).work).toMatchObject([{ content: fresh, wanted: ['Paris'] }])
  })

  check('when the config asks for other labels, deferred ones are due at once', async (bench) => {
    await bench.configure('docs', { labels: ['refused'] })
    const content = await bench.settle('docs', 'a', 'text')
    await bench.makeReady(content)
    const not_before_ms = bench.clock.now_ms() + 60_000
    const [work] = (await bench.label()).work
    await bench.configure('docs', { labels: ['taken'] })
    await bench.record({ type: 'labels_deferred', content, not_before_ms, wanted: work!.wanted })
    bench.free(content)
    expect((await bench.label()).work).toMatchObject([{ content, wanted: ['taken'] }])
    await bench.record({ type: 'labels_deferred', content, not_before_ms, wanted: ['taken'] })
    bench.free(content)
    expect(await bench.label()).toEqual({ work: [], next_due_ms: not_before_ms })
  })

  check('every path counts, however many of them have the same bytes', async (bench) => {
    await bench.configure('docs', { label_from: 'first_folder' })
    const content = await bench.settle('docs', 'Berlin/a.txt', 'text')
    const paths = Array.from({ length: 1_100 }, (_, copy) => `Paris/${copy}`)
    const same = { folder: 'docs', stat: statOf(4), md5: md5Of('text') }
    await bench.record(
      ...['Rome/last', ...paths, 'zeta/last'].map((path) => ({
        type: 'file_settled' as const,
        path,
        ...same,
      })),
    )
    await bench.makeReady(content)
    expect((await settleLabels(bench))[0]?.wanted).toEqual(['Berlin', 'Paris', 'Rome', 'zeta'])
    expect(await settleLabels(bench)).toEqual([])
  })

  check('when the last path is gone the labels stay as they were', async (bench) => {
    await bench.configure('docs', { labels: ['quarterly'] })
    const content = await bench.settle('docs', 'a.txt', 'text')
    await bench.makeReady(content)
    await settleLabels(bench)
    await bench.gone('docs', 'a.txt')
    expect(await settleLabels(bench)).toEqual([])
    expect(bench.see.attached(content)).toEqual(['quarterly'])
  })

  check(
    'when a path gets other bytes, the old content loses the labels that only this path gave',
    async (bench) => {
      await bench.configure('docs', { label_from: 'first_folder' })
      const old = await bench.settle('docs', 'Berlin/a.txt', 'old')
      await bench.settle('docs', 'Paris/same.txt', 'old')
      await bench.makeReady(old)
      await settleLabels(bench)
      await bench.seen('docs', 'Berlin/a.txt', 'newer')
      await bench.settle('docs', 'Berlin/a.txt', 'newer')
      expect(await settleLabels(bench)).toEqual([
        { wanted: ['Paris'], attached: ['Berlin', 'Paris'] },
      ])
      expect(bench.see.attached(old)).toEqual(['Paris'])
    },
  )

  check('labels stay due when a path came while they were being set', async (bench) => {
    await bench.configure('docs', { label_from: 'first_folder' })
    const content = await bench.settle('docs', 'Berlin/a.txt', 'text')
    await bench.makeReady(content)
    const [work] = (await bench.label()).work
    await bench.settle('docs', 'Paris/b.txt', 'text')
    await bench.record({ type: 'label_attached', content, name: 'Berlin', label_id: 'label_1' })
    await bench.record({ type: 'labels_settled', content, wanted: work!.wanted })
    bench.free(content)
    expect(await settleLabels(bench)).toEqual([
      { wanted: ['Berlin', 'Paris'], attached: ['Berlin'] },
    ])
  })

  check('all assets of a folder follow its labels in the config, down to none', async (bench) => {
    await bench.configure('docs', { labels: ['one'] })
    const content = await bench.settle('docs', 'a', 'text')
    await bench.makeReady(content)
    await settleLabels(bench)
    await bench.configure('docs', { labels: ['two'] })
    expect(await settleLabels(bench)).toEqual([{ wanted: ['two'], attached: ['one'] }])
    await bench.configure('docs', { labels: ['two'] })
    expect(await settleLabels(bench)).toEqual([])
    await bench.configure('docs', { labels: [] })
    expect(await settleLabels(bench)).toEqual([{ wanted: [], attached: ['two'] }])
    expect(bench.see.attached(content)).toEqual([])
  })

  check(
    'a folder that left the config keeps its labels, unless another folder holds the content',
    async (bench) => {
      await bench.online('red', { labels: ['red'] })
      await bench.online('blue', { labels: ['blue'] })
      const both = await bench.settle('red', 'both', 'both')
      await bench.settle('blue', 'both', 'both')
      const only_red = await bench.settle('red', 'red', 'red')
      await bench.makeReady(both)
      await bench.makeReady(only_red)
      await settleLabels(bench)
      expect(bench.see.attached(both)).toEqual(['blue', 'red'])
      await bench.record({ type: 'folders_removed_except', names: ['docs', 'blue'] })
      expect(await settleLabels(bench)).toEqual([{ wanted: ['blue'], attached: ['blue', 'red'] }])
      expect(bench.see.attached(only_red)).toEqual(['red'])
      await bench.online('red', { labels: ['red'] })
      expect(await settleLabels(bench)).toEqual([{ wanted: ['blue', 'red'], attached: ['blue'] }])
    },
  )

  check(
    'an attach without an answer leaves the label in doubt until a call about it is answered',
    async (bench) => {
      await bench.configure('docs', { labels: ['one'] })
      const content = await bench.settle('docs', 'a', 'text')
      await bench.makeReady(content)
      expect((await bench.label()).work).toMatchObject([
        { wanted: ['one'], attached: [], in_doubt: [] },
      ])
      await bench.record({ type: 'labels_intended', content, names: ['one'] })
      bench.free(content)
      await bench.configure('docs', { labels: [] })
      expect((await bench.label()).work).toMatchObject([
        { wanted: [], attached: [], in_doubt: ['one'] },
      ])
      await bench.reopen()
      await bench.configure('docs', { labels: ['one'] })
      expect((await bench.label()).work).toMatchObject([
        { wanted: ['one'], attached: [], in_doubt: ['one'] },
      ])
      await bench.record({ type: 'label_attached', content, name: 'one', label_id: 'label_1' })
      bench.free(content)
      expect((await bench.label()).work).toEqual([])
      expect(bench.see.attached(content)).toEqual(['one'])
    },
  )

  check('a detach without an answer leaves no wanted label marked as attached', async (bench) => {
    await bench.configure('docs', { labels: ['one'] })
    const content = await bench.settle('docs', 'a', 'text')
    await bench.makeReady(content)
    await settleLabels(bench)
    await bench.configure('docs', { labels: [] })
    await bench.label()
    await bench.record({ type: 'labels_intended', content, names: ['one'] })
    bench.free(content)
    await bench.configure('docs', { labels: ['one'] })
    expect((await bench.label()).work).toMatchObject([
      { wanted: ['one'], attached: [{ name: 'one' }], in_doubt: ['one'] },
    ])
    await bench.configure('docs', { labels: [] })
    await bench.record({ type: 'label_detached', content, name: 'one' })
    bench.free(content)
    expect((await bench.label()).work).toEqual([])
  })

  check(
    'calls that were certainly not made leave no doubt, and neither does another asset',
    async (bench) => {
      await bench.configure('docs', { labels: ['one', 'two'] })
      const content = await bench.settle('docs', 'a', 'text')
      const asset_id = await bench.makeReady(content)
      await bench.label()
      await bench.record({ type: 'labels_intended', content, names: ['one', 'two'] })
      await bench.record({ type: 'labels_unsent', content, names: ['two'] })
      bench.free(content)
      expect((await bench.label()).work).toMatchObject([{ in_doubt: ['one'] }])
      bench.free(content)
      await bench.record({ type: 'asset_missing', content, asset_id })
      await bench.record({ type: 'content_wanted_again', content, not_before_ms: 0 })
      await bench.makeReady(content)
      expect((await bench.label()).work).toMatchObject([{ attached: [], in_doubt: [] }])
    },
  )

  check(
    'deferred labels are asked again at their time, and names in any script are settled',
    async (bench) => {
      await bench.configure('docs', { labels: ['\u{1F600} smile', '\uFF5E wave', 'two\nlines'] })
      const content = await bench.settle('docs', 'a', 'text')
      await bench.makeReady(content)
      await bench.label()
      const not_before_ms = bench.clock.now_ms() + 60_000
      await bench.record({ type: 'labels_deferred', content, not_before_ms })
      bench.free(content)
      expect(await bench.label()).toEqual({ work: [], next_due_ms: not_before_ms })
      await bench.clock.advance(60_000)
      expect(await settleLabels(bench)).toHaveLength(1)
      await bench.settle('docs', 'copy', 'text')
      expect(await settleLabels(bench)).toEqual([])
      expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
    },
  )
}
