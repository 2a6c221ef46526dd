import type { SystemdNotify } from '../../base/net/systemd-notify.ts'
import type { Heartbeats, SilentHeartbeat } from '../../base/run/heartbeat.ts'
import { formatDuration } from '../../base/text/format.ts'
import type { Log } from '../../base/text/log.ts'
import { type Clock, isoTime, second_ms } from '../../base/time/time.ts'

export interface WatchdogParts {
  heartbeats: Heartbeats
  notify: Pick<SystemdNotify, 'watchdog' | 'watchdog_ms'>
  /** Maximum silence of one worker; read at every check. */
  silence_ms: () => number
  clock: Clock
  log: Log
}

/** Maximum interval of checks; rare enough that the helper process costs nothing. */
const max_check_ms = 20 * second_ms

/**
 * Notifies systemd while all running work proceeds, until the signal aborts. When work is stuck it
 * stops notifying: the log says what is stuck and since when, and systemd restarts the daemon. A
 * timer alone would continue while a worker hangs.
 */
export async function keepWatch(
  { heartbeats, notify, silence_ms, clock, log }: WatchdogParts,
  signal: AbortSignal,
): Promise<void> {
  const check_every_ms = Math.min(
    (notify.watchdog_ms ?? Number.POSITIVE_INFINITY) / 3,
    max_check_ms,
  )
  const reported = new Set<string>()

  function report(stuck: readonly SilentHeartbeat[]): void {
    for (const { name, silent_ms } of stuck) {
      if (reported.has(name)) continue
      reported.add(name)
      const since = isoTime(clock.now_ms() - silent_ms)
      const end =
        notify.watchdog_ms === undefined
          ? 'restart the daemon if this lasts'
          : 'systemd restarts the daemon'
      log.error(
        { stuck: name, since },
        `no heartbeat of ${name} for ${formatDuration(silent_ms)}; ${end}`,
      )
    }
    for (const name of reported) {
      if (stuck.some((other) => other.name === name)) continue
      reported.delete(name)
      log.warn({ stuck: name }, `the heartbeat of ${name} is back`)
    }
  }

  while (!signal.aborted) {
    const stuck = heartbeats.stuck(silence_ms())
    report(stuck)
    if (stuck.length === 0 && notify.watchdog_ms !== undefined) await notify.watchdog()
    await clock.sleep(check_every_ms, signal)
  }
}
