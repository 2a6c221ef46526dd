import { expect, test } from 'vitest'
import { begin, fullOrPart, localJourneys } from '../rig/harness.ts'
import { allReady, beforeBurst, expectNothingLost, makeBurst } from './burst.ts'

const burst = { files: fullOrPart(100, 30), directories: 5, edits: 40, creates: 40 }

localJourneys('a burst while no process reads events', (profile) => {
  test.each(['chokidar', 'native'] as const)(
    '40 edits of each file and 40 creates, by %s: nothing is lost',
    async (watch) => {
      const config = { watching: { burst_events: 50 } }
      const journey = await beforeBurst({ profile, folders: { docs: { watch } }, config }, burst)
      await journey.idle()
      makeBurst(journey, burst)
      await allReady(journey)
      await journey.idle()
      expectNothingLost(journey)
      // A scan follows in any case.
      expect(journey.log().join('')).toContain('so many changes at once')
    },
  )

  test('more hints than fit into the queue: a scan finds the changes', async () => {
    const config = { scan: { max_hints: 10 } }
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'a' },
      folders: { docs: { watch: 'native' } },
      config,
    })
    await journey.allReady()
    await journey.idle()
    journey.write(
      Object.fromEntries(
        Array.from({ length: 45 }, (_, at) => [`docs/new ${at}.txt`, `new ${at}`]),
      ),
    )
    await journey.allReady()
    expect(journey.log().join('')).not.toContain('so many changes at once')
  })
})
