import { expect, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

const names = Array.from({ length: 15 }, (_, index) => `docs/${index % 3}/${index}.txt`)
const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
/** Without x, 15 of 40 files are found, so a user must decide. */
const left_15_of_40 = {
  tree: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `docs/${index < 25 ? 'x' : 'y'}/${index}.txt`,
      `text ${index}`,
    ]),
  ),
  config: { scan: { missing_files: 5 } },
}

localJourneys('accepting missing files', (profile) => {
  test('more files are missing than one scan checks: one acknowledgement covers all of them', async () => {
    // Limits the answer as if there were hundreds of thousands of files.
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async differences(range) {
        const { missing, ...found } = await ledger.differences(range)
        return { ...found, missing: missing.slice(0, 4) }
      },
    })
    const journey = await begin({ profile, tree, wrap_ledger })
    await journey.allReady()
    const md5s = journey.assets().map(({ md5 }) => md5!)
    await journey.stop()
    for (const part of ['0', '1', '2']) journey.remove(`docs/${part}`)
    await journey.start()
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.includes('0 of 15') ?? false,
    )
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.until('every file is gone', () =>
      journey.files().every(({ stage }) => stage === 'gone'),
    )
    expect(journey.folder()?.offline_reason).toBeNull()
    await journey.idle()
    journey.ends({ also_there: md5s })
  })

  test('skipped files take the place of no document: all documents are missing beside them', async () => {
    const folders = { docs: { max_file_bytes: 50 } }
    const journey = await begin({ ...left_15_of_40, profile, folders })
    await journey.allReady()
    const videos = Array.from({ length: 39 }, (_, index) => `docs/video/${index}.txt`)
    journey.write(Object.fromEntries(videos.map((name) => [name, 'x'.repeat(60)])))
    const isSkipped = (name: string) => journey.file(name)?.stage === 'skipped too_large'
    await journey.until('they are skipped', () => videos.every(isSkipped))
    await journey.idle()
    await journey.stop()
    journey.move('docs/x', 'aside/x')
    journey.move('docs/y', 'aside/y')
    await journey.start()
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.includes('0 of 40 files found') ?? false,
    )
    expect(gone(journey)).toBe(0)
    journey.move('aside/x', 'docs/x')
    journey.move('aside/y', 'docs/y')
    journey.daemon.rescan('docs')
    await journey.until('it is online', () => journey.folder()?.offline_reason === null)
    await journey.idle()
    expect(gone(journey)).toBe(0)
    journey.ends({ left_out: videos })
  })

  test('documents that grow until a rule skips them are no loss', async () => {
    const folders = { docs: { max_file_bytes: 50 } }
    const journey = await begin({ ...left_15_of_40, profile, folders })
    await journey.allReady()
    const md5s = journey.assets().map(({ md5 }) => md5!)
    const grown = Object.keys(left_15_of_40.tree)
    journey.write(Object.fromEntries(grown.map((name) => [name, 'x'.repeat(60)])))
    const isSkipped = (name: string) => journey.file(name)?.stage === 'skipped too_large'
    await journey.until('they are skipped', () => grown.every(isSkipped))
    journey.daemon.rescan('docs')
    await journey.idle()
    expect(journey.log().filter((line) => line.includes('is offline'))).toEqual([])
    expect(journey.folder()?.offline_reason).toBeNull()
    journey.ends({ left_out: grown, also_there: md5s })
  })

  test('an acknowledgement stays valid if the next scan finds the same again', async () => {
    let is_said = false
    // The user saw the first finding. The folder keeper is about to record the same one again.
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        const again = facts.find(
          (fact) => fact.type === 'folder_offline' && fact.reason.includes('most of it is gone'),
        )
        if (again && !is_said) {
          is_said = true
          await ledger.record([{ type: 'accepted', folder: 'docs', path: '' }])
        }
        return ledger.record(facts)
      },
    })
    const journey = await begin({ ...left_15_of_40, profile, wrap_ledger })
    await journey.allReady()
    journey.move('docs/x', 'aside/x')
    journey.daemon.rescan('docs')
    await journey.until('what was missing is gone', () => gone(journey) === 25)
    await journey.idle()
    expect(is_said).toBe(true)
    expect(journey.folder()?.offline_reason).toBeNull()
    journey.move('aside/x', 'docs/x')
    await journey.allReady()
  })

  /** 15 of 40 files are found, the user has accepted that, and no scan has followed. */
  async function accepted15(): Promise<Journey> {
    const journey = await begin({ ...left_15_of_40, profile })
    await journey.allReady()
    journey.move('docs/x', 'aside/x')
    journey.daemon.rescan('docs')
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.includes('15 of 40') ?? false,
    )
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.abort()
    return journey
  }

  function gone(journey: Journey): number {
    return journey.files().filter(({ stage }) => stage === 'gone').length
  }

  test('accepted, then stopped before the next scan: the acknowledgement stays valid for the same finding', async () => {
    const journey = await accepted15()
    await journey.start()
    await journey.until('what was missing is gone', () => gone(journey) === 25)
    await journey.idle()
    expect(journey.folder()?.offline_reason).toBeNull()
    journey.move('aside/x', 'docs/x')
    await journey.allReady()
  })

  test('accepted, then another directory in its place before the next scan: the acknowledgement does not apply', async () => {
    const journey = await accepted15()
    const before = gone(journey)
    journey.write({ 'other/': '' })
    journey.move('docs', 'disk')
    journey.move('other', 'docs')
    await journey.start()
    await journey.until(
      'it is asked again',
      () => journey.folder()?.offline_reason?.includes('0 of 40') ?? false,
    )
    journey.daemon.rescan('docs')
    await journey.idle()
    expect(gone(journey)).toBe(before)
    journey.move('docs', 'other')
    journey.move('disk', 'docs')
    journey.daemon.rescan('docs')
    await journey.until(
      'the word is not kept for later',
      () => journey.folder()?.offline_reason?.includes('15 of 40') ?? false,
    )
    journey.move('aside/x', 'docs/x')
    journey.daemon.rescan('docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.allReady()
  })

  for (const [what, left] of [
    ['all the rest', 0],
    ['most of the rest', 2],
  ] as const) {
    test(`accepted, then ${what} missing before the next scan: the acknowledgement does not apply`, async () => {
      const journey = await accepted15()
      const before = gone(journey)
      const rest = Array.from({ length: 15 - left }, (_, index) => `y/${index + 25}.txt`)
      for (const name of rest) journey.move(`docs/${name}`, `aside/${name}`)
      await journey.start()
      await journey.until(
        'it is asked again',
        () => journey.folder()?.offline_reason?.includes(`${left} of 40`) ?? false,
      )
      await journey.idle()
      expect(gone(journey)).toBe(before)
      for (const name of rest) journey.move(`aside/${name}`, `docs/${name}`)
      journey.move('aside/x', 'docs/x')
      journey.daemon.rescan('docs')
      await journey.until('it is back', () => journey.folder()?.offline_reason === null)
      await journey.allReady()
    })
  }

  test('accepting missing files releases no file of the upload limit, and accepts nothing else', async () => {
    const clock = new MovingClock()
    const held = Array.from({ length: 8 }, (_, index) => `docs/old/${index}.txt`)
    const journey = await begin({
      profile,
      clock,
      tree: Object.fromEntries(held.map((name) => [name, `older ${name}`])),
      folders: { docs: { start: 'from_now' } },
      config: { scan: { missing_files: 5 } },
    })
    const isLeftOut = (name: string) => journey.file(name)?.stage === 'skipped before_start'
    await journey.until('they are left out', () => held.every(isLeftOut))
    await journey.idle()
    const newer = names
      .map((name) => name.replace('docs', 'docs/new'))
      .concat('docs/new/15.txt', 'docs/new/16.txt')
    for (const name of newer) journey.write({ [name]: `newer ${name}` })
    await journey.until('the new ones are sent', () =>
      newer.every((name) => journey.file(name)?.stage === 'ready'),
    )
    const md5s = journey.assets().map(({ md5 }) => md5!)
    clock.skip(10 * minute_ms)
    await journey.stop()
    journey.remove('docs/new')
    await journey.start()
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.includes('8 of 25') ?? false,
    )
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    journey.daemon.rescan('docs')
    await journey.until('what was missing is gone', () =>
      newer.every((name) => journey.file(name)?.stage === 'gone'),
    )
    await journey.idle()
    expect(held.filter(isLeftOut)).toEqual(held)
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    await journey.until('a word of its own lets them go', () =>
      held.every((name) => journey.file(name)?.stage === 'ready'),
    )
    await journey.idle()
    journey.ends({ also_there: md5s })
  })
})
