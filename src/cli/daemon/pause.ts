import { SluiceError } from '../../base/run/errors.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Pause } from '../../ledger/rows/pause-row.ts'
import { pauseText } from '../../status/text/text-health.ts'
import { pauseStatus } from '../../status/view.ts'
import { withLedgerView } from './ledger-fault.ts'

/** What a person stopped, where that is in force. */
export function readPause(state_dir: string): Promise<Pause | undefined> {
  return withLedgerView(state_dir, (view) => view?.pause(system_clock.now_ms()))
}

/**
 * For commands that would send or ask by the daemon's own rules: a pause is a person's word, and a cron job that runs `sluice
 * sync` must not override it. Error `answer.paused`.
 */
export async function refuseWhilePaused(state_dir: string, what: string): Promise<void> {
  const pause = await readPause(state_dir)
  if (!pause) return
  throw new SluiceError({
    code: 'answer.paused',
    message: `${what}: ${pauseText(pauseStatus(pause), system_clock.now_ms())}`,
    hint: '`sluice resume` ends the pause',
  })
}
