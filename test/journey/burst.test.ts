import { expect, test } from 'vitest'
import { allReady, beforeBurst, expectNothingLost, makeBurst } from './burst.ts'
import { localJourneys } from './harness.ts'

const burst = { files: 100, directories: 5, edits: 40, creates: 40 }

localJourneys('a burst while nobody reads events', (profile) => {
  test.each(['chokidar', 'native'] as const)('4,000 edits and 40 creates, by %s: nothing is lost', async (watch) => {
    const config = { watching: { burst_events: 50 } }
    const journey = await beforeBurst({ profile, folders: { docs: { watch } }, config }, burst)
    await journey.idle()
    makeBurst(journey, burst)
    await allReady(journey)
    await journey.idle()
    expectNothingLost(journey)
    // A scan follows, whatever was told.
    expect(journey.log().join('')).toContain('so many changes at once')
  })
})
