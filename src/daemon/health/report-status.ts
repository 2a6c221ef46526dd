import type { SystemdNotify } from '../../base/net/systemd-notify.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { type Clock, minute_ms, second_ms } from '../../base/time/time.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { type StatusLineParts, statusLine } from '../../status/text/status-line.ts'

/** Minimum time between updates: a first sync makes a hundred a second, each with a process. */
const pace_ms = 3 * second_ms

/** The line that `systemctl status` shows, as the ledger has it now. Errors: `database.*`. */
export function currentStatus(
  state_dir: string,
  now_ms: number,
  parts: Pick<StatusLineParts, 'is_unreachable' | 'ledger_fault'>,
): string {
  const view = openLedgerView(state_dir)
  try {
    return view.together(() => {
      const is_paused = view.pause(now_ms) !== undefined
      return statusLine({ folders: view.folders(), troubles: view.troubles(), is_paused, ...parts })
    })
  } finally {
    view.close()
  }
}

/** Sends a changed status line to systemd, after commits and each minute, until the abort. */
export function reportStatus(
  parts: {
    ledger: Ledger
    notify: Pick<SystemdNotify, 'status'>
    clock: Clock
    on_error: (error: unknown) => void
    text: () => string
  },
  signal: AbortSignal,
): Worker {
  const { ledger, notify, clock, on_error, text } = parts
  let sent = ''
  async function step(): Promise<{ wait_ms: number }> {
    const now = text()
    if (now !== sent) {
      sent = now
      await notify.status(now)
    }
    return { wait_ms: minute_ms }
  }
  const worker = runWorker({ name: 'status', step, clock, signal, pace_ms, on_error })
  signal.addEventListener(
    'abort',
    ledger.onWork(() => worker.wake()),
    { once: true },
  )
  return worker
}
