import { expect } from 'vitest'
import { type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

export function fileContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'one row follows a file from its first sight to settled, ready and gone, with the times',
    async (bench) => {
      const { clock } = bench
      const seen_ms = clock.now_ms()
      await bench.seen('docs', 'a.txt', 'text', 5_000)
      expect(bench.see.file('docs', 'a.txt')).toMatchObject({
        state: 'seen',
        seen_ms,
        not_before_ms: seen_ms + 5_000,
      })
      await clock.advance(5_000)
      const content = await bench.settle('docs', 'a.txt', 'text')
      expect(bench.see.file('docs', 'a.txt')).toMatchObject({
        state: 'present',
        seen_ms,
        settled_ms: seen_ms + 5_000,
        ready_ms: null,
        not_before_ms: null,
      })
      await clock.advance(1_000)
      await bench.makeReady(content)
      expect(bench.see.file('docs', 'a.txt')).toMatchObject({
        state: 'present',
        ready_ms: seen_ms + 6_000,
      })
      expect(bench.see.counts('docs')).toEqual({ ready: { files: 1, bytes: 4 } })
      await bench.gone('docs', 'a.txt')
      expect(bench.see.file('docs', 'a.txt')).toMatchObject({
        state: 'gone',
        gone_ms: seen_ms + 6_000,
        content,
      })
      expect(bench.see.counts('docs')).toEqual({ gone: { files: 1, bytes: 4 } })
    },
  )

  check('a file that never settled leaves no row when it goes', async (bench) => {
    await bench.seen('docs', 'short.txt')
    await bench.gone('docs', 'short.txt')
    await bench.gone('docs', 'never-seen.txt')
    expect(bench.see.file('docs', 'short.txt')).toBeUndefined()
    expect(bench.see.counts('docs')).toEqual({})
  })

  check(
    'the first sight of a version is kept while it settles, and new when settled bytes change',
    async (bench) => {
      const { clock } = bench
      const first_ms = clock.now_ms()
      await bench.seen('docs', 'a.txt', 'one')
      await clock.advance(1_000)
      await bench.seen('docs', 'a.txt', 'three')
      expect(bench.see.file('docs', 'a.txt')?.seen_ms).toBe(first_ms)
      await bench.settle('docs', 'a.txt', 'three')
      await clock.advance(1_000)
      await bench.seen('docs', 'a.txt', 'fourth')
      expect(bench.see.file('docs', 'a.txt')?.seen_ms).toBe(first_ms + 2_000)
    },
  )

  check('an ignored file has no row, whatever it was before', async (bench) => {
    const content = await bench.settle('docs', 'a.txt', 'text')
    await bench.record({ type: 'file_ignored', folder: 'docs', path: 'a.txt' })
    expect(bench.see.file('docs', 'a.txt')).toBeUndefined()
    expect(bench.see.counts('docs')).toEqual({})
    expect(await bench.sendable()).toEqual([])
    expect(bench.see.content(md5Of('text'))).toMatchObject({ id: content, state: 'abandoned' })
  })

  check(
    'skipped and blocked files keep their reason; a block without a time waits for a user',
    async (bench) => {
      const stat = statOf(0)
      await bench.record(
        {
          type: 'file_skipped',
          folder: 'docs',
          path: 'empty',
          stat,
          reason: 'empty',
          rule: 'no bytes',
        },
        {
          type: 'file_blocked',
          folder: 'docs',
          path: 'locked',
          stat: undefined,
          reason: 'unreadable',
          detail: 'EACCES',
          not_before_ms: bench.clock.now_ms() + 30_000,
        },
        {
          type: 'file_blocked',
          folder: 'docs',
          path: 'link/out',
          stat,
          reason: 'outside',
          detail: 'leads out',
          not_before_ms: undefined,
        },
      )
      expect(bench.see.file('docs', 'empty')).toMatchObject({ state: 'skipped', reason: 'empty' })
      expect(bench.see.file('docs', 'locked')).toMatchObject({
        state: 'blocked',
        reason: 'unreadable',
        size: 0,
      })
      await bench.clock.advance(30_000)
      expect((await bench.ledger.claimToCheck(10)).work).toEqual([
        { folder: 'docs', path: 'locked' },
      ])
      await bench.record({ type: 'retried', folder: 'docs', path: 'link' })
      expect((await bench.ledger.claimToCheck(10)).work).toEqual([
        { folder: 'docs', path: 'link/out' },
      ])
    },
  )

  check(
    'a file that changes while it is sent settles again, and the old content has no holder',
    async (bench) => {
      await bench.settle('docs', 'a.txt', 'old')
      const not_before_ms = bench.clock.now_ms() + 2_000
      await bench.record({ type: 'file_changed', folder: 'docs', path: 'a.txt', not_before_ms })
      await bench.record({
        type: 'file_changed',
        folder: 'docs',
        path: 'unknown.txt',
        not_before_ms,
      })
      expect(bench.see.file('docs', 'a.txt')).toMatchObject({ state: 'seen', not_before_ms })
      expect(bench.see.file('docs', 'unknown.txt')).toBeUndefined()
      expect(await bench.sendable()).toEqual([])
      await bench.settle('docs', 'a.txt', 'new')
      expect((await bench.sendable()).map(({ md5 }) => md5)).toEqual([md5Of('new')])
    },
  )

  check(
    'filesAt returns the files in the order of the paths, undefined for unknown ones, with exact numbers',
    async (bench) => {
      const stat = {
        size: 2 ** 52,
        mtime_ns: 1_790_000_000_123_456_789n,
        ctime_ns: -5n,
        inode: -3n,
      }
      await bench.record({ type: 'file_seen', folder: 'docs', path: 'b', stat, not_before_ms: 7 })
      const [none, b] = await bench.ledger.filesAt('docs', ['a', 'b'])
      expect(none).toBeUndefined()
      expect(b).toEqual({
        path: 'b',
        state: 'seen',
        stat,
        seen_ms: bench.clock.now_ms(),
        since_ms: bench.clock.now_ms(),
        not_before_ms: 7,
        reason: undefined,
        accepted: false,
        is_evidence: false,
      })
      expect(await bench.ledger.filesAt('no-such-folder', ['b'])).toEqual([undefined])
    },
  )

  check(
    'equal bytes at ten paths are one content, and a second project has its own',
    async (bench) => {
      await bench.online('other', { project_id: 'project_bbbbbbbbbbbbbbbbbbbb' })
      for (let copy = 0; copy < 10; copy++) await bench.settle('docs', `copy ${copy}`, 'same')
      await bench.settle('other', 'copy', 'same')
      const work = await bench.sendable()
      expect(work).toHaveLength(2)
      expect(work.map(({ sources }) => sources.length).sort()).toEqual([1, 4])
      expect(bench.see.counts('docs')).toEqual({ wanted: { files: 10, bytes: 40 } })
    },
  )

  check(
    'a file with known and ready content is ready at once, and nothing is sent',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a.txt', 'text'))
      await bench.settle('docs', 'copy.txt', 'text')
      expect(bench.see.file('docs', 'copy.txt')).toMatchObject({
        state: 'present',
        ready_ms: bench.clock.now_ms(),
      })
      expect(await bench.sendable()).toEqual([])
    },
  )

  check('facts about unknown folders and contents change nothing', async (bench) => {
    await bench.record(
      { type: 'file_gone', folder: 'nowhere', path: 'a' },
      { type: 'file_settled', folder: 'nowhere', path: 'a', stat: statOf(1), md5: md5Of('x') },
      { type: 'asset_ready', content: 4711 },
      { type: 'retried', folder: 'nowhere', path: '' },
      { type: 'folder_offline', folder: 'nowhere', reason: 'none' },
    )
    expect(bench.see.content(md5Of('x'))).toBeUndefined()
    expect((await bench.ledger.folders()).map(({ name }) => name)).toEqual(['docs'])
  })
}
