import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { hour_ms, second_ms } from '../../../src/base/time/time.ts'
import type { Examiner, Fingerprint, PathState } from '../../../src/disk/read/examiner.ts'
import { type OnlineRoot, rootStatus } from '../../../src/disk/root/root.ts'
import { createIgnoreRules } from '../../../src/disk/scan/ignore.ts'
import { large_bytes } from '../../../src/domain/file.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import { createIntake } from '../../../src/sync/intake/intake.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { md5Of, openRig } from '../../ledger/views/view-rig.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeTree } from '../../rig/tree.ts'

/** Starts an intake for an existing old file; the test decides what the disk answers. */
async function startIn(root: string, examiner: Pick<Examiner, 'lstat' | 'fingerprint'>) {
  const clock = new FakeClock(Date.now() + hour_ms)
  const rig = await openRig({ root, clock })
  const reported: string[] = []
  const report = new Proxy(
    {},
    { get: (_, verb) => (what: string) => reported.push(`${String(verb)}: ${what}`) },
  )
  const settings: FolderSettings = {
    name: 'notes',
    path: root,
    include: [],
    exclude: [],
    dot_files: false,
    max_file_bytes: 1_000_000_000,
    settle_ms: 5_000,
    settle_cap_ms: hour_ms,
    start: { kind: 'all' },
    upload_name: 'path',
    mime_types: {},
    watch: 'auto',
    rescan_interval_ms: hour_ms,
  }
  const intake = createIntake({
    ledger: rig.ledger,
    examiner: examiner as Examiner,
    clock,
    report: report as SyncReport,
    folders: new Map([['notes', { settings, rules: createIgnoreRules(root, settings) }]]),
    empty_folder_files: 20,
    missing_files: 100,
    missing_percent: 50,
    // The same device as the rig recorded.
    roots: { status: async (root) => ({ ...(rootStatus(root) as OnlineRoot), device: 1n }) },
    answer_ms: second_ms,
  })
  return { clock, reported, intake, ledger: rig.ledger }
}

function fileIn(root: string, path: string): Extract<PathState, { kind: 'file' }> {
  const {
    size,
    mtimeNs: mtime_ns,
    ctimeNs: ctime_ns,
    ino: inode,
  } = lstatSync(join(root, path), { bigint: true })
  return { kind: 'file', stat: { size: Number(size), mtime_ns, ctime_ns, inode } }
}

async function checkUnreadable() {
  const root = makeTree({ 'a.txt': { text: 'text', aged_ms: hour_ms } })
  let answer: Fingerprint = { kind: 'unreadable', code: 'EACCES' }
  const rig = await startIn(root, {
    lstat: async () => [fileIn(root, 'a.txt')],
    fingerprint: async () => [answer],
  })
  const { clock, reported, intake, ledger } = rig
  return {
    clock,
    reported,
    answers: (next: Fingerprint) => {
      answer = next
    },
    /** Checks once and returns the time until the next check. */
    async check(): Promise<number> {
      await intake.checkPaths('notes', ['a.txt'])
      const [known] = await ledger.filesAt('notes', ['a.txt'])
      expect(known).toMatchObject({ state: 'blocked', reason: 'unreadable' })
      return known!.not_before_ms! - clock.now_ms()
    },
  }
}

test('an unreadable file is checked less and less often, and reported once', async () => {
  const { clock, reported, answers, check } = await checkUnreadable()
  const rests: number[] = []
  for (let checks = 0; checks < 12; checks++) {
    rests.push(await check())
    await clock.advance(rests.at(-1)!)
  }
  expect(rests.slice(0, 4)).toEqual([30, 30, 60, 120].map((seconds) => seconds * second_ms))
  expect(rests.at(-1)).toBe(hour_ms)
  expect(reported).toEqual(['blocked: this user may not read it'])
  answers({ kind: 'unreadable', code: 'EIO' })
  await check()
  expect(reported.slice(1)).toEqual(['blocked: its disk reports an error'])
})

test('a large file stays due in the ledger and delays no other file; it is hashed in a check of its own', async () => {
  const root = makeTree({
    'huge.bin': { bytes: large_bytes, aged_ms: hour_ms },
    'small.txt': { text: 'text', aged_ms: hour_ms },
  })
  const hashed: string[] = []
  const { clock, intake, ledger } = await startIn(root, {
    lstat: async (_root, paths) => paths.map((path) => fileIn(root, path)),
    async fingerprint(_root, entries) {
      hashed.push(...entries.map(({ path }) => path))
      return entries.map(({ path, stat }, at) => ({
        kind: 'hashed',
        md5: md5Of(path.length + at),
        stat,
      }))
    },
  })
  const states = async () =>
    (await ledger.filesAt('notes', ['huge.bin', 'small.txt'])).map((file) => file?.state)
  expect(await intake.checkPaths('notes', ['huge.bin', 'small.txt'])).toBe('recorded')
  expect(hashed).toEqual(['small.txt'])
  expect(await states()).toEqual(['seen', 'present'])
  const [huge] = await ledger.filesAt('notes', ['huge.bin'])
  expect(huge!.not_before_ms).toBe(clock.now_ms())
  await clock.advance(second_ms)
  await intake.checkPaths('notes', ['huge.bin'])
  expect((await ledger.filesAt('notes', ['huge.bin']))[0]).toEqual(huge)
  expect(await intake.checkLarge('notes', 'huge.bin')).toBe('recorded')
  expect(hashed).toEqual(['small.txt', 'huge.bin'])
  expect(await states()).toEqual(['present', 'present'])
})

test('an unreadable large file is due at once after a request for a check, and reported once', async () => {
  const root = makeTree({ 'huge.bin': { bytes: large_bytes, aged_ms: hour_ms } })
  const { reported, clock, intake, ledger } = await startIn(root, {
    lstat: async () => [fileIn(root, 'huge.bin')],
    fingerprint: async () => [{ kind: 'unreadable', code: 'EACCES' }],
  })
  const due_in_ms = async () =>
    (await ledger.filesAt('notes', ['huge.bin']))[0]!.not_before_ms! - clock.now_ms()
  await intake.checkPaths('notes', ['huge.bin'])
  for (const rest_ms of [30 * second_ms, 30 * second_ms, 60 * second_ms]) {
    await intake.checkLarge('notes', 'huge.bin')
    expect(await due_in_ms()).toBe(rest_ms)
    await clock.advance(rest_ms)
  }
  await intake.checkLarge('notes', 'huge.bin')
  expect(await due_in_ms()).toBeGreaterThan(0)
  await intake.checkPaths('notes', ['huge.bin'])
  expect(await due_in_ms()).toBe(0)
  expect((await ledger.filesAt('notes', ['huge.bin']))[0]).toMatchObject({
    state: 'blocked',
    reason: 'unreadable',
  })
  expect(reported).toEqual(['blocked: this user may not read it'])
})

test('a caller that waits for another check does not wait for a large file whose check begins meanwhile', async () => {
  const texts = {
    'busy.txt': { text: 'busy', aged_ms: hour_ms },
    'small.txt': { text: 'text', aged_ms: hour_ms },
  }
  const root = makeTree({ 'huge.bin': { bytes: large_bytes, aged_ms: hour_ms }, ...texts })
  const gates = new Map<string, () => void>()
  const { intake, ledger } = await startIn(root, {
    lstat: async (_root, paths) => paths.map((path) => fileIn(root, path)),
    async fingerprint(_root, entries) {
      const gated = entries.find(({ path }) => path !== 'small.txt' && !gates.has(path))
      if (gated) await new Promise<void>((resolve) => gates.set(gated.path, resolve))
      return entries.map(({ path, stat }, at) => ({
        kind: 'hashed',
        md5: md5Of(path.length + at),
        stat,
      }))
    },
  })
  const begun = (path: string) => vi.waitFor(() => expect(gates.has(path)).toBe(true))
  await intake.checkPaths('notes', ['huge.bin'])
  const first = intake.checkPaths('notes', ['busy.txt'])
  await begun('busy.txt')
  const second = intake.checkPaths('notes', ['busy.txt', 'small.txt', 'huge.bin'])
  const large = intake.checkLarge('notes', 'huge.bin')
  await begun('huge.bin')
  gates.get('busy.txt')!()
  await Promise.all([first, second])
  expect(
    (await ledger.filesAt('notes', ['small.txt', 'huge.bin'])).map((file) => file?.state),
  ).toEqual(['present', 'seen'])
  gates.get('huge.bin')!()
  await large
  expect((await ledger.filesAt('notes', ['huge.bin'])).map((file) => file?.state)).toEqual([
    'present',
  ])
})
