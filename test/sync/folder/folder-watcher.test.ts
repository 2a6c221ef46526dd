import { expect, onTestFinished, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { type RootStatus, rootStatus } from '../../../src/disk/root/root.ts'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import type { FolderEvent } from '../../../src/domain/fact.ts'
import { createFolderWatcher } from '../../../src/sync/folder/folder-watcher.ts'
import { createWatchRoom } from '../../../src/sync/folder/watch-choice.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { nothing_seen } from '../../ledger/fixture.ts'
import { openRig, project_id } from '../../ledger/views/view-rig.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { watching } from './usual-watching.ts'

type Root = Extract<RootStatus, { kind: 'online' }>

interface Kind {
  watch?: 'auto' | 'chokidar'
  chokidar_entries?: number
}

async function watched({
  watch = 'chokidar',
  chokidar_entries = watching.chokidar_entries,
}: Kind = {}) {
  const path = makeTree({ 'a.txt': 'text' })
  const clock = new FakeClock()
  const rig = await openRig({ root: path, clock })
  const events: FolderEvent[] = []
  const ended = new AbortController()
  const folder = {
    name: 'notes',
    path,
    project_id,
    include: [],
    exclude: [],
    dot_files: false,
    labels: [],
    label_from: 'none',
    max_file_bytes: 1_000,
    settle_ms: 5_000,
    settle_cap_ms: minute_ms,
    start: { kind: 'all' },
    upload_name: 'path',
    mime_types: {},
    watch,
    rescan_interval_ms: minute_ms,
    widening: 'warn',
  } as const
  const watcher = createFolderWatcher({
    folder,
    rules: createIgnoreRules(path, folder),
    watching: { ...watching, chokidar_entries },
    room: createWatchRoom(),
    clock,
    examiner: { lstat: async () => [] },
    report: new Proxy({}, { get: () => () => {} }) as SyncReport,
    on_hint: () => {},
    record: async (event) => void events.push(event),
    signal: ended.signal,
  })
  onTestFinished(async () => {
    ended.abort()
    await watcher.stop()
  })
  /** Watches in the way of the folder keeper; true when watching has begun. */
  const keepOn = async (root: Root) => {
    await clock.advance(minute_ms)
    const [state] = await rig.ledger.folders()
    return watcher.keepOn(clock.monotonic_ms(), state!, root)
  }
  const replaced = () =>
    events.flatMap((event) => (event.type === 'folder_watched' ? (event.replaced ?? []) : []))
  const kinds = () =>
    events.flatMap((event) => (event.type === 'folder_watched' ? event.watcher : []))
  /** The end of a scan that found only files, and whether the folder then gets another watcher. */
  const isRefittedFor = async (files: number, root: Root) => {
    await watcher.scanEnded({ ...nothing_seen, files })
    return keepOn(root)
  }
  return { path, keepOn, isRefittedFor, replaced, kinds }
}

function rootOf(path: string): Root {
  const status = rootStatus(path)
  return status.kind === 'online' ? status : expect.fail()
}

test('another directory with the same inode number gets a new watcher, even if its birth time is unknown yet', async () => {
  const { path, keepOn, replaced } = await watched()
  const { inode, ...root } = rootOf(path)
  const first = { ...root, inode, identity: `${inode}@1`, born_ns: 1n }
  expect(await keepOn(first)).toBe(true)
  expect(await keepOn(first)).toBe(false)
  expect(await keepOn({ ...first, identity: `${inode}@`, born_ns: 2n })).toBe(true)
  expect(replaced()).toEqual(['its root is another directory now'])
})

test('a birth time that becomes known does not change the watcher', async () => {
  const { path, keepOn, replaced } = await watched()
  const { inode, ...root } = rootOf(path)
  const born_ns = 1n
  expect(await keepOn({ ...root, inode, identity: `${inode}@`, born_ns })).toBe(true)
  expect(await keepOn({ ...root, inode, identity: `${inode}@${born_ns}`, born_ns })).toBe(false)
  expect(replaced()).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'a folder gets another kind of watcher above the limit of chokidar, and chokidar again below half of it',
  async () => {
    const { path, keepOn, isRefittedFor, kinds } = await watched({
      watch: 'auto',
      chokidar_entries: 10,
    })
    const root = { ...rootOf(path), filesystem: 'ext4', remote: false }
    expect(await keepOn(root)).toBe(true)
    expect(await isRefittedFor(10, root)).toBe(false)
    expect(await isRefittedFor(11, root)).toBe(true)
    expect(await isRefittedFor(5, root)).toBe(false)
    expect(await isRefittedFor(4, root)).toBe(true)
    expect(kinds()).toEqual(['chokidar', 'native', 'chokidar'])
  },
)
