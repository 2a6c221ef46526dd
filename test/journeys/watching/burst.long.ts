import { expect, test } from 'vitest'
import { localJourneys } from '../rig/harness.ts'
import { allReady, beforeBurst, expectNothingLost, makeBurst } from './burst.ts'

/** Each edit is two events. The kernel keeps 16,384 and drops the others silently. */
const burst = { files: 2_000, directories: 20, edits: 20, creates: 40 }
const max_heap_bytes = 150e6

localJourneys('a burst that overflows the queue of the kernel', (profile) => {
  test.each(['chokidar', 'native'] as const)(
    '40,000 edits and 40 creates, by %s: nothing is lost',
    async (watch) => {
      const journey = await beforeBurst({ profile, folders: { docs: { watch } } }, burst)
      await journey.idle()
      const before_bytes = process.memoryUsage().heapUsed
      makeBurst(journey, burst)
      await allReady(journey)
      expect(process.memoryUsage().heapUsed - before_bytes).toBeLessThan(max_heap_bytes)
      expectNothingLost(journey)
    },
    1_800_000,
  )
})
