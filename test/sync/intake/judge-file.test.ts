import { describe, expect, test } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { FileStat, KnownFile } from '../../../src/domain/file.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import {
  type FileSeen,
  hashFact,
  judgeFile,
  missingFact,
} from '../../../src/sync/intake/judge-file.ts'
import { md5Of } from '../../ledger/fixture.ts'

const now_ms = Date.UTC(2026, 0, 1)
const folder: FolderSettings = {
  name: 'docs',
  path: '/data/docs',
  include: [],
  exclude: [],
  dot_files: false,
  max_file_bytes: 1_000,
  settle_ms: 5_000,
  settle_cap_ms: 10 * minute_ms,
  start: { kind: 'all' },
  upload_name: 'path',
  mime_types: {},
  watch: 'auto',
  rescan_interval_ms: hour_ms,
}

function aged(age_ms: number, ctime_age_ms = age_ms, size = 4): FileStat {
  const ns = (age: number) => BigInt(now_ms - age) * 1_000_000n
  return { size, mtime_ns: ns(age_ms), ctime_ns: ns(ctime_age_ms), inode: 1n }
}

const old = aged(day_ms)

function known(state: KnownFile['state'], change: Partial<KnownFile> = {}): KnownFile {
  const plain = {
    path: 'a',
    stat: old,
    seen_ms: now_ms - day_ms,
    since_ms: undefined,
    not_before_ms: undefined,
    reason: undefined,
  }
  return {
    ...plain,
    arrived_ms: undefined,
    state,
    accepted: false,
    is_evidence: true,
    detail: undefined,
    ...change,
  }
}

/** The verdict as one word: `hash`, `nothing`, or the fact's type with its reason. */
function verdict(stat: FileStat, before?: KnownFile, change: Partial<FileSeen> = {}): string {
  const plain = {
    folder,
    path: 'a',
    now_ms,
    clock_doubt_ms: 0,
    started_ms: now_ms,
    first_scan_done: false,
  }
  const answer = judgeFile({
    ...plain,
    known: before,
    stat,
    moved_from_before_start: false,
    ...change,
  })
  if (answer.kind !== 'fact') return answer.kind
  return 'reason' in answer.fact ? `${answer.fact.type} ${answer.fact.reason}` : answer.fact.type
}

const changing = { reason: 'changing', stat: aged(0), since_ms: now_ms - 10 * minute_ms } as const

describe('with any `start`', () => {
  test.each([
    ['a new file that has settled', 'hash', old, undefined],
    ['a new file that has not settled', 'file_seen', aged(0), undefined],
    ['an mtime in the future', 'file_seen', aged(-hour_ms, 0), undefined],
    ['empty', 'file_skipped empty', aged(day_ms, day_ms, 0), undefined],
    ['empty and not settled: no reason to wait', 'file_skipped empty', aged(0, 0, 0), undefined],
    ['as large as allowed', 'hash', aged(day_ms, day_ms, 1_000), undefined],
    ['larger', 'file_skipped too_large', aged(day_ms, day_ms, 1_001), undefined],
    ['present, unchanged', 'nothing', old, known('present')],
    ['present, other bytes', 'file_seen', aged(0), known('present')],
    ['present, emptied', 'file_skipped empty', aged(0, 0, 0), known('present')],
    [
      'present, one byte now: its bytes are elsewhere',
      'file_skipped placeholder',
      aged(0, 0, 1),
      known('present'),
    ],
    [
      'a placeholder whose times change',
      'file_skipped placeholder',
      aged(0, 0, 1),
      known('skipped', {
        reason: 'placeholder',
        stat: aged(day_ms, day_ms, 1),
        is_evidence: false,
      }),
    ],
    ['new, of one byte: its byte decides', 'hash', aged(day_ms, day_ms, 1), undefined],
    [
      'a placeholder that got its bytes',
      'file_seen',
      aged(0),
      known('skipped', { reason: 'placeholder', stat: aged(0, 0, 1), is_evidence: false }),
    ],
    ['present, chmod only', 'file_seen', aged(day_ms, 0), known('present')],
    ['skipped, unchanged', 'nothing', old, known('skipped', { reason: 'too_large' })],
    [
      'too large before, small now',
      'file_seen',
      aged(0),
      known('skipped', { reason: 'too_large' }),
    ],
    ['deleted, and back unchanged', 'hash', old, known('gone')],
    [
      'over the upload limit, unchanged: a user decides',
      'nothing',
      old,
      known('blocked', { reason: 'upload_limit' }),
    ],
    [
      'over the upload limit, other bytes',
      'file_seen',
      aged(0),
      known('blocked', { reason: 'upload_limit' }),
    ],
    ['unreadable before', 'hash', old, known('blocked', { reason: 'unreadable' })],
    [
      'outside before, unchanged: checked again',
      'hash',
      old,
      known('blocked', { reason: 'outside' }),
    ],
    [
      'waits, unchanged, before its time',
      'nothing',
      old,
      known('seen', { not_before_ms: now_ms + 1 }),
    ],
    ['waits, unchanged, at its time', 'hash', old, known('seen', { not_before_ms: now_ms })],
    ['waits, changed again', 'file_seen', aged(0), known('seen', { since_ms: now_ms - minute_ms })],
    [
      'still changing after the cap',
      'file_blocked changing',
      aged(0),
      known('seen', { since_ms: now_ms - 10 * minute_ms }),
    ],
    [
      'blocked as changing, not due',
      'nothing',
      aged(0),
      known('blocked', { ...changing, not_before_ms: now_ms + 1 }),
    ],
    [
      'blocked as changing, due',
      'hash',
      aged(0),
      known('blocked', { ...changing, not_before_ms: now_ms }),
    ],
    [
      'accepted after the upload limit',
      'hash',
      old,
      known('seen', { not_before_ms: now_ms, accepted: true }),
    ],
  ] as const)('%s: %s', (_name, expected, stat, before) => {
    expect(verdict(stat, before)).toBe(expected)
  })

  test('the facts have folder, path and reason', () => {
    const plain = {
      folder,
      path: 'sub/a',
      now_ms,
      clock_doubt_ms: 0,
      started_ms: 0,
      first_scan_done: true,
    }
    const judged = (stat: FileStat, before?: KnownFile) =>
      judgeFile({ ...plain, known: before, stat, moved_from_before_start: false })
    const large = aged(0, 0, 5_000)
    expect(judged(large)).toEqual({
      kind: 'fact',
      fact: {
        type: 'file_skipped',
        folder: 'docs',
        path: 'sub/a',
        stat: large,
        reason: 'too_large',
        rule: 'it is larger than 1.0 kB (folders.docs.max_file_bytes)',
      },
    })
    expect(judged(aged(0))).toMatchObject({
      fact: { type: 'file_seen', path: 'sub/a', not_before_ms: now_ms + 5_000 },
    })
    expect(judged(aged(0), known('seen', { since_ms: 0 }))).toMatchObject({
      fact: {
        reason: 'changing',
        not_before_ms: now_ms + 10 * minute_ms,
        detail: 'it has been changing for longer than 10 min',
      },
    })
  })
})

describe('a known file that is missing', () => {
  const stand_in = aged(0, 0, 1)
  const placeholder = { reason: 'placeholder', stat: stand_in, is_evidence: false }
  test.each([
    ['nothing stands for it', 'file_gone', known('present'), undefined],
    ['a placeholder stands for it', 'file_skipped placeholder', known('present'), stand_in],
    ['a placeholder still stands for it', 'nothing', known('skipped', placeholder), stand_in],
    ['its placeholder is gone, too', 'file_gone', known('skipped', placeholder), undefined],
    [
      'it was gone before its placeholder came',
      'file_skipped placeholder',
      known('gone'),
      stand_in,
    ],
    ['it was gone', 'nothing', known('gone'), undefined],
    [
      '`start` left it out: nothing of it is known',
      'file_gone',
      known('skipped', { reason: 'before_start' }),
      stand_in,
    ],
  ] as const)('%s: %s', (_name, expected, before, stat) => {
    const fact = missingFact(folder, before, stat)
    const reason = fact && 'reason' in fact ? ` ${fact.reason}` : ''
    expect(fact ? `${fact.type}${reason}` : 'nothing').toBe(expected)
    if (fact?.type === 'file_skipped') expect(fact.stat).toBe(stand_in)
  })
})

test.each([
  [' ', 'file_skipped'],
  ['2', 'file_settled'],
])('a new file with the byte %j: %s', (text, expected) => {
  const stat = aged(day_ms, day_ms, 1)
  const outcome = { kind: 'hashed', md5: md5Of(text), stat } as const
  const fact = hashFact(folder, { path: 'a', known: undefined, stat }, outcome, now_ms)
  expect(fact.type).toBe(expected)
})

const from_now: Partial<FileSeen> = { folder: { ...folder, start: { kind: 'from_now' } } }
const newer_than: Partial<FileSeen> = {
  folder: { ...folder, start: { kind: 'newer_than', age_ms: 90 * day_ms } },
}
const skipped = 'file_skipped before_start'

describe('start: the first day on an old share', () => {
  const very_old = aged(100 * day_ms)
  const touched = aged(100 * day_ms, 10 * minute_ms)
  const arrived = { started_ms: now_ms - hour_ms }
  const left_out = (stat: FileStat, change: Partial<KnownFile> = {}) =>
    known('skipped', { stat, reason: 'before_start', ...change })

  test.each([
    ['all: any age', 'hash', {}, very_old, undefined, {}],
    ['from_now: older than the start', skipped, from_now, old, undefined, {}],
    [
      'from_now: arrived since, with an old mtime (a copy keeps it)',
      'hash',
      from_now,
      touched,
      undefined,
      arrived,
    ],
    ['from_now: made since', 'hash', from_now, aged(10 * minute_ms), undefined, arrived],
    ['newer_than: young enough', 'hash', newer_than, old, undefined, {}],
    ['newer_than: too old', skipped, newer_than, very_old, undefined, {}],
    [
      'newer_than: too old, even with a recent ctime',
      skipped,
      newer_than,
      touched,
      undefined,
      arrived,
    ],
    [
      'from_now, after the first scan: a new file of any age',
      'hash',
      from_now,
      very_old,
      undefined,
      { first_scan_done: true },
    ],
    [
      'newer_than, after the first scan: a new file of any age',
      'hash',
      newer_than,
      very_old,
      undefined,
      { first_scan_done: true },
    ],
    ['from_now: left out, unchanged', 'nothing', from_now, old, left_out(old), {}],
    ['newer_than: left out, unchanged', 'nothing', newer_than, very_old, left_out(very_old), {}],
    [
      'from_now: left out, then only chmod',
      skipped,
      from_now,
      aged(day_ms, 0),
      left_out(old),
      { first_scan_done: true },
    ],
    [
      'newer_than: left out, then only chmod',
      skipped,
      newer_than,
      touched,
      left_out(very_old),
      { first_scan_done: true },
    ],
    [
      'all: left out by an older configuration, then only chmod',
      'file_seen',
      {},
      aged(day_ms, 0),
      left_out(old),
      {},
    ],
    [
      'from_now: left out, then written',
      'file_seen',
      from_now,
      aged(0),
      left_out(old),
      { first_scan_done: true },
    ],
    [
      'newer_than: left out, then replaced by other old bytes',
      'hash',
      newer_than,
      aged(100 * day_ms, 100 * day_ms, 5),
      left_out(very_old),
      {},
    ],
    [
      'from_now: a file that was left out moved here',
      skipped,
      from_now,
      aged(day_ms, 0),
      undefined,
      { first_scan_done: true, moved_from_before_start: true },
    ],
    [
      'newer_than: a file that was left out moved here',
      skipped,
      newer_than,
      touched,
      undefined,
      { first_scan_done: true, moved_from_before_start: true },
    ],
    [
      'from_now: left out, and accepted',
      'hash',
      from_now,
      old,
      known('seen', { accepted: true, not_before_ms: now_ms }),
      {},
    ],
    [
      'changed rules, unchanged start: judged as on the first day',
      skipped,
      from_now,
      old,
      known('seen', { reason: 'before_start', not_before_ms: now_ms }),
      { first_scan_done: true },
    ],
    [
      'rules changed to newer_than, recent enough',
      'hash',
      newer_than,
      old,
      known('seen', { reason: 'before_start', not_before_ms: now_ms }),
      { first_scan_done: true },
    ],
    [
      'left out, deleted, and back unchanged',
      skipped,
      from_now,
      old,
      known('gone', { reason: 'before_start' }),
      { first_scan_done: true },
    ],
    [
      'an empty file is skipped with any start',
      'file_skipped empty',
      from_now,
      aged(day_ms, day_ms, 0),
      undefined,
      {},
    ],
  ] as const)('%s: %s', (_name, expected, start, stat, before, change) => {
    expect(verdict(stat, before, { ...start, ...change })).toBe(expected)
  })

  test('the rule names the setting', () => {
    const plain = {
      path: 'a',
      known: undefined,
      now_ms,
      clock_doubt_ms: 0,
      started_ms: now_ms,
      first_scan_done: false,
    }
    const rule = (start: FolderSettings['start']) =>
      judgeFile({
        ...plain,
        folder: { ...folder, start },
        stat: very_old,
        moved_from_before_start: false,
      })
    expect(rule({ kind: 'from_now' })).toMatchObject({
      fact: { rule: 'it was there before the folder was set up (folders.docs.start)' },
    })
    expect(rule({ kind: 'newer_than', age_ms: 90 * day_ms })).toMatchObject({
      fact: { rule: 'it was older than 90 d when the folder was set up (folders.docs.start)' },
    })
  })
})
