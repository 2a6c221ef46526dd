import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'
import { audited, list_page, many, three_pages } from './audited.ts'

localJourneys('the list stays the same for many rounds', (profile) => {
  test('each round reads its pages once and asks for no asset alone', async () => {
    const config = { follow: { list_from: 1_000 } }
    const journey = await begin({ profile, tree: many(three_pages), config, list_page })
    await journey.allReady()
    const reads = journey.requests('assets.read').length
    for (let round = 1; round <= 4; round++) {
      const lists = journey.requests('assets.list').length
      expect(await audited(journey)).toMatchObject({ usable: three_pages, missing: 0 })
      expect(journey.requests('assets.list').length - lists, `round ${round}`).toBe(3)
    }
    expect(journey.requests('assets.read')).toHaveLength(reads)
    journey.ends({})
  })
})
