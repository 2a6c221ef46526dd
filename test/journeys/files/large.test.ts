import { expect, test } from 'vitest'
import { large_bytes } from '../../../src/domain/file.ts'
import { begin, localJourneys } from '../rig/harness.ts'

localJourneys('large files', (profile) => {
  test('get a slot only when a connection is free for their bytes', async () => {
    const tree = {
      'docs/a.txt': 'a '.repeat(5_000),
      'docs/b.txt': 'b '.repeat(5_000),
      'docs/c.txt': 'c '.repeat(5_000),
    }
    const uploads = { concurrency: 1, small_file_bytes: 1_000 }
    const journey = await begin({ profile, tree, config: { uploads } })
    await journey.allReady()
    const asked = journey.service.requestLog.map(({ place }) => place)
    const steps = asked.filter((place) => place === 'assets.create' || place === 'put')
    expect(steps).toEqual(['assets.create', 'put', 'assets.create', 'put', 'assets.create', 'put'])
  })

  test('become ready in parallel, even if only their bytes show their type', async () => {
    const tree = {
      'docs/large.csv': Buffer.alloc(large_bytes + 1, 'a cell, '),
      'docs/notes': Buffer.alloc(large_bytes, 'a line\n'),
      'docs/small.txt': 'small',
    }
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const asked = journey.service.requestLog.map(({ place }) => place)
    expect(asked.filter((place) => place === 'put')).toHaveLength(3)
  })
})
