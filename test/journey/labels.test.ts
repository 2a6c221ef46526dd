import { expect, test } from 'vitest'
import { MovingClock } from '../moving-clock.ts'
import { begin, type Journey, localJourneys } from './harness.ts'

function labelsOf(journey: Journey, name: string): string[] {
  const asset_id = journey.file(name)?.asset_id
  const asset = journey.assets().find((candidate) => candidate.asset_id === asset_id)
  return [...(asset?.labels ?? [])].sort()
}

async function labels(journey: Journey, name: string, wanted: string[]): Promise<void> {
  await journey.until(`${name} has the labels ${wanted}`, () => {
    return journey.file(name)?.stage === 'ready' && labelsOf(journey, name).join() === wanted.join()
  })
}

localJourneys('labels', (profile) => {
  const docs = { labels: ['team', 'from sluice'], label_from: 'first_folder' }

  test('of the folder and of the first subfolder, once the file is ready', async () => {
    const tree = { 'docs/alpha/deep/a.txt': 'a', 'docs/top.txt': 'top' }
    const journey = await begin({ profile, folders: { docs }, tree })
    await labels(journey, 'docs/alpha/deep/a.txt', ['alpha', 'from sluice', 'team'])
    await labels(journey, 'docs/top.txt', ['from sluice', 'team'])
  })

  test('of a duplicate are the union over its places', async () => {
    const folders = { docs, more: { labels: ['archive'] } }
    const tree = { 'docs/alpha/a.txt': 'same', 'docs/beta/b.txt': 'same' }
    const journey = await begin({ profile, folders, tree })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'beta', 'from sluice', 'team'])
    journey.write({ 'more/c.txt': 'same' })
    await labels(journey, 'more/c.txt', ['alpha', 'archive', 'beta', 'from sluice', 'team'])
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('of an asset that somebody else made', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'known' } })
    await journey.allReady()
    await journey.stop()
    const other = await journey.another({ folders: { docs } })
    await labels(other, 'docs/a.txt', ['from sluice', 'team'])
  })

  test('follow a file that moves, and what a person attached stays', async () => {
    const journey = await begin({ profile, folders: { docs }, tree: { 'docs/alpha/a.txt': 'a' } })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    const { asset_id } = journey.file('docs/alpha/a.txt')!
    await journey.call('POST', `/v1/assets/${asset_id}/labels`, { label_name: 'important' })

    journey.move('docs/alpha/a.txt', 'docs/beta/a.txt')
    await labels(journey, 'docs/beta/a.txt', ['beta', 'from sluice', 'important', 'team'])
    expect(journey.file('docs/beta/a.txt')?.asset_id).toBe(asset_id)
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('change with the config', async () => {
    const journey = await begin({ profile, folders: { docs }, tree: { 'docs/alpha/a.txt': 'a' } })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    await journey.restart({ folders: { docs: { labels: ['team', 'second'] } } })
    await labels(journey, 'docs/alpha/a.txt', ['second', 'team'])
    await journey.restart({ folders: { docs: {} } })
    await labels(journey, 'docs/alpha/a.txt', [])
  })

  test('survive answers that fail', async () => {
    const failures = [{ route: 'assets.attach_label' as const, status: 500, every: 2 }]
    const tree = { 'docs/alpha/a.txt': 'a', 'docs/beta/b.txt': 'b' }
    // Each is asked for again after seconds, later and later.
    const clock = new MovingClock({ times: 20 })
    const journey = await begin({ profile, folders: { docs }, tree, clock, service: { clock, bad_days: { failures } } })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    await labels(journey, 'docs/beta/b.txt', ['beta', 'from sluice', 'team'])
    await journey.idle()
  })
})
