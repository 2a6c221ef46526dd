import type { WakeAt } from '../../../src/base/time/cron.ts'
import type { Clock } from '../../../src/base/time/time.ts'
import { wakeBy } from '../../rig/wake-by.ts'
import { world } from '../world/world.ts'

/* In the place of the system's clock and of base/time/cron's wakeAt. */

export const system_clock: Clock = {
  now_ms: () => world.wall_ms('machine'),
  monotonic_ms: () => world.at_ms,
  // The daemon has a clock of its own; this is the service's, which outlives it.
  sleep: (ms, signal) => world.clockOf(undefined, 'service').sleep(ms, signal),
}

/** The real one follows the clock of the machine by node-cron. */
export const wakeAt: WakeAt = (...wake) => wakeBy(world.clockOf(world.life, 'machine'))(...wake)
