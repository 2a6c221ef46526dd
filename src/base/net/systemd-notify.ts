import { spawn } from 'node:child_process'
import { messageOf, SluiceError } from '../run/errors.ts'
import { kernelMonotonic_us } from '../time/time.ts'

/** Variables that systemd sets for a service of Type=notify; unset elsewhere. */
export interface NotifyEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined
  readonly WATCHDOG_USEC?: string | undefined
}

/** It waits at most 5 s for the manager to have taken its message (systemd-notify(1)); what takes longer hangs. */
const helper_most_ms = 15_000
/** systemd cuts longer ones; so much fits on a screen. */
const longest_status = 500

export type SystemdNotify = ReturnType<typeof openSystemdNotify>

/**
 * Tells the service manager how it goes (sd_notify(3)), one message after the other. Each resolves when its message has been
 * delivered or could not be (told to on_error); none rejects. Nothing happens where no service manager listens.
 *
 * Node has no datagram sockets of the Unix kind, so the `systemd-notify` program speaks for us: NotifyAccess=all in the unit,
 * for the message comes from the helper. The helper waits until the manager has taken the message: of a process that is gone
 * by then nobody could tell any more which unit it belonged to.
 */
export function openSystemdNotify(options: {
  environment: NotifyEnvironment
  /** The first of failures in a row. */
  on_error: (error: SluiceError) => void
}) {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = options.environment
  let told: Promise<void> = Promise.resolve()
  let has_failed = false
  let waiting: { status: string } | undefined

  async function send(assignments: () => readonly string[]): Promise<void> {
    if (NOTIFY_SOCKET === undefined) return
    told = told.then(async () => {
      const fault = await runHelper(NOTIFY_SOCKET, assignments())
      if (fault && !has_failed) options.on_error(fault)
      has_failed = fault !== undefined
    })
    return told
  }

  return {
    /** False: nobody listens, a status need not be made. */
    is_heard: NOTIFY_SOCKET !== undefined,
    /** systemd ends a service that says nothing for so long; undefined where no watchdog is set. */
    watchdog_ms: NOTIFY_SOCKET === undefined ? undefined : watchdog_ms(WATCHDOG_USEC),
    /** Started, or again with another configuration. */
    ready: (status: string) => send(() => ['READY=1', statusLine(status)]),
    /** One line for people; a newer one takes the place of one that still waits to be told. */
    async status(text: string): Promise<void> {
      if (waiting) waiting.status = text
      else {
        const line = { status: text }
        waiting = line
        await send(() => {
          waiting = undefined
          return [statusLine(line.status)]
        })
      }
    },
    // The time belongs to the message: a manager that reloads takes none for ready that was sent before (Type=notify-reload).
    reloading: () => send(() => ['RELOADING=1', `MONOTONIC_USEC=${kernelMonotonic_us()}`]),
    stopping: (status: string) => send(() => ['STOPPING=1', statusLine(status)]),
    /** Still alive. */
    watchdog: () => send(() => ['WATCHDOG=1']),
    /** Resolves when all that was said is told. */
    close: () => told,
  }
}

function watchdog_ms(usec: string | undefined): number | undefined {
  const ms = Number(usec) / 1_000
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** One line: a line break would begin another assignment. */
function statusLine(text: string): string {
  return `STATUS=${text.replaceAll(/\s+/g, ' ').slice(0, longest_status)}`
}

function runHelper(socket: string, assignments: readonly string[]): Promise<SluiceError | undefined> {
  return new Promise((resolve) => {
    const helper = spawn('systemd-notify', assignments, {
      env: { NOTIFY_SOCKET: socket, PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: helper_most_ms,
      killSignal: 'SIGKILL',
    })
    let words = ''
    helper.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(0, longest_status)
    })
    helper.once('error', (error) => resolve(notTold(messageOf(error), error)))
    helper.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : notTold(words.trim() || `it ended with ${code ?? signal}`))
    })
  })
}

function notTold(why: string, cause?: unknown): SluiceError {
  return new SluiceError({
    code: 'systemd.not_told',
    message: `systemd-notify could not tell the service manager: ${why}`,
    hint: 'check that the program systemd-notify is installed, and that the unit has NotifyAccess=all',
    cause,
  })
}
