import { describe, expect, test } from 'vitest'
import { day_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import type { NameWork } from '../../../src/ledger/ledger.ts'
import type { Failure } from '../../../src/remote/outcome.ts'
import { deferName, judgeName } from '../../../src/sync/follow/judge-name.ts'

const ours = { text: 'docs/a.txt', folder: 'docs' }
const foreign = { text: 'Our plan', folder: undefined }
const wanted = { text: 'docs/b.txt', folder: 'docs' }
const work = {
  content: 7,
  project_id: 'p',
  asset_id: 'a',
  name: 'docs/a.txt',
  names: [ours],
  wanted,
}
const named = (shown_name: string) => {
  return { type: 'asset_named', content: 7, shown_name, tried: shown_name }
}
const wait = (ms: number) => ({ type: 'name_deferred', content: 7, not_before_ms: 1_000 + ms })

describe('the name that the service shows', () => {
  test.each<[string, Partial<NameWork>, string | undefined, object | string]>([
    ['is our own: it gives way', {}, 'docs/a.txt', 'rename'],
    ['is the wanted one', {}, 'docs/b.txt', named('docs/b.txt')],
    ['is of a user', {}, 'Our plan', named('Our plan')],
    ['is ours by a lost answer', { names: [ours, wanted] }, 'docs/b.txt', named('docs/b.txt')],
    ['is an earlier one of ours', { names: [foreign, ours] }, 'docs/a.txt', 'rename'],
    ['is known to be foreign', { names: [foreign] }, 'Our plan', named('Our plan')],
    [
      'is ours, and no file wants another',
      { wanted: undefined },
      'docs/a.txt',
      named('docs/a.txt'),
    ],
    ['is not shown', {}, undefined, wait(day_ms)],
  ])('%s', (_, change, shown_name, expected) => {
    const record = { status: 'ready' as const, ...(shown_name && { shown_name }) }
    expect(judgeName({ ...work, ...change }, record, 1_000)).toEqual(expected)
  })

  test('does not matter while the asset is not ready', () => {
    const record = { status: 'ingesting' as const, shown_name: 'docs/a.txt' }
    expect(judgeName(work, record, 1_000)).toEqual(wait(minute_ms))
  })
})

describe('a rename that failed', () => {
  const failed = (failure: Partial<Failure>) =>
    ({ message: 'no', ...failed_call, ...failure }) as Failure
  const failed_call = { about: 'unknown_protocol', call: 'rename' }
  const refused = (ms: number, code: string) => ({ ...wait(ms), error: { code, message: 'no' } })

  const soon = { ...wait(0), not_before_ms: expect.closeTo(1_000 + second_ms / 2, -3) }

  test.each<[string, Partial<Failure>, object]>([
    ['by the network', { about: 'network' }, soon],
    ['for now', { about: 'later', status: 429, retry_after_ms: 9_000 }, wait(9_000)],
    ['for the token', { about: 'account', status: 401 }, soon],
    ['for the project', { about: 'project', status: 404 }, soon],
    ['for this asset, which is gone', { about: 'asset_gone', status: 404 }, wait(day_ms)],
    ['for this name', { about: 'content', status: 400 }, wait(day_ms)],
    ['for a missing right', { about: 'right', status: 403, code: 'x.y' }, refused(day_ms, 'x.y')],
    ['for the token, which is refused', { about: 'account', status: 403 }, soon],
    ['with its connection', { about: 'unknown_protocol', code: 'network.aborted' }, soon],
    ['for an unpaid account', { about: 'right', status: 402, code: 'x.y' }, refused(day_ms, 'x.y')],
    ['as an unknown call', { status: 405 }, refused(day_ms, 'unknown_protocol')],
  ])('%s', (_, failure, expected) => {
    expect(deferName(7, failed(failure), 0, 1_000)).toEqual(expected)
  })
})
