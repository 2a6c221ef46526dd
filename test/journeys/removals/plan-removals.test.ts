import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { type Plan, planUploads } from '../../../src/inspect/plan/plan.ts'
import type { FolderRemovals } from '../../../src/inspect/plan/plan-answer.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeStore } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'
import { realWait } from '../../rig/waiting.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import type { Fields } from '../rig/quick-config.ts'

const removing = { on_delete: 'remove', delete_grace_ms: '1h', on_change: 'remove_old' }
const names = Array.from({ length: 30 }, (_, index) => `docs/${index}.txt`)
const tree = {
  ...Object.fromEntries(
    names.map((name, index) => [name, `text of ${index} ${'x'.repeat(index)}`]),
  ),
  'kept/a.txt': 'a, first version',
  'kept/also 3.txt': 'text of 3 xxx',
}

/** A test moves this clock to end the grace, however long a pass and a plan take. */
let clock: MovingClock
beforeEach(() => {
  clock = new MovingClock()
})

async function plan(journey: Journey, hash = true): Promise<Plan> {
  const config = journey.config()
  const ledger = openLedgerView(config.state_dir)
  try {
    return await planUploads({ config, ledger, hash, now_ms: clock.now_ms() })
  } finally {
    ledger.close()
  }
}

function removalsOf(
  plan: Plan,
  name = 'docs',
): { would_remove: number; waits: Record<string, number> } {
  const { would_remove, waits } = plan.folders.find((folder) => folder.name === name)!
    .removals as FolderRemovals
  return {
    would_remove: would_remove.files,
    waits: Object.fromEntries(waits.map(({ why, files }) => [why, files])),
  }
}

/** Plans in a process that obeys permission bits. */
function planUnprivileged(journey: Journey): Plan {
  const state = 'state'
  const place = makeStore()
  cpSync(journey.config().state_dir, join(place, state), { recursive: true })
  execFileSync('chmod', ['-R', 'a+rwX', place])
  const config = { ...journey.config(), state_dir: join(place, state) }
  const script = `
    import { planUploads } from '${builtModule('inspect/plan/plan')}'
    import { openLedgerView } from '${builtModule('ledger/views/view')}'
    const config = ${JSON.stringify(config)}
    const ledger = openLedgerView(config.state_dir)
    console.log(JSON.stringify(await planUploads({ config, ledger, hash: true, now_ms: ${clock.now_ms()} })))
    ledger.close()`
  return runUnprivileged(script, place) as Plan
}

/** Number of assets that one more pass removes. */
async function removedByPass(journey: Journey): Promise<number> {
  const before = journey.requests('assets.delete').length
  await journey.restart()
  expect(await journey.drained()).toEqual({ why: 'done' })
  await journey.stop()
  return journey.requests('assets.delete').length - before
}

async function passed(
  profile: ProfileName,
  {
    config = {},
    docs = {},
    files = tree,
  }: { config?: Fields; docs?: Fields; files?: Record<string, string> } = {},
): Promise<Journey> {
  const journey = await begin({
    profile,
    tree: files,
    folders: { docs: { ...removing, ...docs }, kept: {} },
    mode: 'once',
    config,
    clock,
    service: { clock },
  })
  expect(await journey.drained()).toEqual({ why: 'done' })
  return journey
}

localJourneys('the removals of a plan', (profile) => {
  test('agree with the next pass: now, and after the grace', async () => {
    const journey = await passed(profile)
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 0, waits: {} })
    journey.write({
      'docs/0.txt': 'another text of 0',
      'docs/1.txt': 'another text of 1',
      'kept/a.txt': 'another a',
    })
    for (const gone of ['docs/2.txt', 'docs/3.txt', 'docs/4.txt']) journey.remove(gone)
    journey.move('docs/5.txt', 'docs/moved/5.txt')

    const first = await plan(journey)
    // File 3 has another copy in a folder of the same project; file 5 was moved.
    // Old versions may have moved to the other folder: a pass may scan it before it finds them
    // changed.
    expect(removalsOf(first)).toEqual({ would_remove: 0, waits: { grace: 2, scan: 2 } })
    expect(removalsOf(first, 'kept')).toEqual({ would_remove: 0, waits: {} })
    // It removes the two that wait for a scan if it happens to scan the other folder last.
    const early = await removedByPass(journey)
    expect([0, 2]).toContain(early)
    const now = { would_remove: 2 - early, waits: { grace: 2 } }
    expect(removalsOf(await plan(journey))).toEqual(now)
    clock.skip(hour_ms)
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 4 - early, waits: {} })
    expect(await removedByPass(journey)).toBe(4 - early)
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 0, waits: {} })
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5!) })
  })

  test('without reading the files, those that may have moved wait', async () => {
    // This grace passes in real time, so that files written after it are new by the clock, too.
    const journey = await passed(profile, { docs: { settle_ms: '2s', delete_grace_ms: '1s' } })
    journey.remove('docs/2.txt')
    await removedByPass(journey)
    await realWait('a time by the clock of the disk', 1_100)
    // The new file settles only after the removal is decided. The pass that waits for its bytes
    // then removes the asset, and leaves nothing to the next one.
    journey.write({ 'docs/new.txt': 'text OF 2 xx' })
    expect(removalsOf(await plan(journey, false))).toEqual({ would_remove: 0, waits: { twin: 1 } })
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 1, waits: {} })
    expect(await removedByPass(journey)).toBe(1)
  })

  test('more removals than allowed wait for a user', async () => {
    const journey = await passed(profile, {
      config: { removal: { max_files: 3, max_percent: 10 } },
    })
    for (const name of names.slice(10, 18)) journey.remove(name)
    expect(await removedByPass(journey)).toBe(0)
    clock.skip(hour_ms)
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 0, waits: { user: 8 } })
    expect(await removedByPass(journey)).toBe(0)
    await journey.restart()
    await journey.record({ type: 'removals_accepted', folder: 'docs', path: '' })
    await journey.stop()
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 8, waits: {} })
    expect(await removedByPass(journey)).toBe(8)
  })

  test('known files in an unreadable directory: a file that is missing elsewhere may have moved there', async () => {
    const journey = await passed(profile, { files: { ...tree, 'kept/shut/b.txt': 'b' } })
    journey.remove('docs/2.txt')
    expect(await removedByPass(journey)).toBe(0)
    clock.skip(hour_ms)
    expect(removalsOf(await plan(journey))).toEqual({ would_remove: 1, waits: {} })
    execFileSync('chmod', ['-R', 'a+rX', journey.base])
    expect(removalsOf(planUnprivileged(journey))).toEqual({ would_remove: 1, waits: {} })
    chmodSync(journey.at('kept/shut'), 0)
    expect(removalsOf(planUnprivileged(journey))).toEqual({ would_remove: 0, waits: { scan: 1 } })
    chmodSync(journey.at('kept/shut'), 0o755)
    expect(await removedByPass(journey)).toBe(1)
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5!) })
  })

  test('another directory in place of a small folder: no removal is planned', async () => {
    const few = Object.fromEntries(names.slice(0, 8).map((name) => [name, `text of ${name}`]))
    const journey = await passed(profile, { files: few })
    journey.write({ 'other/': '' })
    journey.move('docs', 'elsewhere')
    journey.move('other', 'docs')
    const planned = await plan(journey)
    expect(planned.folders[0]?.doubt).toContain('0 of 8 files found: waiting')
    expect(removalsOf(planned)).toEqual({ would_remove: 0, waits: {} })
    expect(await removedByPass(journey)).toBe(0)
    journey.move('docs', 'other')
    journey.move('elsewhere', 'docs')
    await removedByPass(journey)
  })

  test('a folder that gets another path: the missing files do not count as deleted', async () => {
    const few = Object.fromEntries(names.slice(0, 8).map((name) => [name, `text of ${name}`]))
    const journey = await passed(profile, { files: few })
    journey.write({ 'new/0.txt': 'another text', 'new/1.txt': few['docs/1.txt']! })
    const path = journey.at('new')
    const elsewhere = { folders: { docs: { ...removing, path }, kept: {} } }
    const config = journey.config(elsewhere)
    const ledger = openLedgerView(config.state_dir)
    const planned = await planUploads({ config, ledger, hash: true, now_ms: clock.now_ms() })
    ledger.close()
    expect(planned.folders[0]?.doubt).toBeNull()
    expect(removalsOf(planned)).toEqual({ would_remove: 0, waits: {} })
    for (const _pass of [1, 2]) {
      await journey.restart(elsewhere)
      expect(await journey.drained()).toEqual({ why: 'done' })
      await journey.stop()
      clock.skip(hour_ms)
    }
    expect(journey.requests('assets.delete')).toEqual([])
    expect(journey.assets()).toHaveLength(9)
    await journey.restart()
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(journey.cost(), 'given its own path again nothing is sent anew').toEqual({
      creates: 9,
      puts: 9,
    })
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5!) })
  })

  test('a folder that lost too many files: no removal is planned', async () => {
    const journey = await passed(profile)
    for (const name of names) journey.remove(name)
    const planned = await plan(journey)
    expect(planned.folders[0]?.doubt).toContain('0 of 30 files found: waiting')
    expect(removalsOf(planned)).toEqual({ would_remove: 0, waits: {} })
    expect(await removedByPass(journey)).toBe(0)
    journey.write(tree)
    await removedByPass(journey)
  })

  test('a folder that lost all but its skipped files: no removal is planned', async () => {
    const skipped = ['docs/large a.txt', 'docs/large b.txt']
    const large = Object.fromEntries(skipped.map((name) => [name, 'x'.repeat(100)]))
    const docs = { max_file_bytes: 90 }
    const journey = await passed(profile, { docs, files: { ...tree, ...large } })
    for (const name of names) journey.remove(name)
    const planned = await plan(journey)
    expect(planned.folders[0]?.doubt).toContain('0 of 30 files found: waiting')
    expect(removalsOf(planned)).toEqual({ would_remove: 0, waits: {} })
    expect(await removedByPass(journey)).toBe(0)
    journey.write(tree)
    await removedByPass(journey)
    journey.ends({ left_out: skipped })
  })
})
