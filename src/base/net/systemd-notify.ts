import { spawn } from 'node:child_process'
import { messageOf, SluiceError } from '../run/errors.ts'
import { kernelMonotonic_us } from '../time/time.ts'

/** Variables that systemd sets for a service of Type=notify; unset elsewhere. */
export interface NotifyEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined
  readonly WATCHDOG_USEC?: string | undefined
}

/** The helper waits up to 5 s for the manager (systemd-notify(1)). After 15 s it surely hangs. */
const max_helper_ms = 15_000
/** Characters: systemd cuts longer texts, and this much fits on a screen. */
const longest_status = 500

export type SystemdNotify = ReturnType<typeof openSystemdNotify>

/**
 * Reports the state to the service manager (sd_notify(3)); without one, calls do nothing. A call
 * resolves when its message was delivered or failed; none rejects. Node has no Unix datagram
 * sockets, so the program `systemd-notify` sends, and the unit needs NotifyAccess=all. The program
 * waits for the manager, which could not find the unit of a process that has ended.
 */
export function openSystemdNotify(options: {
  environment: NotifyEnvironment
  /** Receives the first of several failures in a row. */
  on_error: (error: SluiceError) => void
}) {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = options.environment
  let sent: Promise<void> = Promise.resolve()
  let has_failed = false
  let waiting: string | undefined

  async function send(assignments: () => readonly string[]): Promise<void> {
    if (NOTIFY_SOCKET === undefined) return
    sent = sent.then(async () => {
      const fault = await runHelper(NOTIFY_SOCKET, assignments())
      if (fault && !has_failed) options.on_error(fault)
      has_failed = fault !== undefined
    })
    return sent
  }

  return {
    /** False: no service manager listens, so callers need make no status. */
    is_heard: NOTIFY_SOCKET !== undefined,
    /** systemd ends a service that is silent for so long; undefined without a watchdog. */
    watchdog_ms: NOTIFY_SOCKET === undefined ? undefined : watchdog_ms(WATCHDOG_USEC),
    /** The service has started, or continues with another configuration. */
    ready: (status: string) => send(() => ['READY=1', statusLine(status)]),
    /** Reports one line. It replaces one that is not sent yet, and then resolves at once. */
    async status(text: string): Promise<void> {
      const is_queued = waiting !== undefined
      waiting = text
      if (is_queued) return
      await send(() => {
        const line = statusLine(waiting ?? text)
        waiting = undefined
        return [line]
      })
    },
    // Reads the time when it sends: systemd ignores one older than its reload (notify-reload).
    reloading: () => send(() => ['RELOADING=1', `MONOTONIC_USEC=${kernelMonotonic_us()}`]),
    stopping: (status: string) => send(() => ['STOPPING=1', statusLine(status)]),
    watchdog: () => send(() => ['WATCHDOG=1']),
    /** Resolves when every message was sent or failed. */
    close: () => sent,
  }
}

function watchdog_ms(usec: string | undefined): number | undefined {
  const ms = Number(usec) / 1_000
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** One line, because a line break would begin another assignment. */
function statusLine(text: string): string {
  return `STATUS=${text.replaceAll(/\s+/g, ' ').slice(0, longest_status)}`
}

function runHelper(
  socket: string,
  assignments: readonly string[],
): Promise<SluiceError | undefined> {
  return new Promise((resolve) => {
    const helper = spawn('systemd-notify', assignments, {
      env: { NOTIFY_SOCKET: socket, PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: max_helper_ms,
      killSignal: 'SIGKILL',
    })
    let words = ''
    helper.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(0, longest_status)
    })
    helper.once('error', (error) => resolve(notSent(messageOf(error), error)))
    helper.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : notSent(words.trim() || `it ended with ${code ?? signal}`))
    })
  })
}

function notSent(why: string, cause?: unknown): SluiceError {
  return new SluiceError({
    code: 'systemd.not_sent',
    message: `systemd-notify could not tell the service manager: ${why}`,
    hint: 'check that the program systemd-notify is installed, and that the unit has NotifyAccess=all',
    cause,
  })
}
