import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import type { FollowWork } from '../../../src/ledger/ledger.ts'
import type { AssetRecord } from '../../../src/remote/assets.ts'
import { followFact, unreadFact } from '../../../src/sync/follow/follow-verdict.ts'

const follow = { first_ms: 150, max_ms: 5_000, dead_hit_after_ms: 4_000, list_from: 20 }
const work: FollowWork = {
  content: 7,
  project_id: 'project_x',
  asset_id: 'asset_a',
  name: 'docs/a.txt',
  size: 500,
  is_ready: false,
  made_here: true,
  attempts: 2,
  following_since_ms: 0,
  vanished: 0,
  error_code: undefined,
}
const record = (status: AssetRecord['status'], size_in_bytes = 500): AssetRecord => ({
  asset_id: 'asset_a',
  status,
  raw_status: status,
  size_in_bytes,
})

// With this value each wait has its full length.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(1))
afterEach(() => void vi.restoreAllMocks())

describe('the verdict on an asset record', () => {
  test('only ready is ready', () => {
    expect(followFact(work, record('ready'), 1_000, follow)).toEqual({
      type: 'asset_ready',
      content: 7,
    })
  })
  test('failed means refused: a user must act', () => {
    const why_failed = 'The file cannot be read: the service does not read this kind of file'
    expect(
      followFact(
        { ...work, name: 'docs/a.tar.GZ' },
        { ...record('failed'), why_failed },
        1_000,
        follow,
      ),
    ).toMatchObject({ error: { message: 'the service cannot read .gz files' } })
    expect(followFact(work, record('failed'), 1_000, follow)).toMatchObject({
      type: 'content_refused',
      error: { code: 'ingest_failed' },
    })
  })
  test('the reason of the service is the reason of the refusal', () => {
    const fact = followFact(
      work,
      { ...record('failed'), why_failed: 'It is encrypted.' },
      1_000,
      follow,
    )
    expect(fact).toMatchObject({
      error: { message: 'the service cannot read this file: It is encrypted.' },
    })
    const local = {
      ...record('failed'),
      why_failed: 'The file cannot be read: it contains NUL bytes',
    }
    expect(followFact(work, local, 1_000, follow)).toMatchObject({
      error: { message: 'the service cannot read this file: it contains NUL bytes' },
    })
    const why_failed = 'The file cannot be read: the service does not read this kind of file'
    expect(
      followFact(
        { ...work, name: 'docs/a.tar.GZ' },
        { ...record('failed'), why_failed },
        1_000,
        follow,
      ),
    ).toMatchObject({ error: { message: 'the service cannot read .gz files' } })
    expect(followFact(work, record('failed'), 1_000, follow)).toMatchObject({
      error: { message: 'the service cannot read this file, and does not say why' },
    })
  })
  test('ready carries how much was read; of nothing read it is refused', () => {
    const reading = { of: 10, seen: 1, unit: 'page' } as const
    expect(followFact(work, { ...record('ready'), reading }, 1_000, follow)).toMatchObject({
      type: 'asset_ready',
      reading,
    })
    const empty = { ...record('ready'), reading: { ...reading, seen: 0 } }
    expect(followFact(work, empty, 1_000, follow)).toMatchObject({
      type: 'content_refused',
      error: { code: 'nothing_to_read', message: 'the service could read nothing of it' },
    })
    const no_text = { ...record('failed'), has_no_text: true, why_failed: 'it has no text' }
    expect(followFact(work, no_text, 1_000, follow)).toMatchObject({
      error: { code: 'nothing_to_read', message: 'it has no text' },
    })
  })
  test.each(['uploaded', 'ingesting', 'other'] as const)('%s continues', (status) => {
    const fact = followFact(work, record(status), 1_000, follow)
    expect(fact).toEqual({ type: 'ingest_continues', content: 7, not_before_ms: 1_300 })
  })
  test('slow is not failed: it is reported, and checked less often', () => {
    const late_ms = 15 * minute_ms + 2
    const fact = followFact(work, record('ingesting'), late_ms, follow)
    const not_before_ms = late_ms + 5 * minute_ms
    expect(fact).toMatchObject({ type: 'ingest_continues', not_before_ms, note: { code: 'slow' } })
  })
  test('since a wrong clock, it is read for an unknown time', () => {
    const fact = followFact(work, record('ingesting'), Date.UTC(2026, 5, 1), follow)
    const message = expect.stringContaining('for an unknown time (a clock was wrong)')
    expect(fact).toMatchObject({ note: { message } })
  })
  test('a content found by md5 that stays tiny is a slot whose bytes never arrived', () => {
    const hit = { ...work, made_here: false }
    expect(followFact(hit, record('ingesting', 1), 4_000, follow)).toEqual({
      type: 'hit_dead',
      content: 7,
    })
    expect(followFact(hit, record('ingesting', 1), 3_999, follow)).toMatchObject({
      type: 'ingest_continues',
    })
    expect(followFact(hit, record('ingesting', 500), 4_000, follow)).toMatchObject({
      type: 'ingest_continues',
    })
  })
  test('an own slot, and a file of one byte, never count as dead', () => {
    expect(followFact(work, record('ingesting', 0), 4_000, follow)).toMatchObject({
      type: 'ingest_continues',
    })
    const tiny = { ...work, made_here: false, size: 1 }
    expect(followFact(tiny, record('ingesting', 1), 4_000, follow)).toMatchObject({
      type: 'ingest_continues',
    })
  })
})

describe('the verdict on a ready asset that the service reads further', () => {
  const ready = { ...work, is_ready: true }
  const of = { content: 7, asset_id: 'asset_a' }
  const reading = { of: 10, seen: 4, unit: 'page' } as const

  test.each([
    ['read further', { ...record('ready'), reading }, { type: 'asset_confirmed', reading }],
    ['read again', record('ingesting'), { type: 'asset_unready', ...of }],
    ['failed', record('failed'), { type: 'asset_failed', ...of }],
  ] as const)('%s', (_, said, fact) =>
    expect(followFact(ready, said, 1_000, follow)).toMatchObject(fact),
  )
  test('only an answer that it is gone shows its loss', () => {
    const failure = { about: 'asset_gone', call: 'read', message: 'not found' } as const
    const fact = (is_gone: boolean) => unreadFact(ready, failure, is_gone, 1_000, follow)
    expect([fact(true), fact(false)]).toEqual([{ type: 'asset_missing', ...of }, undefined])
  })
})
