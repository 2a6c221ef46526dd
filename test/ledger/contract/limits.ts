import { expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

const upload_limit = { files: 3, bytes: 1_000, per_ms: hour_ms }

export function limitContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  uploadLimitTests(check)
  dailyLimit(check)
  clockSetBack(check)

  check(
    'a document that is saved each minute is sent once in ten, and the last version wins',
    async (bench) => {
      const sent_ms = bench.clock.now_ms()
      await bench.makeReady(await bench.settle('docs', 'minutes.txt', 'version 0'))
      for (let version = 1; version <= 3; version++) {
        await bench.clock.advance(minute_ms)
        await bench.seen('docs', 'minutes.txt', `version ${version}`)
        await bench.settle('docs', 'minutes.txt', `version ${version}`)
        expect(await bench.claimToSend()).toEqual({
          work: [],
          next_due_ms: sent_ms + 10 * minute_ms,
        })
      }
      const other = await bench.settle('docs', 'other.txt', 'goes at once')
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([other])
      await bench.clock.advance(7 * minute_ms)
      const work = await bench.sendable()
      expect(work.map(({ md5 }) => md5)).toEqual([md5Of('version 3')])
      expect(bench.see.content(md5Of('version 1'))?.state).toBe('abandoned')
    },
    { min_resend_ms: 10 * minute_ms },
  )

  check(
    'a document that is saved during its upload waits as long',
    async (bench) => {
      const content = await bench.settle('docs', 'minutes.txt', 'version 0')
      await bench.reserve(content)
      await bench.seen('docs', 'minutes.txt', 'version 1')
      await bench.record({ type: 'bytes_accepted', content })
      const sent_ms = bench.clock.now_ms()
      await bench.record({ type: 'ingest_started', content, not_before_ms: sent_ms })
      await bench.settle('docs', 'minutes.txt', 'version 1')
      expect(await bench.claimToSend()).toEqual({ work: [], next_due_ms: sent_ms + 10 * minute_ms })
    },
    { min_resend_ms: 10 * minute_ms },
  )
}

function uploadLimitTests(check: ReturnType<typeof withLedger>): void {
  check(
    'the upload limit: files beyond it wait for a user, at any hour',
    async (bench) => {
      for (let file = 0; file < 5; file++) await bench.settle('docs', `new/${file}`, `text ${file}`)
      expect(await bench.sendable()).toHaveLength(3)
      expect(bench.see.file('docs', 'new/3')).toMatchObject({
        state: 'blocked',
        reason: 'upload_limit',
        not_before_ms: null,
      })
      expect(bench.see.counts('docs')).toEqual({
        wanted: { files: 3, bytes: 18 },
        blocked: { files: 2, bytes: 12 },
      })
      await bench.clock.advance(2 * hour_ms)
      expect((await bench.ledger.claimToCheck(10)).work).toEqual([])
      await bench.record({ type: 'retried', folder: 'docs', path: '' })
      expect((await bench.ledger.claimToCheck(10)).work, 'retry is not accept').toEqual([])
      await bench.record({ type: 'accepted', folder: 'docs', path: 'new/3' })
      expect((await bench.ledger.claimToCheck(10)).work).toEqual([
        { folder: 'docs', path: 'new/3' },
      ])
      expect(
        (await bench.ledger.filesAt('docs', ['new/3', 'new/4'])).map((file) => file?.accepted),
      ).toEqual([true, false])
    },
    { upload_limit },
  )

  check(
    'an accepted file passes the upload limit, and an accepted directory passes with all below it and nothing else',
    async (bench) => {
      for (let file = 0; file < 3; file++)
        await bench.settle('docs', `first ${file}`, `text ${file}`)
      await bench.record(
        ...['a/one', 'a/sub/two', 'a', 'a0', 'a-b'].map((path) => ({
          type: 'file_settled' as const,
          folder: 'docs',
          path,
          stat: statOf(5),
          md5: md5Of(path),
        })),
      )
      await bench.record({ type: 'accepted', folder: 'docs', path: 'a' })
      const checks = (await bench.ledger.claimToCheck(10)).work.map(({ path }) => path)
      expect(checks.sort()).toEqual(['a', 'a/one', 'a/sub/two'])
      for (const path of checks) await bench.settle('docs', path, path, 5)
      expect((await bench.ledger.filesAt('docs', ['a/one']))[0]).toMatchObject({
        state: 'present',
        accepted: true,
      })
      expect(bench.see.file('docs', 'a0')?.state).toBe('blocked')
      expect(bench.see.counts('docs')).toMatchObject({
        blocked: { files: 2 },
        wanted: { files: 6 },
      })
    },
    { upload_limit },
  )

  check(
    'the upload limit counts bytes too, lets known content pass, and opens with the next hour',
    async (bench) => {
      await bench.settle('docs', 'big', 'big', 900)
      await bench.settle('docs', 'too much', 'too much', 200)
      await bench.settle('docs', 'copy of big', 'big', 900)
      expect(bench.see.file('docs', 'too much')?.state).toBe('blocked')
      expect(bench.see.file('docs', 'copy of big')?.state).toBe('present')
      await bench.clock.advance(2 * hour_ms)
      await bench.settle('docs', 'later', 'later', 200)
      expect(bench.see.file('docs', 'later')?.state).toBe('present')
    },
    { upload_limit },
  )
}

function dailyLimit(check: ReturnType<typeof withLedger>): void {
  check(
    'max_bytes_per_day counts sent bytes and those on their way, and frees them as hours leave the day',
    async (bench) => {
      const contents = []
      for (let file = 0; file < 4; file++)
        contents.push(await bench.settle('docs', `${file}`, `text ${file}`, 400))
      const [first] = await bench.sendable(1)
      expect(first?.content).toBe(contents[0])
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([contents[1]])
      expect(await bench.sendable(), 'both are still on their way').toEqual([])
      await bench.makeReady(contents[0]!)
      await bench.makeReady(contents[1]!)
      const start_ms = bench.clock.now_ms()
      const { work, next_due_ms } = await bench.claimToSend()
      expect(work).toEqual([])
      expect(next_due_ms, 'sums are kept by the hour').toBe(start_ms + hour_ms)
      await bench.clock.advance(day_ms - hour_ms)
      expect(await bench.sendable()).toEqual([])
      await bench.clock.advance(hour_ms)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([
        contents[2],
        contents[3],
      ])
    },
    { max_bytes_per_day: 1_000 },
  )

  check(
    'sent bytes are counted once, also while their claim continues',
    async (bench) => {
      const first = await bench.settle('docs', 'a', 'a', 400)
      const second = await bench.settle('docs', 'b', 'b', 400)
      expect(await bench.sendable(1)).toHaveLength(1)
      await bench.reserve(first)
      await bench.record({ type: 'bytes_accepted', content: first })
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([second])
    },
    { max_bytes_per_day: 1_000 },
  )

  check(
    'a file larger than the whole limit is sent when nothing else was, and nothing goes with it',
    async (bench) => {
      const large = await bench.settle('docs', 'large', 'large', 5_000)
      await bench.clock.advance(1)
      const small = await bench.settle('docs', 'small', 'small', 10)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([large])
      expect(await bench.sendable()).toEqual([])
      await bench.makeReady(large)
      expect(await bench.sendable()).toEqual([])
      await bench.clock.advance(day_ms)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([small])
    },
    { max_bytes_per_day: 1_000 },
  )

  check(
    'small files cannot delay a large one for ever: it is sent the day after',
    async (bench) => {
      const first = await bench.settle('docs', 'first', 'first', 600)
      await bench.clock.advance(1)
      const large = await bench.settle('docs', 'large', 'large', 900)
      await bench.clock.advance(1)
      await bench.settle('docs', 'small', 'small', 10)
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([first])
      await bench.makeReady(first)
      await bench.clock.advance(day_ms)
      expect((await bench.sendable()).map(({ content }) => content)[0]).toBe(large)
    },
    { max_bytes_per_day: 1_000 },
  )

  check(
    'a content that only lacks complete uses no limit and never waits for it',
    async (bench) => {
      const sent = await bench.settle('docs', 'sent', 'sent', 2_000)
      for (let file = 0; file < 20; file++)
        await bench.settle('docs', `${file}`, `text ${file}`, 400)
      await bench.reserve(sent)
      await bench.record({ type: 'bytes_accepted', content: sent })
      await bench.setBack(sent, 60_000)
      expect(await bench.sendable(4)).toEqual([])
      await bench.clock.advance(60_000)
      expect(await bench.sendable(4)).toMatchObject([{ content: sent, state: 'sent' }])
    },
    { max_bytes_per_day: 1_000 },
  )
}

function clockSetBack(check: ReturnType<typeof withLedger>): void {
  for (const when of ['while it runs', 'while it is stopped']) {
    check(
      `a clock that ran ahead is right ${when}: waiting contents are due, and usage of future hours is forgotten`,
      async (bench) => {
        await bench.clock.advance(4 * hour_ms)
        const [deferred, ready, ingesting] = [
          await bench.settle('docs', 'set back', 'set back', 400),
          await bench.settle('docs', 'ready', 'ready', 400),
          await bench.settle('docs', 'ingesting', 'ingesting', 200),
        ]
        await bench.seen('docs', 'seen', 'seen', minute_ms)
        await bench.setBack(deferred, minute_ms)
        await bench.send(ingesting)
        await bench.configure('docs', { labels: ['one'] })
        await bench.makeReady(ready)
        const not_before_ms = bench.clock.now_ms() + day_ms
        await bench.record({ type: 'labels_deferred', content: ready, not_before_ms })
        bench.clock.jumpWall(-4 * hour_ms)
        if (when === 'while it is stopped') await bench.reopen()
        await bench.record({ type: 'daemon_started' })
        expect((await bench.ledger.claimToCheck(10)).work).toMatchObject([{ path: 'seen' }])
        expect((await bench.follow()).work).toMatchObject([{ content: ingesting }])
        expect((await bench.label()).work).toMatchObject([{ content: ready }])
        expect((await bench.sendable()).map(({ content }) => content)).toEqual([deferred])
      },
      { max_bytes_per_day: 800 },
    )
  }

  check(
    'a claim alone notices the wrong clock, and a change of some seconds has no effect',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.setBack(content, 50_000)
      bench.clock.jumpWall(-30_000)
      expect(await bench.sendable()).toEqual([])
      bench.clock.jumpWall(-hour_ms)
      expect(await bench.sendable()).toHaveLength(1)
    },
  )

  check(
    'a file sent at a future hour waits as long as one sent now',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a', 'one'))
      bench.clock.jumpWall(-4 * hour_ms)
      await bench.settle('docs', 'a', 'other')
      expect((await bench.claimToSend()).next_due_ms).toBe(bench.clock.now_ms() + 10 * minute_ms)
    },
    { min_resend_ms: 10 * minute_ms },
  )
}
