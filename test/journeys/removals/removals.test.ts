import { expect, test } from 'vitest'
import { day_ms, second_ms } from '../../../src/base/time/time.ts'
import type { Failure } from '../../../src/service/fault-injection.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { realWait } from '../../rig/waiting.ts'
import { setStatusThere } from '../../service/set-status.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { rescanUntil } from '../rig/scans-go-on.ts'

const removing = { on_delete: 'remove', delete_grace_ms: '1s', on_change: 'remove_old' }
const tree = { 'docs/a.txt': 'a, first version', 'docs/b.txt': 'b', 'docs/c.txt': 'c' }

async function ready(
  profile: ProfileName,
  more: Partial<Parameters<typeof begin>[0]> = {},
): Promise<Journey> {
  const journey = await begin({ profile, tree, folders: { docs: removing }, ...more })
  await journey.allReady()
  return journey
}

localJourneys('unused assets are removed', (profile) => {
  test('an old version is removed once the new one is ready, a deleted file after its grace, a moved file never', async () => {
    const journey = await ready(profile)
    const moved = journey.file('docs/c.txt')?.asset_id
    const put = journey.hold('begin', 'put')
    journey.write({ 'docs/a.txt': 'a, second version' })
    await put.reached()
    expect(journey.assets()).toHaveLength(3)
    put.release()
    await journey.until('the old version is gone', () => journey.assets().length === 3)
    journey.remove('docs/b.txt')
    journey.move('docs/c.txt', 'docs/d/moved.txt')
    await rescanUntil(journey, 'it was removed there', () => journey.assets().length === 2)
    await journey.idle()
    expect(journey.requests('assets.delete').map(({ status }) => status)).toEqual([204, 204])
    expect(journey.file('docs/d/moved.txt')?.asset_id).toBe(moved)
    expect(journey.stages()).toMatchObject({ 'docs/a.txt': 'ready', 'docs/d/moved.txt': 'ready' })
  })

  test('a file that comes back after its removal is sent again', async () => {
    const journey = await ready(profile)
    const before = journey.file('docs/b.txt')?.asset_id
    journey.remove('docs/b.txt')
    await rescanUntil(journey, 'it was removed there', () => journey.assets().length === 2)
    journey.write({ 'docs/b.txt': 'b' })
    await journey.stage('docs/b.txt', 'ready')
    expect(journey.file('docs/b.txt')?.asset_id).not.toBe(before)
    expect(journey.cost()).toEqual({ creates: 4, puts: 4 })
  })
})

localJourneys('a service that does not remove an asset', (profile) => {
  const answers: Failure[] = [
    { status: 405 },
    { status: 501 },
    { status: 403 },
    { status: 404, code: 'publicapi.route.not_found' },
    { status: 404, body: 'empty' },
  ]
  for (const answer of answers) {
    test(`answers ${Object.values(answer).join(' ')}: the asset is kept, nothing pauses, and the call is not repeated`, async () => {
      const service = {
        injected_faults: { failures: [{ ...answer, route: 'assets.delete' as const }] },
      }
      const journey = await ready(profile, { service })
      journey.write({ 'docs/a.txt': 'a, second version' })
      await journey.until('it was asked', () => journey.requests('assets.delete').length > 0)
      journey.write({ 'docs/e.txt': 'e' })
      await journey.allReady()
      await journey.idle()
      expect(journey.requests('assets.delete')).toHaveLength(1)
      expect(journey.assets()).toHaveLength(5)
      expect(journey.contents().filter(({ state }) => state !== 'ready')).toEqual([])
      expect(journey.troubles()).toEqual([])
      journey.ends({ also_there: journey.assets().map(({ md5 }) => md5!) })
    })
  }

  for (const status of [503, 429, 425, 409]) {
    test(`refuses for now (${status}): the asset is removed as soon as possible`, async () => {
      const journey = await ready(profile)
      journey.service.injectFaults({ failures: [{ route: 'assets.delete', status }] })
      journey.write({ 'docs/a.txt': 'a, second version' })
      await journey.until('it was asked', () => journey.requests('assets.delete').length > 1)
      journey.service.injectFaults({ failures: [] })
      await journey.until('the old version is gone', () => journey.assets().length === 3)
    })
  }

  const no_answer = { route: 'assets.delete', status: 500 } as const
  const meanwhile: Record<string, (journey: Journey) => Promise<unknown>> = {
    'the file is back': async (journey) => journey.write({ 'docs/b.txt': 'b' }),
    'its folder keeps now': (journey) =>
      journey.reload({ folders: { docs: { ...removing, on_delete: 'keep' } } }),
  }
  for (const [what, happens] of Object.entries(meanwhile)) {
    test(`does nothing and gives no answer, and ${what}: the asset stays, and nothing is sent again`, async () => {
      const journey = await ready(profile, {
        service: { injected_faults: { failures: [no_answer] } },
      })
      const { asset_id } = journey.file('docs/b.txt')!
      journey.remove('docs/b.txt')
      await rescanUntil(
        journey,
        'it was removed there',
        () => journey.requests('assets.delete').length > 0,
      )
      await happens(journey)
      await journey.until('it is no longer meant', () =>
        journey.contents().every(({ state }) => state === 'ready'),
      )
      await journey.idle()
      journey.service.injectFaults({ failures: [] })
      journey.daemon.rescan()
      await journey.idle()
      expect(journey.assets().map((asset) => asset.asset_id)).toContain(asset_id)
      expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
      journey.ends({ also_there: journey.assets().map(({ md5 }) => md5!) })
    })
  }

  for (const status of ['ingesting', 'failed'] as const) {
    test(`does nothing and gives no answer, and the asset is ${status} by then: it is not recorded as removed`, async () => {
      const journey = await ready(profile, {
        service: { injected_faults: { failures: [no_answer] } },
      })
      const { asset_id } = journey.file('docs/b.txt')!
      const state = () => journey.contents().find((content) => content.asset_id === asset_id)?.state
      journey.remove('docs/b.txt')
      await rescanUntil(
        journey,
        'it was removed there',
        () => journey.requests('assets.delete').length > 0,
      )
      setStatusThere(journey.service, asset_id!, status)
      await journey.reload({ folders: { docs: { ...removing, on_delete: 'keep' } } })
      const after = status === 'failed' ? 'refused' : 'ingesting'
      await journey.until('the ledger knows', () => state() === after)
      if (status === 'ingesting') {
        setStatusThere(journey.service, asset_id!, 'ready')
        await journey.until('it is followed', () => state() === 'ready')
      }
      await journey.idle()
      const usable = journey.assets().filter((asset) => asset.status === 'ready')
      journey.ends({ also_there: usable.map(({ md5 }) => md5!) })
    })
  }

  test('removes it, and its answer is lost: the asset counts as removed', async () => {
    const journey = await ready(profile)
    const lost = {
      route: 'assets.delete',
      status: 500,
      when: 'after',
      drop_connection: true,
      times: 1,
    } as const
    journey.service.injectFaults({ failures: [lost] })
    journey.write({ 'docs/a.txt': 'a, second version' })
    await journey.until('the ledger knows', () =>
      journey.contents().some(({ state }) => state === 'abandoned'),
    )
    expect(journey.assets()).toHaveLength(3)
    expect(journey.stages()).toEqual({
      'docs/a.txt': 'ready',
      'docs/b.txt': 'ready',
      'docs/c.txt': 'ready',
    })
  })
})

localJourneys('assets and files that Sluice must not remove', (profile) => {
  test('an asset that existed before the upload stays with any policy', async () => {
    const first = await begin({ profile, tree, folders: { docs: {} } })
    await first.allReady()
    await first.stop()
    const second = await first.another({ folders: { docs: removing } })
    await second.allReady()
    second.write({ 'docs/a.txt': 'a, second version' })
    await second.allReady()
    second.remove('docs/b.txt')
    await second.stage('docs/b.txt', 'gone')
    await second.daemon.ledger.record([{ type: 'removals_accepted', folder: 'docs', path: '' }])
    second.daemon.rescan()
    await second.idle()
    expect(second.requests('assets.delete')).toEqual([])
    const also_there = second.assets().map(({ md5 }) => md5!)
    first.ends({ left_out: ['docs/a.txt', 'docs/b.txt'], also_there })
    second.ends({ also_there })
  })

  test('a file is put back after the grace while no daemon runs', async () => {
    const clock = new MovingClock()
    const journey = await ready(profile, {
      folders: { docs: { ...removing, delete_grace_ms: '7d' } },
      clock,
    })
    journey.remove('docs/b.txt')
    await journey.stage('docs/b.txt', 'gone')
    clock.skip(3 * second_ms)
    journey.daemon.rescan()
    await journey.idle()
    await journey.stop()
    clock.skip(8 * day_ms)
    journey.write({ 'docs/b.txt': 'b' })
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect(journey.requests('assets.delete')).toEqual([])
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
  })

  test('a folder that is offline for any time loses nothing', async () => {
    const journey = await ready(profile, {
      config: { removal: { max_files: 0, max_percent: 100 }, scan: { empty_folder_files: 0 } },
    })
    journey.move('docs', 'elsewhere')
    journey.daemon.rescan()
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    await realWait('nothing happens', 1.5 * second_ms)
    journey.daemon.rescan()
    await journey.idle()
    expect(journey.requests('assets.delete')).toEqual([])
    journey.move('elsewhere', 'docs')
    journey.daemon.rescan()
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.idle()
    expect(journey.stages()).toEqual({
      'docs/a.txt': 'ready',
      'docs/b.txt': 'ready',
      'docs/c.txt': 'ready',
    })
  })

  test('more removals than a user would do at once wait for an acknowledgement', async () => {
    const journey = await ready(profile, { config: { removal: { max_files: 1, max_percent: 0 } } })
    journey.remove('docs/a.txt')
    journey.remove('docs/b.txt')
    await journey.until(
      'both are gone',
      () => journey.files().filter(({ stage }) => stage === 'gone').length === 2,
    )
    await realWait('nothing happens', 1.5 * second_ms)
    journey.daemon.rescan()
    await journey.idle()
    expect(journey.requests('assets.delete')).toEqual([])
    await journey.record({ type: 'removals_accepted', folder: 'docs', path: '' })
    await rescanUntil(journey, 'it was removed there', () => journey.assets().length === 1)
  })
})

localJourneys('a folder that is emptied, with one event for each file', (profile) => {
  const names = Array.from(
    { length: 24 },
    (_, index) => `docs/${index % 2 === 0 ? 'sub/' : ''}${index}.txt`,
  )
  const many = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))

  test('one file after the other, with scans in between: nothing is removed without an acknowledgement', async () => {
    const folders = { docs: { ...removing, delete_grace_ms: '3s' } }
    const journey = await ready(profile, { tree: many, folders })
    for (const [index, name] of names.entries()) {
      journey.remove(name)
      if (index === 12) journey.daemon.rescan()
    }
    await journey.until('it was seen', () => names.every((name) => isSeen(journey, name)))
    await realWait('nothing happens', 3.5 * second_ms)
    journey.daemon.rescan()
    await journey.idle()
    expect(journey.requests('assets.delete')).toEqual([])
    journey.write(many)
    journey.daemon.rescan()
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 24, puts: 24 })
  })

  test('most files at once, in a subfolder: nothing is removed without an acknowledgement', async () => {
    const config = {
      watching: { directory_hints: 2 },
      scan: { missing_files: 5, missing_percent: 40 },
    }
    const journey = await ready(profile, { tree: many, config })
    journey.remove('docs/sub')
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.includes('12 of 24 files found') === true,
    )
    await journey.idle()
    // The first few deletions were recorded before they became too many.
    expect(journey.files().filter(({ stage }) => stage === 'gone').length).toBeLessThan(10)
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    journey.daemon.rescan()
    await journey.until('it is believed', () => journey.file('docs/sub/0.txt')?.stage === 'gone')
    await realWait('nothing happens', 1.5 * second_ms)
    journey.daemon.rescan()
    await journey.idle()
    expect(journey.requests('assets.delete')).toEqual([])
    await journey.record({ type: 'removals_accepted', folder: 'docs', path: '' })
    await rescanUntil(journey, 'it was removed there', () => journey.assets().length === 12)
  })

  function isSeen(journey: Journey, name: string): boolean {
    return journey.file(name)?.stage === 'gone' || journey.folder()?.offline_reason !== null
  }
})
