import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { FileFact } from '../../../src/domain/fact.ts'
import type { FileStat } from '../../../src/domain/file.ts'
import { block_reasons, skip_reasons } from '../../../src/domain/file-reasons.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import { judgeFile, unreadableFact } from '../../../src/sync/intake/judge-file.ts'
import { Bench, md5Of, statOf } from '../../ledger/fixture.ts'
import { sqlite_factory } from '../../ledger/sqlite-factory.ts'

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
  rescan_interval_ms: day_ms,
}
const path = 'a.txt'
const at = { folder: 'docs', path }

type Before = (bench: Bench) => Promise<void>

/** Its times are in the future, so only an unchanged second check shows that it is quiet. */
let version = 1n
function changed(size = 4): FileStat {
  version += 1n
  return statOf(size, version)
}

/** Judges the file as a check does, and records what follows. Returns the verdict in words. */
async function check(bench: Bench, stat: FileStat): Promise<string> {
  const [known] = await bench.ledger.filesAt('docs', [path])
  const history = { started_ms: 0, first_scan_done: true, moved_from_before_start: false }
  const now = { now_ms: bench.clock.now_ms(), clock_doubt_ms: 0 }
  const verdict = judgeFile({ folder, path, stat, known, ...history, ...now })
  if (verdict.kind !== 'fact') return verdict.kind
  await bench.record(verdict.fact)
  const { fact } = verdict
  return 'reason' in fact ? `${fact.type} ${fact.reason}` : fact.type
}

function blocked(reason: keyof typeof block_reasons): Before {
  const fact = { type: 'file_blocked', ...at, reason, detail: 'why' } as const
  return (bench) => bench.record({ ...fact, stat: changed(), not_before_ms: undefined })
}

function skipped(reason: keyof typeof skip_reasons): Before {
  const fact = { type: 'file_skipped', ...at, reason, rule: 'why' } as const
  return (bench) => bench.record({ ...fact, stat: changed(0) })
}

function after(before: Before, ms: number, then: Before = async () => undefined): Before {
  return async (bench) => {
    await before(bench)
    await bench.clock.advance(ms)
    await then(bench)
  }
}

/** A file that a writer changes every few seconds. */
function changes(for_ms: number): Before {
  return async (bench) => {
    const until_ms = bench.clock.now_ms() + for_ms
    do {
      await check(bench, changed())
      await bench.clock.advance(30_000)
    } while (bench.clock.now_ms() < until_ms)
  }
}

const settle: Before = (bench) =>
  bench.record({ type: 'file_settled', ...at, stat: changed(), md5: md5Of('text') })
const gone: Before = (bench) => bench.gone('docs', path)
const retry: Before = (bench) => bench.record({ type: 'retried', ...at })
const other_rules: Before = (bench) => bench.configure('docs', { rules: '{"other":1}' })
const folder_leaves: Before = (bench) => bench.record({ type: 'folders_removed_except', names: [] })
const folder_is_back: Before = (bench) => bench.online('docs')
const offline: Before = async (bench) => {
  await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'not mounted' })
  await bench.clock.advance(6_000)
  await bench.ledger.claimToCheck(10, { sizes: ['small', 'large'], except_folders: [] })
}

const block_cases = (Object.keys(block_reasons) as (keyof typeof block_reasons)[])
  .filter((reason) => reason !== 'changing')
  .map((reason) => [`blocked: ${reason}`, blocked(reason)] as const)
const skip_cases = (Object.keys(skip_reasons) as (keyof typeof skip_reasons)[]).map(
  (reason) => [`skipped: ${reason}`, skipped(reason)] as const,
)
const quiet_before: (readonly [string, Before])[] = [...block_cases, ...skip_cases]

test.each<readonly [name: string, before: Before]>([
  ...quiet_before.map(([name, before]) => [name, after(before, 11 * minute_ms)] as const),
  ...quiet_before.map(
    ([name, before]) => [`${name}, then a retry`, after(before, 11 * minute_ms, retry)] as const,
  ),
  ...skip_cases.map(
    ([name, before]) =>
      [`${name}, then other rules`, after(before, 3 * day_ms, other_rules)] as const,
  ),
  [
    'blocked, and its folder left the configuration and is back',
    after(after(blocked('unreadable'), day_ms, folder_leaves), day_ms, folder_is_back),
  ],
  ['in', after(settle, day_ms)],
  ['gone', after(after(settle, day_ms, gone), day_ms)],
  [
    'settled after long changes, then in',
    after(after(changes(9 * minute_ms), 0, settle), minute_ms),
  ],
  [
    'skipped after long changes',
    after(after(changes(9 * minute_ms), 0, skipped('empty')), 2 * minute_ms),
  ],
  ['settling when the daemon ended', after(changes(minute_ms), 2 * day_ms)],
  ['changing too long when the daemon ended', after(changes(11 * minute_ms), 2 * day_ms)],
  [
    'settling when its folder went offline',
    after(after(changes(minute_ms), 0, offline), 2 * day_ms, folder_is_back),
  ],
  [
    'changing too long when its folder went offline',
    after(after(changes(11 * minute_ms), 11 * minute_ms, offline), 0, folder_is_back),
  ],
])('a file begins to settle when it changes; before, it was %s', async (_name, before) => {
  const bench = await new Bench(sqlite_factory).open('docs')
  await before(bench)
  // A quick second change, as of an editor, starts no other wait.
  expect(await check(bench, changed())).toBe('file_seen')
  await bench.clock.advance(3_000)
  const stat = changed()
  expect(await check(bench, stat)).toBe('file_seen')
  await bench.clock.advance(5_000)
  expect(await check(bench, stat)).toBe('hash')
  await bench.close()
})

test.each<readonly [name: string, before: Before]>([
  ['without a pause', async () => undefined],
  ['after it was unreadable', after(blocked('unreadable'), 11 * minute_ms)],
  ['with a retry on the way', after(changes(5 * minute_ms), 0, retry)],
  ['with a new start of the daemon on the way', after(changes(5 * minute_ms), minute_ms)],
])('a file that changes for longer than 10 min is called so, %s', async (_name, before) => {
  const bench = await new Bench(sqlite_factory).open('docs')
  await before(bench)
  await changes(10 * minute_ms)(bench)
  expect(await check(bench, changed())).toBe('file_blocked changing')
  await bench.clock.advance(10 * minute_ms)
  expect(await check(bench, changed())).toBe('file_blocked changing')
  await retry(bench)
  expect(await check(bench, changed())).toBe('file_blocked changing')
  await bench.close()
})

test('the pause between tries of an unreadable file counts from when it became unreadable', async () => {
  const bench = await new Bench(sqlite_factory).open('docs')
  const tryAgain = async (): Promise<number> => {
    const [known] = await bench.ledger.filesAt('docs', [path])
    const now_ms = bench.clock.now_ms()
    const fact = unreadableFact(folder, { path, known, stat: statOf(4) }, 'EBUSY', now_ms)
    await bench.record(fact)
    return (fact as Extract<FileFact, { type: 'file_blocked' }>).not_before_ms! - now_ms
  }
  await skipped('empty')(bench)
  await bench.clock.advance(3 * day_ms)
  const pauses_s: number[] = []
  for (let tries = 0; tries < 4; tries++) {
    const pause_ms = await tryAgain()
    pauses_s.push(pause_ms / 1_000)
    await bench.clock.advance(pause_ms)
  }
  expect(pauses_s).toEqual([30, 30, 60, 120])
  await bench.close()
})
