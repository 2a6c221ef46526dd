import { renameSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { rootStatus } from '../../../src/disk/root/root.ts'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import { createDeviceTurns } from '../../../src/sync/folder/device-turns.ts'
import { keepFolder } from '../../../src/sync/folder/folder-keeper.ts'
import { createWatchRoom } from '../../../src/sync/folder/watch-choice.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { openRig } from '../../ledger/views/view-rig.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { no_found_files } from '../no-found-files.ts'
import { watching } from './usual-watching.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/**
 * Keeps a folder of one file without a watcher. Checks wait while the test holds them, and `began`
 * lists the completed scans.
 */
async function keep() {
  const root = makeTree({ 'a.txt': 'text' })
  const said: string[] = []
  const clock = new FakeClock(Date.now())
  const rig = await openRig({ root, clock })
  const settings: FolderSettings = {
    name: 'notes',
    path: root,
    include: [],
    exclude: [],
    dot_files: false,
    max_file_bytes: 1_000,
    settle_ms: 5_000,
    settle_cap_ms: hour_ms,
    start: { kind: 'all' },
    upload_name: 'path',
    mime_types: {},
    watch: 'scan',
    rescan_interval_ms: hour_ms,
  }
  const began: number[] = []
  const away: number[] = []
  let checks = 0
  let held: Promise<void> | undefined
  const ledger = {
    ...rig.ledger,
    async record(facts: Parameters<typeof rig.ledger.record>[0]) {
      await rig.ledger.record(facts)
      for (const fact of facts) {
        if (fact.type === 'scan_finished') began.push(fact.began_ms)
        if (fact.type === 'folder_offline') away.push(clock.now_ms())
      }
    },
  }
  const intake = {
    async checkPaths() {
      checks++
      await held
      return 'recorded' as const
    },
    checkLarge: async () => 'recorded' as const,
    beginScan: async () => no_found_files,
    inFlight: () => 0,
  }
  const signal = new AbortController()
  const note = (_folder: string, what: string) => void said.push(what)
  const report = new Proxy({}, { get: (_target, name) => (name === 'folder' ? note : () => {}) }) as SyncReport
  const hold = () => {
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  const start = () => {
    const limits = {
      max_hints: 100,
      empty_folder_files: 20,
      missing_files: 100,
      missing_percent: 50,
      answer_ms: 1_000,
    }
    const roots = { status: async (root: string) => rootStatus(root) }
    const examiner = { lstat: async () => [] }
    const tools = {
      ledger,
      intake,
      turns: createDeviceTurns(),
      clock,
      report,
      heartbeats: unwatched,
      roots,
      examiner,
      watching,
      room: createWatchRoom(),
      ...limits,
    }
    const rules = createIgnoreRules(root, settings)
    const keeper = keepFolder(settings, rules, tools, { watch: false, signal: signal.signal })
    ends.push(async () => {
      signal.abort()
      await keeper.close()
    })
    return keeper
  }
  const want = (at_ms: number) => rig.ledger.record([{ type: 'scan_wanted', folder: 'notes', at_ms }])
  return { root, said, clock, began, away, hold, start, want, checks: () => checks }
}

test('a requested scan begins at once; a scan that began after the requested time is enough', async () => {
  const { clock, began, start, want } = await keep()
  const keeper = start()
  await clock.runUntil(() => began.length === 1)
  await clock.advance(10 * second_ms)
  await want(began[0]!)
  keeper.wake()
  await clock.advance(minute_ms)
  expect(began).toHaveLength(1)
  const wanted_ms = clock.now_ms()
  await want(wanted_ms)
  keeper.wake()
  // The clock stands still, so a scan that waits for any time does not begin.
  await until('the wanted scan begins', () => began.length === 2)
  expect(began[1]).toBe(wanted_ms)
  await clock.advance(minute_ms)
  expect(began).toHaveLength(2)
})

test('a running scan that began before the requested time is followed by another one after two seconds', async () => {
  const { clock, began, hold, start, want, checks } = await keep()
  const release = hold()
  const keeper = start()
  await clock.runUntil(() => checks() === 1)
  await clock.advance(minute_ms)
  const wanted_ms = clock.now_ms()
  await want(wanted_ms)
  keeper.wake()
  release()
  await clock.runUntil(() => began.length === 2)
  expect(began[0]).toBeLessThan(wanted_ms)
  expect(began[1]).toBe(wanted_ms + 2 * second_ms)
  await clock.runUntil(() => keeper.isIdle())
})

test('a scan that a user requests during a long one follows it at once', async () => {
  const { clock, began, hold, start, checks } = await keep()
  const release = hold()
  const keeper = start()
  await clock.runUntil(() => checks() === 1)
  keeper.rescan()
  await clock.advance(10 * minute_ms)
  release()
  // The clock stands still, so a scan that rests after the long one does not begin.
  await until('both scans are done', () => began.length === 2)
  expect(began[1]).toBe(clock.now_ms())
})

test('a scan requested for a later time does not begin before it', async () => {
  const { clock, began, start, want } = await keep()
  const keeper = start()
  await clock.runUntil(() => began.length === 1)
  const wanted_ms = clock.now_ms() + minute_ms
  await want(wanted_ms)
  keeper.wake()
  await clock.runUntil(() => began.length === 2)
  expect(began[1]).toBeGreaterThanOrEqual(wanted_ms)
})

test('each request for a scan of an offline folder is answered; the user is told only once', async () => {
  const { root, said, clock, start, want, began, away } = await keep()
  renameSync(root, `${root}-away`)
  const keeper = start()
  await clock.runUntil(() => away.length === 1)
  await clock.advance(minute_ms)
  expect(away).toHaveLength(1)
  for (const times of [2, 3]) {
    const wanted_ms = clock.now_ms()
    await want(wanted_ms)
    keeper.wake()
    await clock.runUntil(() => away.length === times)
    expect(away.at(-1)).toBeGreaterThanOrEqual(wanted_ms)
    await clock.advance(minute_ms)
    expect(away).toHaveLength(times)
  }
  expect([said.length, began]).toEqual([1, []])
})
