import { expect, test } from 'vitest'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

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

  test('of the folder and of the first subfolder are attached once the file is ready', async () => {
    const tree = { 'docs/alpha/deep/a.txt': 'a', 'docs/top.txt': 'top' }
    const journey = await begin({ profile, folders: { docs }, tree })
    await labels(journey, 'docs/alpha/deep/a.txt', ['alpha', 'from sluice', 'team'])
    await labels(journey, 'docs/top.txt', ['from sluice', 'team'])
  })

  test('of a duplicate are those of all its places', async () => {
    const folders = { docs, more: { labels: ['archive'] } }
    const tree = { 'docs/alpha/a.txt': 'same', 'docs/beta/b.txt': 'same' }
    const journey = await begin({ profile, folders, tree })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'beta', 'from sluice', 'team'])
    journey.write({ 'more/c.txt': 'same' })
    await labels(journey, 'more/c.txt', ['alpha', 'archive', 'beta', 'from sluice', 'team'])
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('are attached to an asset that another user made', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'known' } })
    await journey.allReady()
    await journey.stop()
    const other = await journey.another({ folders: { docs } })
    await labels(other, 'docs/a.txt', ['from sluice', 'team'])
  })

  test('follow a file that moves, and labels of a user stay', async () => {
    const journey = await begin({ profile, folders: { docs }, tree: { 'docs/alpha/a.txt': 'a' } })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    const { asset_id } = journey.file('docs/alpha/a.txt')!
    await journey.call('POST', `/v1/assets/${asset_id}/labels`, { label_name: 'important' })

    journey.move('docs/alpha/a.txt', 'docs/beta/a.txt')
    await labels(journey, 'docs/beta/a.txt', ['beta', 'from sluice', 'important', 'team'])
    expect(journey.file('docs/beta/a.txt')?.asset_id).toBe(asset_id)
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('change with the configuration', async () => {
    const journey = await begin({ profile, folders: { docs }, tree: { 'docs/alpha/a.txt': 'a' } })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    await journey.restart({ folders: { docs: { labels: ['team', 'second'] } } })
    await labels(journey, 'docs/alpha/a.txt', ['second', 'team'])
    await journey.restart({ folders: { docs: {} } })
    await labels(journey, 'docs/alpha/a.txt', [])
  })

  test('by rule follow the path of a file and a changed rule', async () => {
    const rule = (path: string) => ({
      docs: { labels: ['team', { path, add: ['legal'] }], label_from: 'every_folder' },
    })
    const tree = { 'docs/contracts/2026/a.txt': 'a', 'docs/notes/b.txt': 'b' }
    const journey = await begin({ profile, folders: rule('/contracts/**'), tree })
    await labels(journey, 'docs/contracts/2026/a.txt', ['2026', 'contracts', 'legal', 'team'])
    await labels(journey, 'docs/notes/b.txt', ['notes', 'team'])
    journey.write({ 'docs/contracts/b.txt': 'b' })
    await labels(journey, 'docs/contracts/b.txt', ['contracts', 'legal', 'notes', 'team'])
    await journey.reload({ folders: rule('/notes/**') })
    await labels(journey, 'docs/contracts/2026/a.txt', ['2026', 'contracts', 'team'])
    await labels(journey, 'docs/notes/b.txt', ['contracts', 'legal', 'notes', 'team'])
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('are attached in spite of failing answers', async () => {
    const failures = [{ route: 'assets.attach_label' as const, status: 500, every: 2 }]
    const tree = { 'docs/alpha/a.txt': 'a', 'docs/beta/b.txt': 'b' }
    // Each is requested again after a few seconds, with growing rests.
    const clock = new MovingClock({ times: 20 })
    const journey = await begin({
      profile,
      folders: { docs },
      tree,
      clock,
      service: { clock, injected_faults: { failures } },
    })
    await labels(journey, 'docs/alpha/a.txt', ['alpha', 'from sluice', 'team'])
    await labels(journey, 'docs/beta/b.txt', ['beta', 'from sluice', 'team'])
    await journey.idle()
  })

  /**
   * A journey with a fast clock, so that a test sees the retries after a change of the
   * configuration.
   */
  const quick = () => {
    const clock = new MovingClock({ times: 20 })
    return { profile, clock, service: { clock }, tree: { 'docs/a.txt': 'a' } }
  }
  const one = { folders: { docs: { labels: ['one'] } } }
  const none = { folders: { docs: {} } }

  test('whose attach call failed come off if the configuration has others', async () => {
    const journey = await begin({ ...quick(), ...none })
    await journey.stage('docs/a.txt', 'ready')
    journey.service.injectFaults({
      failures: [{ route: 'assets.attach_label', status: 500, when: 'after' }],
    })
    await journey.reload(one)
    await labels(journey, 'docs/a.txt', ['one'])
    await journey.reload({ folders: { docs: { labels: ['two'] } } })
    journey.service.injectFaults({ failures: [] })
    await labels(journey, 'docs/a.txt', ['two'])
    await journey.idle()
  })

  test('whose detach call failed are attached again if the configuration wants them', async () => {
    const journey = await begin({ ...quick(), ...one })
    await labels(journey, 'docs/a.txt', ['one'])
    await journey.idle()
    journey.service.injectFaults({
      failures: [{ route: 'assets.detach_label', status: 500, when: 'after' }],
    })
    await journey.reload(none)
    await labels(journey, 'docs/a.txt', [])
    await journey.reload(one)
    journey.service.injectFaults({ failures: [] })
    await labels(journey, 'docs/a.txt', ['one'])
    await journey.idle()
  })

  test('that may be attached, and are no longer wanted, are not created by the search for them', async () => {
    const journey = await begin({ ...quick(), ...none })
    await journey.stage('docs/a.txt', 'ready')
    journey.service.injectFaults({ failures: [{ route: 'assets.attach_label', status: 500 }] })
    await journey.reload(one)
    await journey.until(
      'the label was asked for',
      () => journey.requests('assets.attach_label').length > 0,
    )
    await journey.reload(none)
    await journey.until('the search begins', () => journey.requests('labels.list').length > 0)
    await journey.idle()
    expect((await journey.call('GET', '/v1/labels')).body.data).toEqual([])
  })

  test('of a user stay if the service took none of our calls', async () => {
    const journey = await begin({ ...quick(), ...none })
    await journey.stage('docs/a.txt', 'ready')
    const { asset_id } = journey.file('docs/a.txt')!
    await journey.call('POST', `/v1/assets/${asset_id}/labels`, { label_name: 'one' })
    const failures = [{ route: 'assets.attach_label', status: 429, retry_after_s: 1 }] as const
    journey.service.injectFaults({ failures })
    const so_far = journey.requests('assets.attach_label').length
    await journey.reload(one)
    await journey.until(
      'it was refused',
      () => journey.requests('assets.attach_label').length > so_far,
    )
    await journey.reload(none)
    await journey.idle()
    expect(labelsOf(journey, 'docs/a.txt')).toEqual(['one'])
  })
})
