import { openSystemdNotify } from '../../base/net/systemd-notify.ts'
import type { Heartbeats } from '../../base/run/heartbeat.ts'
import type { Worker } from '../../base/run/worker.ts'
import type { Log } from '../../base/text/log.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import type { Secrets } from '../../config/secrets.ts'
import { checkToken } from '../../daemon/check-token.ts'
import { currentStatus, reportStatus } from '../../daemon/health/report-status.ts'
import { keepWatch } from '../../daemon/health/watchdog.ts'
import { stuckAfter_ms } from '../../daemon/limits.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { findUnit, misfitsOf } from '../../inspect/doctor/find-unit.ts'

/**
 * How often the daemon checks a service that it could not reach at the start, while nothing is to
 * be sent.
 */
const ask_again_ms = 30 * second_ms

/** Checks the token, watches the heartbeats, and reports to systemd if it started the daemon. */
export function reportToServiceManager(parts: {
  daemon: Daemon
  heartbeats: Heartbeats
  log: Log
}) {
  const { daemon, heartbeats, log } = parts
  const clock = system_clock
  const notify = openSystemdNotify({
    environment: readEnvironment().notify,
    on_error: (error) => log.warn({ error }, error.message),
  })
  const ended = new AbortController()
  const begun: Promise<unknown>[] = []
  let is_unreachable = false
  let teller: Worker | undefined
  const status = () => {
    if (!notify.is_heard) return ''
    const trouble = daemon.ledgerTrouble()
    const ledger_fault = trouble && { message: trouble.error.message, since_ms: trouble.since_ms }
    return currentStatus(daemon.config.state_dir, clock.now_ms(), { is_unreachable, ledger_fault })
  }

  function begin(secrets: Secrets): void {
    const silence_ms = () => stuckAfter_ms(daemon.config)
    begun.push(keepWatch({ heartbeats, notify, silence_ms, clock, log }, ended.signal))
    if (!notify.is_heard) return
    const { ledger } = daemon
    const on_error = (error: unknown) =>
      log.warn({ error }, 'the status for systemd cannot be read')
    teller = reportStatus({ ledger, notify, clock, on_error, text: status }, ended.signal)
    begun.push(teller.ended)
    if (is_unreachable) begun.push(askAgain(secrets))
  }

  /** Asks until the service answers. The workers find and record all other faults. */
  async function askAgain(secrets: Secrets): Promise<void> {
    while (is_unreachable && !ended.signal.aborted) {
      await clock.sleep(ask_again_ms, ended.signal)
      const answer = await checkToken(daemon.config, secrets, clock, ended.signal).catch(
        () => 'answered',
      )
      if (answer === 'unreachable') continue
      is_unreachable = false
      teller?.wake()
    }
  }

  return {
    /**
     * Checks the token with the service and reports that the daemon is ready. From then on it sends
     * a status line when the status changes, and a heartbeat while work moves. Error
     * `account.refused`. A service that is down is no error: it is reported and tried again.
     */
    async started(secrets: Secrets, stopped: AbortSignal) {
      is_unreachable = (await checkToken(daemon.config, secrets, clock, stopped)) === 'unreachable'
      await notify.ready(status())
      begin(secrets)
    },
    /** A reload has begun. `reloaded` follows in any case. */
    reloading: () => notify.reloading(),
    reloaded: () => notify.ready(status()),
    /** The daemon is about to end. */
    async stopping(why: string) {
      ended.abort()
      await Promise.all(begun)
      await notify.stopping(why)
    },
  }
}

/**
 * Returns a check of what the unit of this process does not give to a configuration: a sentence
 * each, with what to do. It uses the unit as it is now, because a later change takes effect after a
 * restart. Empty without systemd.
 */
export function openUnitFit(config_file: string): (config: Config) => string[] {
  if (readEnvironment().notify.NOTIFY_SOCKET === undefined) return () => []
  const unit = findUnit(config_file)
  return (config) => (unit === undefined ? [] : misfitsOf(config, unit))
}
