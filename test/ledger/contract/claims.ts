import { expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { large_bytes } from '../../../src/domain/file.ts'
import type { CheckChoice } from '../../../src/ledger/ledger.ts'
import {
  type Bench,
  contentFact,
  type LedgerFactory,
  md5Of,
  other_project_id,
  project_id,
  statOf,
  ticketFor,
} from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

const ids = (work: readonly { content: number }[]) => work.map(({ content }) => content)

export function claimContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  sendClaims(check)
  otherClaims(check)
  outOfReach(check)
}

function sendClaims(check: ReturnType<typeof withLedger>): void {
  check(
    'a claimed content is not claimed again until it is released, and the order is by due time',
    async (bench) => {
      const contents = []
      for (const text of ['one', 'two', 'three'])
        contents.push(await bench.settle('docs', text, text))
      const [first, second, third] = contents as [number, number, number]
      expect(ids(await bench.sendable(2))).toEqual([first, second])
      expect(ids(await bench.sendable())).toEqual([third])
      expect(ids(await bench.sendable())).toEqual([])
      bench.ledger.release('follow', [second])
      expect(ids(await bench.sendable())).toEqual([])
      bench.ledger.release('send', [second])
      expect(ids(await bench.sendable())).toEqual([second])
    },
  )

  check('no time ends a claim, because an upload may take hours', async (bench) => {
    await bench.settle('docs', 'a', 'text')
    await bench.sendable()
    await bench.clock.advance(365 * day_ms)
    expect(ids(await bench.sendable())).toEqual([])
  })

  check('claims made at the same time have no content in common', async (bench) => {
    const contents = []
    for (const text of ['one', 'two', 'three'])
      contents.push(await bench.settle('docs', text, text))
    const claims = await Promise.all([bench.sendable(2), bench.sendable(2), bench.sendable(2)])
    expect(claims.map(ids)).toEqual([contents.slice(0, 2), contents.slice(2), []])
  })

  check('a release wakes the workers of its kind', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.sendable()
    const wakes: unknown[] = []
    const stop = bench.ledger.onWork((kinds, why) => wakes.push([...kinds, why]))
    bench.ledger.release('send', [content])
    bench.ledger.release('send', [])
    stop()
    expect(wakes).toEqual([['send', 'released']])
  })

  check(
    'a claimed content is named after a present copy, not after one that is gone',
    async (bench) => {
      await bench.settle('docs', 'a-gone', 'text')
      const content = await bench.settle('docs', 'b-there', 'text')
      for (const type of [
        'slot_intended',
        'slot_reserved',
        'bytes_accepted',
        'ingest_started',
      ] as const) {
        await bench.record(contentFact(type, content, bench.clock.now_ms()))
      }
      await bench.record({ type: 'file_gone', folder: 'docs', path: 'a-gone' })
      await bench.settle('docs', 'c-changed', 'text')
      await bench.record({
        type: 'file_seen',
        folder: 'docs',
        path: 'c-changed',
        stat: statOf(9),
        not_before_ms: 1,
      })
      const { work } = await bench.ledger.claimToFollow(10, { except_projects: [] })
      expect(work).toMatchObject([{ content, name: 'docs/b-there' }])
    },
  )

  check(
    'no fact ends a claim, and the next claim sees what the facts have changed',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.sendable()
      for (const type of [
        'slot_intended',
        'slot_reserved',
        'bytes_accepted',
        'deferred',
      ] as const) {
        await bench.record(contentFact(type, content, bench.clock.now_ms()))
        expect(ids(await bench.sendable()), type).toEqual([])
      }
      bench.free(content)
      const [again] = await bench.sendable()
      expect(again).toMatchObject({ content, state: 'sent', attempts: 1, sources: [] })
      expect(again?.asset_id).toMatch(/^asset_/)
      await bench.record(contentFact('bytes_missing', content, bench.clock.now_ms()))
      bench.free(content)
      const [put_again] = await bench.sendable()
      expect(put_again).toMatchObject({
        content,
        state: 'reserved',
        ticket: ticketFor(`${content}`),
      })
      await bench.record(contentFact('slot_lost', content, bench.clock.now_ms()))
      bench.free(content)
      expect((await bench.sendable())[0]).toMatchObject({
        content,
        state: 'wanted',
        ticket: undefined,
        asset_id: undefined,
        attempts: 3,
        failing_since_ms: bench.clock.now_ms(),
      })
      await bench.record(contentFact('content_refused', content, bench.clock.now_ms()))
      bench.free(content)
      expect(ids(await bench.sendable())).toEqual([])
    },
  )

  check('a late fact about an earlier asset does not stop the next upload', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.makeReady(content)
    await bench.record(
      { type: 'asset_missing', content },
      { type: 'retried', folder: 'docs', path: 'a' },
    )
    expect(ids(await bench.sendable())).toEqual([content])
    for (const type of [
      'asset_missing',
      'asset_unready',
      'asset_failed',
      'asset_removed',
      'asset_kept',
    ] as const) {
      await bench.record(contentFact(type, content, bench.clock.now_ms()))
      expect(ids(await bench.sendable()), type).toEqual([])
    }
    await bench.reserve(content)
    await bench.record(contentFact('slot_lost', content, bench.clock.now_ms()))
    bench.free(content)
    expect(ids(await bench.sendable())).toEqual([content])
  })

  check(
    'a deferred content is claimed at its time, and next_due_ms gives that time',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.sendable()
      await bench.setBack(content, 30_000)
      bench.free(content)
      expect(await bench.claimToSend()).toEqual({
        work: [],
        next_due_ms: bench.clock.now_ms() + 30_000,
      })
      await bench.clock.advance(30_000)
      expect(await bench.claimToSend()).toMatchObject({
        work: [{ content, attempts: 1 }],
        next_due_ms: undefined,
      })
    },
  )

  check('excepted projects wait, and others continue', async (bench) => {
    await bench.online('other', { project_id: other_project_id })
    const mine = await bench.settle('docs', 'a', 'text')
    const others = await bench.settle('other', 'b', 'more')
    expect(ids((await bench.claimToSend(10, [project_id])).work)).toEqual([others])
    expect(await bench.ledger.dueElsewhere([project_id, other_project_id], 0)).toBe(false)
    expect(await bench.ledger.dueElsewhere([other_project_id], 0)).toBe(true)
    expect(ids((await bench.claimToSend(10, [])).work)).toEqual([mine])
  })

  check(
    'sources are the present paths, at most four; another path replaces one that is gone',
    async (bench) => {
      for (let copy = 0; copy < 6; copy++) await bench.settle('docs', `copy ${copy}`, 'same')
      const [work] = await bench.sendable()
      expect(work?.sources).toHaveLength(4)
      expect(work).toMatchObject({
        project_id,
        md5: md5Of('same'),
        size: 4,
        state: 'wanted',
        without_md5: false,
      })
      for (let copy = 0; copy < 5; copy++) await bench.gone('docs', `copy ${copy}`)
      bench.ledger.release('send', [work!.content])
      expect(
        (await bench.sendable())[0]?.sources.map(({ path, root }) => `${root}/${path}`),
      ).toEqual(['/data/docs/copy 5'])
    },
  )

  check(
    'a content without a path is abandoned with its ticket until its bytes return',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.reserve(content)
      expect(bench.see.ticketsKept()).toBe(1)
      await bench.gone('docs', 'a')
      expect(ids(await bench.sendable())).toEqual([])
      expect(bench.see.content(md5Of('text'))).toMatchObject({
        id: content,
        state: 'abandoned',
        asset_id: null,
      })
      expect(bench.see.ticketsKept()).toBe(0)
      await bench.settle('docs', 'b', 'text')
      expect(await bench.sendable()).toMatchObject([
        { content, state: 'wanted', sources: [{ path: 'b' }] },
      ])
      expect(bench.see.counts('docs')).toMatchObject({ wanted: { files: 1, bytes: 4 } })
    },
  )

  check('a content with a new path cannot be recorded as orphaned', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.record({ type: 'content_orphaned', content })
    expect(bench.see.content(md5Of('text'))?.state).toBe('wanted')
    expect(ids(await bench.sendable())).toEqual([content])
  })

  check('a content whose bytes are out needs no path to be completed', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.reserve(content)
    await bench.record({ type: 'bytes_accepted', content })
    await bench.gone('docs', 'a')
    expect(await bench.sendable()).toMatchObject([
      { content, state: 'sent', name: 'docs/a', sources: [] },
    ])
    await bench.record(
      { type: 'ingest_started', content, not_before_ms: 0 },
      { type: 'asset_ready', content },
    )
    expect(bench.see.content(md5Of('text'))?.state).toBe('ready')
    expect(bench.see.arrivals('docs')).toEqual([])
  })

  check(
    'after a restart every claim is free, and a reserved slot is completed, not replaced',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.sendable()
      const asset_id = await bench.reserve(content)
      await bench.reopen()
      expect(await bench.sendable()).toMatchObject([
        {
          content,
          state: 'reserved',
          asset_id,
          ticket: ticketFor(asset_id),
          sources: [{ path: 'a' }],
        },
      ])
    },
  )
}

function otherClaims(check: ReturnType<typeof withLedger>): void {
  check(
    'follow: due contents come with what the follower needs, and stay claimed until released',
    async (bench) => {
      const content = await bench.settle('docs', 'sub/a.txt', 'text')
      const asset_id = await bench.send(content)
      const started_ms = bench.clock.now_ms()
      expect((await bench.follow()).work).toEqual([
        {
          content,
          project_id,
          asset_id,
          name: 'docs/sub/a.txt',
          size: 4,
          is_ready: false,
          made_here: true,
          attempts: 0,
          following_since_ms: started_ms,
          vanished: 0,
          error_code: undefined,
        },
      ])
      expect((await bench.follow()).work).toEqual([])
      const note = { code: 'http.503', message: 'busy' }
      await bench.record({
        type: 'ingest_continues',
        content,
        not_before_ms: started_ms + 1_000,
        note,
      })
      bench.free(content)
      expect(await bench.follow()).toEqual({ work: [], next_due_ms: started_ms + 1_000 })
      await bench.clock.advance(1_000)
      expect((await bench.follow(1)).work).toMatchObject([
        { content, attempts: 1, following_since_ms: started_ms, error_code: 'http.503' },
      ])
      expect(bench.see.history(content)).toEqual([
        'slot_reserved',
        'bytes_accepted',
        'ingest_started',
      ])
    },
  )

  check(
    'follow: a ready asset that the service reads further, less and less often',
    async (bench) => {
      const content = await bench.settle('docs', 'scan.pdf', 'text')
      await bench.send(content)
      const reading = { of: 10, seen: 1, unit: 'page', why: 'recognition goes on' } as const
      await bench.record({ type: 'asset_ready', content, reading })
      const ready_ms = bench.clock.now_ms()
      expect(await bench.follow()).toEqual({ work: [], next_due_ms: ready_ms + 2_000 })
      await bench.clock.advance(2_000)
      const { work, next_due_ms } = await bench.follow()
      expect(work).toMatchObject([{ content, is_ready: true }])
      expect(next_due_ms).toBe(ready_ms + 4_000)
      await bench.record({ type: 'asset_confirmed', content, reading: { ...reading, seen: 2 } })
      bench.free(content)
      await bench.clock.advance(8_000)
      expect((await bench.follow()).work).toMatchObject([{ content }])
      bench.free(content)
      // Without an answer it is asked for again, too.
      await bench.clock.advance(5_000)
      expect((await bench.follow()).work).toMatchObject([{ content }])
      const whole = { of: 10, seen: 10, unit: 'page' } as const
      await bench.record({ type: 'asset_confirmed', content, reading: whole })
      bench.free(content)
      expect(await bench.follow()).toEqual({ work: [], next_due_ms: undefined })
    },
  )

  check('check: due files in online folders stay claimed until released', async (bench) => {
    await bench.seen('docs', 'a', 'text', 1_000)
    await bench.seen('docs', 'b', 'text', 2_000)
    const now_ms = bench.clock.now_ms()
    expect(await bench.ledger.claimToCheck(10)).toEqual({ work: [], next_due_ms: now_ms + 1_000 })
    await bench.clock.advance(1_000)
    expect(await bench.ledger.claimToCheck(10)).toEqual({
      work: [{ folder: 'docs', path: 'a' }],
      next_due_ms: now_ms + 2_000,
    })
    await bench.clock.advance(1_000)
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([{ folder: 'docs', path: 'b' }])
    await bench.seen('docs', 'a', 'other', 0)
    expect((await bench.ledger.claimToCheck(10)).work, 'in flight').toEqual([])
    bench.ledger.release('check', [{ folder: 'docs', path: 'a' }])
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([{ folder: 'docs', path: 'a' }])
  })

  check('check: releasing a claim makes only its own files free again', async (bench) => {
    for (const path of ['a', 'b']) await bench.seen('docs', path)
    expect((await bench.ledger.claimToCheck(10)).work).toHaveLength(2)
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([])
    bench.ledger.release('check', [
      { folder: 'docs', path: 'b' },
      { folder: 'gone', path: 'a' },
    ])
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([{ folder: 'docs', path: 'b' }])
  })

  check('check: a claim takes only the given sizes, and skips excepted folders', async (bench) => {
    await bench.online('other')
    const sizes = { small: large_bytes - 1, large: large_bytes, larger: large_bytes + 1 }
    for (const [path, size] of Object.entries(sizes)) {
      await bench.record({
        type: 'file_seen',
        folder: 'docs',
        path,
        stat: statOf(size),
        not_before_ms: 0,
      })
    }
    await bench.seen('other', 'elsewhere')
    const claimed = async (limit: number, choice?: CheckChoice) =>
      (await bench.ledger.claimToCheck(limit, choice)).work
    const not_docs = { except_folders: ['docs'], sizes: ['small'] } as const
    expect(await claimed(10, not_docs)).toEqual([{ folder: 'other', path: 'elsewhere' }])
    expect(await claimed(10, { ...not_docs, except_folders: [] })).toEqual([
      { folder: 'docs', path: 'small' },
    ])
    expect(await claimed(1, { except_folders: [], sizes: ['large'] })).toEqual([
      { folder: 'docs', path: 'large' },
    ])
    expect(await claimed(10)).toEqual([{ folder: 'docs', path: 'larger' }])
  })

  check(
    'pending counts the contents of each kind that become due within the horizon',
    async (bench) => {
      await bench.online('labelled', { labels: ['quarterly'] })
      await bench.seen('docs', 'seen', 'text', 10_000)
      await bench.settle('docs', 'wanted', 'wanted')
      await bench.send(await bench.settle('docs', 'followed', 'followed'))
      await bench.makeReady(await bench.settle('labelled', 'ready', 'ready'))
      const now_ms = bench.clock.now_ms()
      expect(await bench.ledger.pending(0)).toEqual({
        check: 0,
        send: 1,
        follow: 1,
        label: 1,
        name: 0,
        remove: 0,
        next_due_ms: now_ms,
      })
      expect(await bench.ledger.pending(10_000)).toMatchObject({
        check: 1,
        send: 1,
        follow: 1,
        label: 1,
        name: 0,
      })
    },
  )
}

async function offline(bench: Bench, folder: string): Promise<void> {
  await bench.record({ type: 'folder_offline', folder, reason: 'unmounted' })
}

function outOfReach(check: ReturnType<typeof withLedger>): void {
  check(
    'contents whose only folder is offline wait, lose nothing, and delay no others',
    async (bench) => {
      await bench.online('share')
      await bench.record({ type: 'accepted', folder: 'share', path: '*.' })
      const away = []
      for (let file = 0; file < 50; file++)
        away.push(await bench.settle('share', `${file}`, `share ${file}`))
      const here = await bench.settle('docs', 'a', 'text')
      await offline(bench, 'share')
      expect(ids(await bench.sendable(4))).toEqual([here])
      expect(bench.see.counts('share')).toMatchObject({ wanted: { files: 50 } })
      expect((await bench.claimToSend()).next_due_ms).toBe(bench.clock.now_ms() + 5 * minute_ms)
      await bench.clock.advance(1_000)
      await bench.record({ type: 'folder_online', folder: 'share', device: 5n })
      expect(ids(await bench.sendable()), 'at once when the folder is back').toEqual(away)
    },
  )

  check('a content in two folders is read from the online one', async (bench) => {
    await bench.online('share')
    await bench.settle('share', 'copy', 'same')
    await bench.settle('docs', 'copy', 'same')
    await offline(bench, 'share')
    expect((await bench.sendable())[0]?.sources.map(({ folder }) => folder)).toEqual(['docs'])
  })

  check('a claim reads a bounded number of rows, and says that there are more', async (bench) => {
    await bench.online('share')
    const facts = Array.from({ length: 1_100 }, (_, file) => ({
      type: 'file_settled' as const,
      folder: 'share',
      path: `${file}`,
      stat: { size: 1, mtime_ns: 1n, ctime_ns: 1n, inode: 1n },
      md5: md5Of(`share ${file}`),
    }))
    await bench.record(...facts)
    await offline(bench, 'share')
    await bench.clock.advance(1)
    const here = await bench.settle('docs', 'a', 'text')
    let calls = 0
    let claimed = await bench.claimToSend(16)
    while (claimed.work.length === 0 && calls++ < 100) {
      expect(claimed.next_due_ms).toBe(bench.clock.now_ms())
      claimed = await bench.claimToSend(16)
    }
    expect(ids(claimed.work)).toEqual([here])
    expect(calls).toBeLessThan(4)
  })

  check(
    'files of an offline folder are not checked, and all of them are when it is online again',
    async (bench) => {
      await bench.online('share')
      for (const path of ['a', 'b', 'c']) await bench.seen('share', path)
      await bench.seen('docs', 'z')
      await offline(bench, 'share')
      expect((await bench.ledger.claimToCheck(1)).work).toEqual([{ folder: 'docs', path: 'z' }])
      await bench.clock.advance(1_000)
      await bench.record({ type: 'folder_online', folder: 'share', device: 5n })
      const checks = (await bench.ledger.claimToCheck(10)).work.filter(
        ({ folder }) => folder === 'share',
      )
      expect(checks.map(({ path }) => path).sort()).toEqual(['a', 'b', 'c'])
    },
  )

  check('without a return to online they are claimed again after five minutes', async (bench) => {
    await bench.settle('docs', 'a', 'text')
    await bench.seen('docs', 'b')
    await offline(bench, 'docs')
    expect(await bench.sendable()).toEqual([])
    expect((await bench.ledger.claimToCheck(10)).work).toEqual([])
    await bench.reopen()
    await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
    await bench.clock.advance(5 * minute_ms)
    expect(await bench.sendable()).toHaveLength(1)
    expect((await bench.ledger.claimToCheck(10)).work).toHaveLength(1)
    expect(bench.clock.now_ms()).toBeLessThan(Date.UTC(2026, 0, 1) + hour_ms)
  })
}
