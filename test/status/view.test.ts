import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../src/base/time/time.ts'
import type { ScanSummary } from '../../src/domain/fact.ts'
import { type DaemonStatus, type StatusSettings, statusView } from '../../src/status/view.ts'
import { undescribed } from '../cli/json/described-json.ts'
import { assetOf, openRig, project_id, type Rig, stat, ticket } from '../ledger/views/view-rig.ts'

const summary: ScanSummary = {
  files: 3,
  directories: 2,
  bytes: 30,
  ignored: [{ rule: '~$*', source: 'default', reason: 'a lock of Office', count: 2 }],
  odd_names: [],
  odd_names_total: 0,
  special: [],
  unreadable: [],
  unreadable_total: 0,
  other_mounts: [],
  narrower: [],
  narrower_total: 0,
}
const stopped: DaemonStatus = { state: 'stopped' }

function settings(change: Partial<StatusSettings['uploads']> = {}): StatusSettings {
  return {
    state_dir: '/var/lib/sluice',
    folders: [{ name: 'notes', path: '/srv/notes', project_id }],
    uploads: {
      limit: { files: 2, bytes: 1e9 },
      limit_hours: 24,
      max_bytes_per_day: 'off',
      bandwidth: [],
      ...change,
    },
  }
}

function statusOf(rig: Rig, with_settings = settings()) {
  return statusView({
    ledger: rig.view(),
    settings: with_settings,
    daemon: stopped,
    now_ms: rig.clock.now_ms(),
  })
}

function scanned(rig: Rig, change: Partial<ScanSummary> = {}): Promise<void> {
  const began_ms = rig.clock.now_ms()
  return rig.record({
    type: 'scan_finished',
    folder: 'notes',
    began_ms,
    summary: { ...summary, ...change },
  })
}

test('before the first scan every folder is new, and the verdict is not "all ready"', () => {
  const status = statusView({ ledger: undefined, settings: settings(), daemon: stopped, now_ms: 0 })
  expect(status).toMatchObject({
    version: 1,
    verdict: 'incomplete',
    folders: [{ name: 'notes', state: 'new' }],
  })
})

test('all ready only if the scan is over, nothing is on its way and nothing is blocked', async () => {
  const rig = await openRig()
  await rig.bringIn('a.txt')
  expect(statusOf(rig).verdict).toBe('incomplete')
  await scanned(rig)
  await rig.record({
    type: 'file_skipped',
    folder: 'notes',
    path: 'e',
    stat: stat(0),
    reason: 'empty',
    rule: 'r',
  })
  expect(statusOf(rig).verdict).toBe('all_ready')
  const content = await rig.settle('b.txt')
  expect(statusOf(rig).verdict).toBe('incomplete')
  await rig.record({ type: 'content_refused', content, error: { code: 'a.b', message: 'm' } })
  expect(statusOf(rig).verdict).toBe('incomplete')
  await rig.record({ type: 'file_gone', folder: 'notes', path: 'b.txt' })
  expect(statusOf(rig).verdict).toBe('all_ready')
})

test.each([
  ['a name that is not UTF-8', { odd_names: ['x\\xff'], odd_names_total: 1 }],
  ['an unreadable file', { unreadable: [{ path: 'd', code: 'EACCES' }], unreadable_total: 1 }],
])('%s may hide files that are not ready', async (_what, change) => {
  const rig = await openRig()
  await scanned(rig, change)
  expect(statusOf(rig).verdict).toBe('incomplete')
})

test('an offline folder, and a folder that the ledger does not know yet', async () => {
  const rig = await openRig()
  await scanned(rig)
  const two = {
    ...settings(),
    folders: [...settings().folders, { name: 'more', path: '/srv/more', project_id }],
  }
  expect(statusOf(rig, two)).toMatchObject({
    verdict: 'incomplete',
    folders: [{ state: 'online' }, { state: 'new' }],
  })
  await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'missing' })
  expect(statusOf(rig)).toMatchObject({
    verdict: 'incomplete',
    folders: [{ state: 'offline', reason: 'missing' }],
  })
})

test.each([
  ['account', 'refused'],
  [`project:${project_id}`, 'refused'],
  ['api', 'all_ready'],
])('a trouble about %s: %s', async (about, verdict) => {
  const rig = await openRig()
  await scanned(rig)
  await rig.record({ type: 'trouble_began', about, error: { code: 'x.y', message: 'm' } })
  expect(statusOf(rig).verdict).toBe(verdict)
})

test('the JSON form', async () => {
  const rig = await openRig({ limits: { upload_limit: { files: 2, bytes: 1e9, per_ms: day_ms } } })
  await rig.bringIn('in.txt', { size: 1_000 })
  const refused = await rig.settle('bad.bin', { size: 20 })
  await rig.record({
    type: 'content_refused',
    content: refused,
    error: { code: 'asset.type', message: 'not read' },
  })
  await rig.settle('usb/one/a.txt')
  await rig.settle('usb/one/b.txt')
  await rig.record({
    type: 'file_blocked',
    folder: 'notes',
    path: 'locked.docx',
    stat: stat(5),
    reason: 'unreadable',
    detail: 'it cannot be read (EBUSY)',
    not_before_ms: rig.clock.now_ms() + 5_000,
  })
  await scanned(rig, { odd_names: ['x\\xff'], odd_names_total: 1 })
  const error = {
    code: 'http.503',
    message: 'the service does not answer',
    hint: 'it is tried again by itself',
  }
  await rig.record({ type: 'trouble_began', about: 'api', error })
  await rig.clock.advance(90_000)
  const status = statusOf(rig, settings({ max_bytes_per_day: 50_000 }))
  const json = JSON.parse(JSON.stringify(status))
  expect(json).toMatchSnapshot()
  expect(json).toEqual(status)
  // The command adds the health.
  const health = { state: 'unknown', paused: null, problems: [] }
  expect(undescribed('status', { ...json, health })).toEqual([])
})

test('a deferred file is shown with its next try, and a slow one is counted', async () => {
  const rig = await openRig()
  const content = await rig.settle('a.txt')
  const not_before_ms = rig.clock.now_ms() + 60_000
  await rig.record({
    type: 'deferred',
    content,
    not_before_ms,
    error: { code: 'network.reset', message: 'cut' },
  })
  const slow = await rig.settle('b.txt')
  await rig.record(
    { type: 'slot_intended', content: slow },
    { type: 'slot_reserved', content: slow, asset_id: assetOf(slow), ticket },
    { type: 'bytes_accepted', content: slow },
    { type: 'ingest_started', content: slow, not_before_ms: 0 },
  )
  expect(statusOf(rig).slow).toBe(0)
  await rig.clock.advance(16 * minute_ms)
  const status = statusOf(rig)
  expect(status.slow).toBe(1)
  expect(status.retrying).toMatchObject([
    { code: 'network.reset', contents: 1, next_try: '2026-01-01T00:01:00.000Z' },
  ])
  expect(undescribed('status.json#/properties/retrying', status.retrying)).toEqual([])
  expect(JSON.stringify(status)).not.toContain('SECRET')
})

test('a watcher is shown only while a process may watch', async () => {
  const rig = await openRig()
  const watch = { watcher: 'native', reason: '1,980 files' } as const
  await rig.record({ type: 'folder_watched', folder: 'notes', ...watch })
  const running = { state: 'running', pid: 1, mode: 'run', version: '1' } as const
  const shown = (daemon: DaemonStatus) =>
    statusView({ ledger: rig.view(), settings: settings(), daemon, now_ms: rig.clock.now_ms() })
      .folders[0]?.watching
  expect(shown(running)).toMatchObject(watch)
  expect(shown({ state: 'unknown', why: 'it is busy' })).toMatchObject(watch)
  expect(shown({ ...running, mode: 'once' })).toBeNull()
  expect(shown(stopped)).toBeNull()
  await rig.record({
    type: 'folder_watched',
    folder: 'notes',
    ...watch,
    replaced: 'it missed a file',
  })
  const { folders } = statusOf(rig)
  expect(folders).toMatchObject([
    { watcher_changes: { replaced: 1, last: { why: 'it missed a file' } } },
  ])
  expect(undescribed('status.json#/properties/folders', folders)).toEqual([])
})
