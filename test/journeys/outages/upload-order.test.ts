import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

const half_a_megabyte = 'a line of a large text\n'.repeat(25_000)

localJourneys('the order of uploads', (profile) => {
  test('small files do not wait behind large ones', async () => {
    const uploads = { concurrency: 2, small_file_bytes: 1_000 }
    const larges = { 'docs/a.txt': `a ${half_a_megabyte}`, 'docs/b.txt': `b ${half_a_megabyte}` }
    const journey = await begin({ profile, tree: larges, config: { uploads } })
    const put = journey.hold('begin', 'put')
    await put.reached()
    journey.write({ 'docs/small.txt': 'small' })
    await journey.stage('docs/small.txt', 'ready')
    // The other large file has not even requested a slot.
    expect(journey.requests('assets.create')).toHaveLength(2)
    put.release()
    await journey.allReady()
  })

  test('small files do not wait behind large ones, even if the service asks for a pause and fewer calls', async () => {
    const uploads = { concurrency: 3, small_file_bytes: 1_000 }
    const journey = await begin({ profile, config: { uploads } })
    const puts = []
    for (const name of ['a', 'b']) {
      const put = journey.hold('begin', 'put')
      journey.write({ [`docs/${name}.txt`]: `${name} ${half_a_megabyte}` })
      await put.reached()
      puts.push(put)
    }
    const failure = { route: 'assets.create', status: 429, retry_after_s: 1, times: 1 } as const
    journey.service.injectFaults({ failures: [failure] })
    const names = Array.from({ length: 5 }, (_, index) => `docs/small-${index}.txt`)
    journey.write(Object.fromEntries(names.map((name) => [name, `the text of ${name}`])))
    for (const name of names) await journey.stage(name, 'ready')
    expect(journey.file('docs/a.txt')?.stage).toBe('reserved')
    for (const put of puts) put.release()
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 8, puts: 7 })
  })

  test('the latest change goes first', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `${String(index).padStart(2, '0')}.txt`)
    const journey = await begin({ profile, config: { uploads: { concurrency: 1 } } })
    await journey.daemon.pause({ by: 'anna' })
    journey.write(Object.fromEntries(names.map((name) => [`aside/${name}`, `the text of ${name}`])))
    for (const [index, name] of names.entries())
      utimesSync(journey.at(`aside/${name}`), 1e9 + index, 1e9 + index)
    journey.move('aside', 'docs/in')
    for (const name of names) await journey.stage(`docs/in/${name}`, 'wanted')
    await journey.daemon.resume()
    await journey.allReady()
    const sent = journey.assets().map(({ filename }) => filename)
    const order = names.map((name) => sent.indexOf(`docs/in/${name}`))
    // Some are read in parallel. All of the first half were requested before those of the last
    // quarter.
    expect(Math.min(...order.slice(0, 6))).toBeGreaterThan(Math.max(...order.slice(12)))
  })

  test('a bandwidth limit holds for large and small files together, and a new limit for running uploads', async () => {
    const uploads = { bandwidth: '10kB/s', small_file_bytes: 1_000 }
    const journey = await begin({
      profile,
      tree: { 'docs/large.txt': half_a_megabyte },
      config: { uploads },
    })
    await journey.stage('docs/large.txt', 'reserved')
    journey.write({ 'docs/small.txt': 'small' })
    await journey.stage('docs/small.txt', 'ready')
    expect(journey.file('docs/large.txt')?.stage).toBe('reserved')
    await journey.reload({ uploads: { bandwidth: 'off' } })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })
})
