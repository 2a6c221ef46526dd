import { expect } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { WorkKind } from '../../../src/ledger/ledger.ts'
import { contentFact, type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { failingFact, withLedger } from './with-ledger.ts'

export function recordContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check('a record applies all of its facts or none, and the counts with them', async (bench) => {
    await bench.settle('docs', 'before', 'before')
    const good: Fact = {
      type: 'file_settled',
      folder: 'docs',
      path: 'good',
      stat: statOf(4),
      md5: md5Of('good'),
    }
    await expect(bench.record(good, failingFact(bench))).rejects.toMatchObject({
      code: 'database.failed',
    })
    expect(bench.see.file('docs', 'good')).toBeUndefined()
    expect(bench.see.content(md5Of('good'))).toBeUndefined()
    expect(bench.see.counts('docs')).toEqual({ wanted: { files: 1, bytes: 6 } })
    await bench.record(good)
    expect(bench.see.counts('docs')).toEqual({ wanted: { files: 2, bytes: 10 } })
  })

  check(
    'sixteen callers at once: each record is whole or absent, and one fails alone',
    async (bench) => {
      const failing = failingFact(bench)
      const calls = Array.from({ length: 160 }, (_, caller) => {
        const facts: Fact[] = ['x', 'y', 'z'].map((part) => ({
          type: 'file_settled',
          folder: 'docs',
          path: `${caller}/${part}`,
          stat: statOf(1),
          md5: md5Of(`${caller} ${part}`),
        }))
        const fails = caller % 16 === 7
        if (fails) facts.splice(caller % 3, 0, failing)
        return { caller, fails, recorded: bench.record(...facts) }
      })
      const outcomes = await Promise.allSettled(calls.map(({ recorded }) => recorded))
      for (const { caller, fails } of calls) {
        expect(outcomes[caller]?.status, `caller ${caller}`).toBe(fails ? 'rejected' : 'fulfilled')
        const there = ['x', 'y', 'z'].filter((part) => bench.see.file('docs', `${caller}/${part}`))
        expect(there, `caller ${caller}`).toHaveLength(fails ? 0 : 3)
      }
      expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
    },
  )

  check('a failing record changes no folder and ends no claim', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.sendable()
    const renamed: Fact = {
      type: 'folder_configured',
      folder: {
        name: 'new',
        root: '/n',
        project_id: 'p',
        labels: [],
        label_from: 'none',
        rules: '',
      },
    }
    const deferred = contentFact('deferred', content, bench.clock.now_ms())
    await expect(bench.record(renamed, deferred, failingFact(bench))).rejects.toThrow()
    expect((await bench.ledger.folders()).map(({ name }) => name)).toEqual(['docs'])
    expect(await bench.sendable()).toEqual([])
    expect((await bench.ledger.filesAt('new', ['a']))[0]).toBeUndefined()
  })

  check(
    'wakes come after the commit, with the kinds of work that it may have made',
    async (bench) => {
      const heard: WorkKind[][] = []
      const stop = bench.ledger.onWork((kinds) => heard.push([...kinds].sort()))
      const content = await bench.settle('docs', 'a', 'text')
      await bench.send(content)
      await bench.record({ type: 'asset_ready', content })
      await expect(bench.record(failingFact(bench))).rejects.toThrow()
      stop()
      await bench.seen('docs', 'b')
      expect(heard.flat()).toEqual(expect.arrayContaining(['send', 'follow', 'label']))
      expect(heard.flat()).not.toContain('check')
    },
  )

  check(
    'troubles have a begin and an end, and are reported once more when they last',
    async (bench) => {
      const since_ms = bench.clock.now_ms()
      const error = {
        code: 'publicapi.auth.invalid',
        message: 'the token is refused',
        hint: 'renew it',
      }
      await bench.record({ type: 'trouble_began', about: 'account', error })
      await bench.clock.advance(5_000)
      await bench.record(
        { type: 'trouble_began', about: 'account', error: { code: 'other', message: 'worse' } },
        { type: 'trouble_began', about: 'api', error },
        { type: 'trouble_ended', about: 'never began' },
      )
      expect(bench.see.troubles()).toEqual([
        { about: 'account', code: 'other', hint: null, since_ms, last_ms: since_ms + 5_000 },
        {
          about: 'api',
          code: error.code,
          hint: 'renew it',
          since_ms: since_ms + 5_000,
          last_ms: since_ms + 5_000,
        },
      ])
      await bench.record(
        { type: 'trouble_ended', about: 'account' },
        { type: 'trouble_ended', about: 'api' },
      )
      expect(bench.see.troubles()).toEqual([])
    },
  )

  check(
    'retry: refused content is wanted again, deferred content is due now, ready content stays',
    async (bench) => {
      const [refused, deferred, ready] = [
        await bench.settle('docs', 'sub/refused', 'refused'),
        await bench.settle('docs', 'sub/set back', 'set back'),
        await bench.settle('docs', 'sub/ready', 'ready'),
      ]
      const outside = await bench.settle('docs', 'sub0/refused too', 'outside')
      await bench.record(
        contentFact('content_refused', refused, 0),
        contentFact('content_refused', outside, 0),
      )
      await bench.setBack(deferred, 3_600_000)
      await bench.makeReady(ready)
      expect(bench.see.content(md5Of('refused'))).toMatchObject({
        state: 'refused',
        error_code: 'http.500',
      })
      await bench.record({ type: 'retried', folder: 'docs', path: 'sub' })
      expect((await bench.sendable()).map(({ content }) => content).sort()).toEqual([
        refused,
        deferred,
      ])
      expect(bench.see.content(md5Of('outside'))?.state).toBe('refused')
      expect(bench.see.content(md5Of('ready'))?.state).toBe('ready')
      expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
    },
  )

  check(
    'a found asset needs no bytes; a dead one is replaced by an upload without md5',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.record(
        contentFact('slot_intended', content, 0),
        contentFact('asset_found', content, 0),
      )
      expect((await bench.follow()).work).toMatchObject([{ content, made_here: false }])
      await bench.record(contentFact('hit_dead', content, 0))
      expect(await bench.sendable()).toMatchObject([
        { content, state: 'wanted', without_md5: true, asset_id: undefined },
      ])
    },
  )

  check(
    'tidy trims history by age and by rows, and tombstones after their time; counts stay right',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.makeReady(content)
      await bench.gone('docs', 'a')
      await bench.makeReady(await bench.settle('docs', 'b', 'other'))
      await bench.ledger.tidy()
      expect(bench.see.history(content)).toEqual([])
      await bench.clock.advance(89 * day_ms)
      await bench.ledger.tidy()
      expect(bench.see.file('docs', 'a')?.state).toBe('gone')
      await bench.clock.advance(2 * day_ms)
      await bench.ledger.tidy()
      expect(bench.see.file('docs', 'a')).toBeUndefined()
      expect(bench.see.counts('docs')).toEqual({ ready: { files: 1, bytes: 5 } })
    },
    { max_history_rows: 4 },
  )

  check('a closed ledger refuses every call, and closes while others still call', async (bench) => {
    const { ledger } = bench
    bench.see.close()
    const late = [ledger.folders(), ledger.close(), ledger.folders(), ledger.tidy()]
    const outcomes = await Promise.allSettled(late)
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    await expect(ledger.folders()).rejects.toMatchObject({
      code: expect.stringMatching(/^(ledger\.closed|thread\.ended)$/),
    })
    await bench.open()
    expect(await bench.ledger.folders()).toHaveLength(1)
  })
}
