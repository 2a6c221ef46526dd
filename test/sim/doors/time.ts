import type { Clock } from '../../../src/base/time/time.ts'
import { world } from '../world.ts'

/* In the place of the system's clock and of base/time/ticker. */

export const system_clock: Clock = {
  now_ms: () => world.wall_ms('machine'),
  monotonic_ms: () => world.at_ms,
  // The daemon has a clock of its own; this is the service's, which outlives it.
  sleep: (ms, signal) => world.clockOf(undefined, 'service').sleep(ms, signal),
}

/** At the beginning of every minute of the wall clock, as the real one by node-cron. */
export function startTicker(on_tick: () => void): { stop(): void } {
  const stopping = new AbortController()
  const clock = world.clockOf(world.life, 'machine')
  async function tick(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(60_000 - (clock.now_ms() % 60_000), stopping.signal)
      if (!stopping.signal.aborted) on_tick()
    }
  }
  void tick()
  return { stop: () => stopping.abort() }
}
