import type { SystemdNotify } from '../../base/net/systemd-notify.ts'
import type { Pulses, SilentPulse } from '../../base/run/pulse.ts'
import { formatDuration } from '../../base/text/format.ts'
import type { Log } from '../../base/text/log.ts'
import { type Clock, isoTime, second_ms } from '../../base/time/time.ts'

export interface WatchdogParts {
  pulses: Pulses
  notify: Pick<SystemdNotify, 'watchdog' | 'watchdog_ms'>
  /** How long something may be silent; asked anew at every look, for the config may change. */
  silence_ms: () => number
  clock: Clock
  log: Log
}

/** Often enough that a third of systemd's patience never passes unfed, rarely enough that the helper costs nothing. */
const longest_look_ms = 20 * second_ms

/**
 * Tells systemd that the daemon lives while everything that is being worked on moves, and stops telling it when something does
 * not: the log says what and since when, and systemd restarts the daemon. A timer alone would go on while a worker hangs. Runs
 * until the signal.
 */
export async function keepWatch(
  { pulses, notify, silence_ms, clock, log }: WatchdogParts,
  signal: AbortSignal,
): Promise<void> {
  const look_ms = Math.min((notify.watchdog_ms ?? Number.POSITIVE_INFINITY) / 3, longest_look_ms)
  const told = new Set<string>()

  function tell(stuck: readonly SilentPulse[]): void {
    for (const { name, silent_ms } of stuck) {
      if (told.has(name)) continue
      told.add(name)
      const since = isoTime(clock.now_ms() - silent_ms)
      const end =
        notify.watchdog_ms === undefined ? 'restart the daemon if it does not go on' : 'systemd restarts the daemon'
      log.error({ stuck: name, since }, `stuck: ${name} has not moved for ${formatDuration(silent_ms)}; ${end}`)
    }
    for (const name of told) {
      if (stuck.some((other) => other.name === name)) continue
      told.delete(name)
      log.warn({ stuck: name }, `${name} moves again`)
    }
  }

  while (!signal.aborted) {
    const stuck = pulses.stuck(silence_ms())
    tell(stuck)
    if (stuck.length === 0 && notify.watchdog_ms !== undefined) await notify.watchdog()
    await clock.sleep(look_ms, signal)
  }
}
