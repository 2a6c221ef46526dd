import { onTestFinished } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { hour_ms, second_ms } from '../../../src/base/time/time.ts'
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

/** What a test does at one step of a check or scan, before it happens. */
type Meanwhile = Partial<
  Record<
    'root' | 'state' | 'compare' | 'check' | 'scan_finished' | 'folder_offline',
    () => Promise<unknown>
  >
>

/**
 * Keeps a folder without a watcher. Checks wait while the test holds them, and `began` lists the
 * completed scans. The ledger knows `known`; a root with more known files must not be empty.
 */
export async function keep({
  files = { 'a.txt': 'text' } as Parameters<typeof makeTree>[0],
  known = [] as string[],
  empty_folder_files = 20,
} = {}) {
  const root = makeTree(files)
  const said: string[] = []
  const clock = new FakeClock(Date.now())
  const rig = await openRig({ root, clock })
  for (const path of known) await rig.settle(path)
  const meanwhile: Meanwhile = {}
  /** Does it once. */
  async function happens(step: keyof Meanwhile): Promise<void> {
    const act = meanwhile[step]
    delete meanwhile[step]
    await act?.()
  }
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
    async folder(name: string) {
      const state = await rig.ledger.folder(name)
      await happens('state')
      return state
    },
    async differences(range: Parameters<typeof rig.ledger.differences>[0]) {
      await happens('compare')
      return rig.ledger.differences(range)
    },
    async record(facts: Parameters<typeof rig.ledger.record>[0]) {
      for (const { type } of facts)
        if (type === 'scan_finished' || type === 'folder_offline') await happens(type)
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
      await happens('check')
      await held
      return 'recorded' as const
    },
    checkLarge: async () => 'recorded' as const,
    beginScan: async () => no_found_files,
    inFlight: () => 0,
  }
  const signal = new AbortController()
  const identity = { now: '12@34' }
  const note = (_folder: string, what: string) => void said.push(what)
  const report = new Proxy(
    {},
    { get: (_target, name) => (name === 'folder' ? note : () => {}) },
  ) as SyncReport
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
      empty_folder_files,
      missing_files: 100,
      missing_percent: 50,
      answer_ms: 1_000,
    }
    const roots = {
      async status(root: string) {
        const status = rootStatus(root)
        await happens('root')
        return status.kind === 'online' ? { ...status, identity: identity.now } : status
      },
    }
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
    onTestFinished(async () => {
      signal.abort()
      await keeper.close()
    })
    return keeper
  }
  const want = (at_ms: number) =>
    rig.ledger.record([{ type: 'scan_wanted', folder: 'notes', at_ms }])
  const answer = () => rig.ledger.record([{ type: 'accepted', folder: 'notes', path: '' }])
  const isAsked = async () => (await rig.ledger.folder('notes'))?.disappearance !== undefined
  return {
    root,
    said,
    clock,
    began,
    away,
    hold,
    start,
    want,
    answer,
    isAsked,
    identity,
    meanwhile,
    checks: () => checks,
  }
}

/** Waits for a fact that half a minute of the clock is enough for: it goes no further. */
export async function soon(clock: FakeClock, what: string, fact: () => boolean): Promise<void> {
  const until_ms = clock.now_ms() + 30 * second_ms
  await until(what, async () => {
    const [next_ms = Number.POSITIVE_INFINITY] = clock.pending_ms()
    if (clock.now_ms() + next_ms <= until_ms) await clock.advance(next_ms)
    return fact()
  })
}
