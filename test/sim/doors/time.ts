import type { WakeAt } from '../../../src/base/time/cron.ts'
import type { Clock } from '../../../src/base/time/time.ts'
import { withFraction } from '../../rig/fake-clock.ts'
import { wakeBy } from '../../rig/wake-by.ts'
import { world } from '../world/world.ts'

/* Replaces the system's clock and wakeAt of base/time/cron. */

export const system_clock: Clock = {
  now_ms: () => world.wall_ms('machine'),
  monotonic_ms: () => withFraction(world.at_ms),
  // The daemon has its own clock; this is the service's, which outlives it.
  sleep: (ms, signal) => world.clockOf(undefined, 'service').sleep(ms, signal),
}

/** The real one wakes by the clock of the machine, through node-cron. */
export const wakeAt: WakeAt = (...wake) => wakeBy(world.clockOf(world.life, 'machine'))(...wake)
