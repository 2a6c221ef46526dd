import { expect, onTestFinished, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { large_bytes } from '../../../src/domain/file.ts'
import { startChecker } from '../../../src/sync/intake/checker.ts'
import type { Intake } from '../../../src/sync/intake/intake.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { openRig, project_id, type Rig, stat } from '../../ledger/views/view-rig.ts'
import { no_found_files } from '../no-found-files.ts'

type Answer = () => Promise<'recorded' | 'doubtful'>

/** Starts a checker; `check` answers for the disk. */
function startIn({ clock, ledger }: Rig, check: Intake['checkPaths']): { stop(): Promise<void> } {
  const intake: Intake = {
    checkPaths: check,
    checkLarge: (folder, path) => check(folder, [path]),
    beginScan: async () => no_found_files,
    inFlight: () => 0,
  }
  const stop = new AbortController()
  const report = new Proxy({}, { get: () => () => {} }) as SyncReport
  const checker = startChecker(
    { ledger, intake, clock, report, heartbeats: unwatched },
    stop.signal,
  )
  onTestFinished(() => stop.abort())
  return {
    stop() {
      stop.abort()
      return checker.ended
    },
  }
}

/**
 * The times at which a due file was checked, with these answers one after the other. The last
 * answer repeats.
 */
async function checkedPaths(answers: readonly Answer[]): Promise<number[]> {
  const rig = await openRig()
  const { clock } = rig
  const began_ms = clock.now_ms()
  await rig.record({
    type: 'file_seen',
    folder: 'notes',
    path: 'a',
    stat: stat(),
    not_before_ms: began_ms,
  })
  const checks: number[] = []
  const checker = startIn(rig, async () => {
    const answer = answers[Math.min(checks.length, answers.length - 1)]!
    checks.push(clock.now_ms() - began_ms)
    return answer()
  })
  await clock.runUntil(() => checks.length === 3)
  await checker.stop()
  return checks
}

test('a failed check is repeated soon, not only when its claim expires', async () => {
  const checks = await checkedPaths([() => Promise.reject(new Error('the disk'))])
  expect(checks[2]).toBeLessThan(10_000)
})

test('a check in a doubtful folder is repeated with rests in between', async () => {
  const [, second, third] = await checkedPaths([async () => 'doubtful'])
  // Each time is rounded down to a millisecond.
  expect(second).toBeGreaterThanOrEqual(999)
  expect(third! - second!).toBeGreaterThanOrEqual(999)
  expect(third).toBeLessThan(60_000)
})

/** Checks that have no answer until the test ends them. */
function hanging(): { check: () => Promise<'recorded'>; end: () => void } {
  let end = () => {}
  const ended = new Promise<'recorded'>((resolve) => {
    end = () => resolve('recorded')
  })
  return { check: () => ended, end }
}

test('a folder that does not answer delays only itself', async () => {
  const rig = await openRig()
  const { clock } = rig
  const folder = {
    name: 'dead',
    root: '/dead',
    project_id,
    labels: [],
    label_from: 'none',
    rules: '',
  } as const
  await rig.record(
    { type: 'folder_configured', folder },
    { type: 'folder_online', folder: 'dead', device: 2n },
  )
  const seen = (folder: string, path: string) =>
    ({ type: 'file_seen', folder, path, stat: stat(), not_before_ms: clock.now_ms() }) as const
  const checks: string[] = []
  const { check, end } = hanging()
  const checker = startIn(rig, async (name, paths) => {
    checks.push(...paths.map((path) => `${name}/${path}`))
    return name === 'dead' ? check() : 'recorded'
  })
  await rig.record(seen('dead', 'a'))
  await clock.runUntil(() => checks.includes('dead/a'))
  await rig.record(seen('dead', 'b'), seen('notes', 'c'))
  await clock.runUntil(() => checks.includes('notes/c'))
  expect(checks.filter((name) => name.startsWith('dead'))).toEqual(['dead/a'])
  end()
  await clock.runUntil(() => checks.includes('dead/b'))
  await checker.stop()
})

test('large files are checked beside the others, two at a time', async () => {
  const rig = await openRig()
  const { clock } = rig
  const seen = (path: string, size: number) =>
    ({
      type: 'file_seen',
      folder: 'notes',
      path,
      stat: stat(size),
      not_before_ms: clock.now_ms(),
    }) as const
  const checks: string[] = []
  const { check, end } = hanging()
  const checker = startIn(rig, async (_name, paths) => {
    checks.push(...paths)
    if (paths[0]!.startsWith('large')) await check()
    await rig.record(
      ...paths.map((path) => ({ type: 'file_gone', folder: 'notes', path }) as const),
    )
    return 'recorded'
  })
  await rig.record(...['large 1', 'large 2', 'large 3'].map((path) => seen(path, large_bytes)))
  await clock.runUntil(() => checks.length === 2)
  await rig.record(seen('small', large_bytes - 1))
  await clock.runUntil(() => checks.includes('small'))
  expect(new Set(checks)).toEqual(new Set(['large 1', 'large 2', 'small']))
  end()
  await clock.runUntil(() => checks.includes('large 3'))
  await checker.stop()
})

test('a large file whose claim ended during its check does not use the place of another one', async () => {
  const rig = await openRig()
  const { clock } = rig
  const seen = (path: string) =>
    ({
      type: 'file_seen',
      folder: 'notes',
      path,
      stat: stat(large_bytes),
      not_before_ms: clock.now_ms(),
    }) as const
  const checks: string[] = []
  const { check, end } = hanging()
  const checker = startIn(rig, async (folder, [path]) => {
    checks.push(path!)
    if (path === 'huge') await check()
    await rig.record({ type: 'file_gone', folder, path: path! })
    return 'recorded'
  })
  await rig.record(seen('huge'))
  await clock.runUntil(() => checks.length === 1)
  // A new folder ends the claims, in case they could not be followed.
  const folder = {
    name: 'other',
    root: '/other',
    project_id,
    labels: [],
    label_from: 'none',
    rules: '',
  } as const
  await rig.record(
    { type: 'folder_configured', folder },
    { type: 'folder_online', folder: 'other', device: 2n },
  )
  await rig.record(seen('next'))
  await clock.runUntil(() => checks.includes('next'))
  expect(checks).toEqual(['huge', 'next'])
  end()
  await checker.stop()
})
