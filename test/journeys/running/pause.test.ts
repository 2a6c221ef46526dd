import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

const large = { 'docs/large.txt': 'a line of a large text\n'.repeat(150_000) }

localJourneys('a pause', (profile) => {
  test('running uploads finish, nothing else goes out, and everything follows after the pause', async () => {
    const journey = await begin({ profile, tree: large, folders: { docs: { labels: ['team'] } } })
    const put = journey.hold('begin', 'put')
    await put.reached()
    await journey.daemon.pause({ by: 'anna', why: 'the line is slow' })
    journey.write({ 'docs/small.txt': 'waits', 'docs/more/deep.txt': 'waits too' })
    put.release()
    await journey.stage('docs/large.txt', 'ready')
    // Watching and hashing continue, so that the work is known when the pause ends.
    await journey.stage('docs/more/deep.txt', 'wanted')
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    expect(journey.requests('assets.attach_label')).toEqual([])

    await journey.restart()
    await journey.idle()
    await journey.reload({ uploads: { concurrency: 2 } })
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    await journey.daemon.resume()
    await journey.allReady()
    await journey.until(
      'each has its label',
      () => journey.requests('assets.attach_label').length === 3,
    )
  })

  test('an upload that waits for a free place is given back', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `docs/${index}.txt`)
    const tree = Object.fromEntries(names.map((name) => [name, `the text of ${name}`]))
    const journey = await begin({ profile, tree, config: { uploads: { concurrency: 1 } } })
    const put = journey.hold('begin', 'assets.create')
    await put.reached()
    await journey.daemon.pause({ by: 'anna' })
    put.release()
    await journey.idle()
    // There is one connection: only uploads that began before the pause finish.
    expect(journey.cost().puts).toBeLessThanOrEqual(4)
    await journey.daemon.resume()
    await journey.allReady()
    expect(journey.cost().puts).toBe(40)
  })

  test('a file whose bytes are on the service is completed during the pause', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' } }, 'not started')
    journey.service.injectFaults({ failures: [{ route: 'assets.complete', status: 503 }] })
    await journey.start()
    await journey.stage('docs/a.txt', 'sent')
    await journey.daemon.pause({ by: 'anna' })
    journey.service.injectFaults({ failures: [] })
    await journey.stage('docs/a.txt', 'ready')
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    expect(journey.log().filter((line) => line.includes('sent: docs/a.txt'))).toHaveLength(1)
  })

  test('labels that were claimed before the pause wait as well', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `docs/${index}.txt`)
    const journey = await begin({
      profile,
      tree: Object.fromEntries(names.map((name) => [name, `text of ${name}`])),
    })
    await journey.allReady()
    const attach = journey.hold('begin', 'assets.attach_label')
    await journey.reload({ folders: { docs: { labels: ['team'] } } })
    await attach.reached()
    await journey.daemon.pause({ by: 'anna' })
    attach.release()
    await journey.idle()
    // At most the calls that were out when the pause came.
    expect(journey.requests('assets.attach_label').length).toBeLessThanOrEqual(4)
    await journey.daemon.resume()
    await journey.until('each has its label', () =>
      journey.assets().every(({ labels }) => labels.includes('team')),
    )
  })
})
