import { expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, journeys, localJourneys } from '../rig/harness.ts'

journeys('a file is uploaded', (profile) => {
  test('from the folder to ready: name, type, bytes and times are right', async () => {
    const odd_name = 'docs/ä ö/it’s "odd"\n🙂.md'
    const large = 'one line of a large text\n'.repeat(80_000)
    const tree: Record<string, string> = {
      'docs/plan.txt': 'the plan',
      'docs/large.csv': large,
      [odd_name]: '# Title',
      'docs/sub/NOTES': 'plain',
    }
    const journey = await begin({ profile, tree })
    await journey.allReady()

    const types: Record<string, string> = {
      'docs/plan.txt': 'text/plain',
      'docs/large.csv': 'text/csv',
      [odd_name]: 'text/markdown',
      'docs/sub/NOTES': 'text/plain',
    }
    const assets = journey.assets()
    expect(
      Object.fromEntries(assets.map(({ filename, mime_type }) => [filename, mime_type])),
    ).toEqual(types)
    for (const { asset_id, filename, size_in_bytes, md5 } of assets) {
      const bytes = Buffer.from(tree[filename]!)
      expect(journey.service.readBlob(asset_id).equals(bytes), filename).toBe(true)
      expect([size_in_bytes, md5]).toEqual([bytes.length, md5Of(bytes)])
      const file = journey.file(filename)
      expect(file).toMatchObject({ asset_id, made_here: 1, error_code: null })
      expect(file!.ready_ms).toBeGreaterThanOrEqual(file!.settled_ms!)
    }
    expect(journey.cost()).toEqual({ creates: 4, puts: 4 })
    expect(journey.slots()).toEqual([])
  })

  test('content that the project already has is linked, not sent', async () => {
    const journey = await begin({ profile }, 'not started')
    await journey.start()
    journey.write({ 'docs/mine.txt': 'known content' })
    await journey.allReady()
    const { asset_id } = journey.assets()[0]!
    await journey.stop()

    // Another daemon with its own ledger and the same project.
    const other = await journey.another()
    await other.allReady()
    expect(journey.cost()).toEqual({ creates: 2, puts: 1 })
    expect(other.file('docs/mine.txt')).toMatchObject({ asset_id, made_here: 0 })
  })

  test('an unknown status means that the service is still at work', async () => {
    const clock = new MovingClock()
    const service = { clock, ingest: { delay_ms: 10 * minute_ms } }
    const journey = await begin({ profile, tree: { 'docs/slow.txt': 'slow' }, service })
    await journey.stage('docs/slow.txt', 'ingesting')
    const { asset_id } = journey.file('docs/slow.txt')!
    const { body } = await journey.call('GET', `/v1/assets/${asset_id}`)
    expect(body.status).toBe(profile === 'hosted' ? 'enriching' : 'ingesting')
    await journey.until(
      'the daemon gets the status, too',
      () => journey.requests('assets.read').length >= 3,
    )
    clock.skip(10 * minute_ms)
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('a file that the service cannot read is refused with a reason, and sent again when a user retries it', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/long.txt': 'x'.repeat(2_000), 'docs/short.txt': 'short' },
      service: { ingest: { max_bytes: 1_000 } },
    })
    await journey.stage('docs/long.txt', 'refused')
    await journey.stage('docs/short.txt', 'ready')
    expect(journey.file('docs/long.txt')?.error_message).toMatch(/\w+ \w+/)
    expect(journey.file('docs/long.txt')?.ready_ms).toBeNull()
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })

    await journey.restartService({ ingest: { max_bytes: 10_000 } })
    await journey.record({ type: 'retried', folder: 'docs', path: 'long.txt' })
    await journey.allReady()
    expect(
      journey
        .assets()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['failed', 'ready', 'ready'])
  })
})

localJourneys('files are uploaded', (profile) => {
  test('a file that appears while the daemon runs', async () => {
    const journey = await begin({ profile, tree: { 'docs/first.txt': 'first' } })
    await journey.allReady()
    journey.write({ 'docs/new/deep/second.txt': 'second' })
    await journey.stage('docs/new/deep/second.txt', 'ready')
    journey.write({ 'docs/first.txt': 'first, edited' })
    await journey.until(
      'the edited version is ready',
      () => journey.file('docs/first.txt')?.md5 === md5Of('first, edited'),
    )
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    journey.ends({ also_there: [md5Of('first')] })
  })

  test('ten files with equal bytes are one asset', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `docs/${index}/copy ${index}.txt`)
    const journey = await begin({
      profile,
      tree: Object.fromEntries(names.map((name) => [name, 'all the same'])),
    })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    expect(journey.assets()).toHaveLength(1)

    journey.write({ 'docs/eleventh.txt': 'all the same' })
    await journey.stage('docs/eleventh.txt', 'ready')
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('a restart sends nothing again', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a', 'docs/b.txt': 'b' } })
    await journey.allReady()
    await journey.stop()
    journey.write({ 'docs/c.txt': 'came while it was down' })
    journey.remove('docs/b.txt')
    await journey.start()
    await journey.stage('docs/c.txt', 'ready')
    await journey.stage('docs/b.txt', 'gone')
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
    journey.ends({ also_there: [md5Of('b')] })
  })

  test('many pending files are followed by pages of the list', async () => {
    // While no file of a type is ready, more than 20 of it would wait.
    const types = ['txt', 'md', 'csv']
    const names = Array.from({ length: 60 }, (_, index) => `docs/${index}.${types[index % 3]}`)
    const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
    const clock = new MovingClock()
    const journey = await begin({
      profile,
      tree,
      clock,
      service: { clock, ingest: { delay_ms: hour_ms } },
    })
    await journey.until('all bytes are in', () => {
      return journey.files().filter(({ stage }) => stage === 'ingesting').length === 60
    })
    await journey.stop()
    // The next read of each file is due by then.
    clock.skip(2 * hour_ms)
    await journey.restartService({})
    await journey.until('the service is done', () =>
      journey.assets().every(({ status }) => status === 'ready'),
    )
    const reads = journey.requests('assets.read').length
    const lists = journey.requests('assets.list').length
    await journey.start()
    await journey.allReady()
    expect(journey.assets()).toHaveLength(60)
    expect(journey.requests('assets.read')).toHaveLength(reads)
    expect(journey.requests('assets.list')).toHaveLength(lists + 1)
  })
})
