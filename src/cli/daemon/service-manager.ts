import { openSystemdNotify } from '../../base/net/systemd-notify.ts'
import type { Pulses } from '../../base/run/pulse.ts'
import type { Worker } from '../../base/run/worker.ts'
import type { Log } from '../../base/text/log.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import type { Secrets } from '../../config/secrets.ts'
import { checkToken } from '../../daemon/check-token.ts'
import { currentStatus, tellStatus } from '../../daemon/health/tell-status.ts'
import { keepWatch } from '../../daemon/health/watchdog.ts'
import { stuckAfter_ms } from '../../daemon/limits.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { findUnit, misfitsOf } from '../../inspect/doctor/find-unit.ts'

/** A service that nobody reached at the start, and that nothing is to be sent to, is asked so often whether it is there. */
const ask_again_ms = 30 * second_ms

/** What systemd hears of a running daemon; nothing where no service manager listens. */
export function tellServiceManager(parts: { daemon: Daemon; pulses: Pulses; log: Log }) {
  const { daemon, pulses, log } = parts
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
    begun.push(keepWatch({ pulses, notify, silence_ms, clock, log }, ended.signal))
    if (!notify.is_heard) return
    const { ledger } = daemon
    const on_error = (error: unknown) => log.warn({ error }, 'the status for systemd cannot be read')
    teller = tellStatus({ ledger, notify, clock, on_error, text: status }, ended.signal)
    begun.push(teller.ended)
    if (is_unreachable) begun.push(askAgain(secrets))
  }

  /** What else it may be then, the workers find out and the ledger knows. */
  async function askAgain(secrets: Secrets): Promise<void> {
    while (is_unreachable && !ended.signal.aborted) {
      await clock.sleep(ask_again_ms, ended.signal)
      const answer = await checkToken(daemon.config, secrets, clock, ended.signal).catch(() => 'answered')
      if (answer === 'unreachable') continue
      is_unreachable = false
      teller?.wake()
    }
  }

  return {
    /**
     * Shows the token to the service, and says that the daemon can be relied on; from here on a line of status when it changes, and
     * signs of life while its work moves. Error `account.refused`. A service that is down is no error: it is told and tried again.
     */
    async started(secrets: Secrets, stopped: AbortSignal) {
      is_unreachable = (await checkToken(daemon.config, secrets, clock, stopped)) === 'unreachable'
      await notify.ready(status())
      begin(secrets)
    },
    /** Another config is being put in force; `reloaded` follows, whether it was or not. */
    reloading: () => notify.reloading(),
    reloaded: () => notify.ready(status()),
    /** It is to end. */
    async stopping(why: string) {
      ended.abort()
      await Promise.all(begun)
      await notify.stopping(why)
    },
  }
}

/**
 * What the unit that systemd runs this process by does not give to a configuration; a sentence each, with what to do. It counts
 * as it was when this was called: what is laid down later holds after a restart. Nothing where no systemd started us.
 */
export function openUnitFit(config_file: string): (config: Config) => string[] {
  if (readEnvironment().notify.NOTIFY_SOCKET === undefined) return () => []
  const unit = findUnit(config_file)
  return (config) => (unit === undefined ? [] : misfitsOf(config, unit))
}
